package prose

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/cloud"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// What people run, as they list it: the items of an issue form that were filled in without names, the lines below a
// heading, an item with lines of its own.
var (
	reItem   = regex.New(`^(?:[-*+•·–] +|\d{1,2}[.)] +)(\S.*)$`)
	reBareOS = regex.New(`(?i)^(?:os:? )?((?:ubuntu(?: server)?|debian(?: gnu/linux)?|centos(?: linux| stream)?|` +
		`red hat enterprise linux(?: server)?|rhel|rocky(?: linux)?|almalinux|oracle linux(?: server)?|amazon linux|` +
		`sles|opensuse(?: leap)?|fedora(?: linux| server| coreos)?|alpine(?: linux)?|astra linux|` +
		`alt(?: linux| server)?|ред ос|red os|freebsd|windows server)(?: release)? v?\d[\w.]*` +
		`(?:,? (?:lts|sp\d|r2|server|x86_64|64[ -]?bit|\([\w ./-]{2,30}\)))*)$`)
	reBarePG = regex.New(`(?i)^(?:postgres(?:ql)?|pg)(?: server)?(?: version)?:? ?v?(\d{1,2}(?:\.\d{1,2}){0,2})` +
		`(?: \([^()]{1,80}(?:\([^()]{1,40}\))?\))?$`)
	// of anything else: PHP 8.1
	reBareOther = regex.New(`^[A-Z][\w+#./-]{1,30}(?: [A-Z][\w+#./-]{0,30}){0,2} v?\d+(?:\.\d+)*[\w.+-]*$`)
	reBareDisk  = regex.New(`(?i)\b(?:nvme|ssds?|hdds?|disks?|storage|ebs|gp[23]|io[12]|raid ?\d*|sata|sas|san)\b`)
	reDimms     = regex.New(`(?i)^\d{1,2} ?x ?\d{1,6} ?[mg]i?b(?: (?:ram|ddr\d))? \((\d{1,5}) ?gi?b\)$`)
	reBareGB    = regex.New(`(?i)^(\d{1,5}) ?gi?b$`)
	reLabel     = regex.New(`(?i)^(?:cpus?|processors?|memory|ram|software|os|operating system|server|hardware|` +
		`vm)\s?:?$`)
	reWished = regex.New(`(?i)\b(?:minimum|at least|recommend(?:ed|s|ations?)?|requires?|requirements?|` +
		`prerequisites?|supported|supports|compatib\w+|needs?|should|must|planned|planning|` +
		`(?:upgrad|migrat|mov)\w+ to|target|wish|want|example|sizing)\b`)
)

var (
	// what a machine and its programs are told behind, in one line
	reSurroundings = regex.New(`(?i)^[*_]{0,2}(?:(?:my|our|test|host|server|system) )?(?:environment|env|setup|` +
		`set-up|stack|` +
		`system info(?:rmation)?|specs?|os|platform|` +
		`окружение|стенд|среда|конфигурация(?: сервера)?|umgebung|environnement|entorno|ambiente|環境|环境)[*_]{0,2}` +
		`\s?[:：][*_]{0,2}\s*(\S.*)$`)
	// the point that ends a word, and none within a version
	reSentenceEnd = regex.New(`([\p{L}\d)])\.(?:\s|$)`)
)

// Item is a line without the mark of an item, and whether it had one.
func Item(t string) (string, bool) {
	if m := reItem.FindStringSubmatch(t); m != nil {
		return m[1], true
	}
	return t, false
}

// reOtherOS is a label that says less: what stands behind it has to be a system with its version.
var reOtherOS = regex.New(`(?i)^(?:your os|os|host|vm|server|machine|platform|system|environment|host system|` +
	`server os|os version)\s?[:=]\s?(\S.*)$`)

// osField reads such a field, and a distribution whose version has a field of its own.
func osField(w *part.Window, t string) (name string, lines int) {
	if m := reFieldOS.FindStringSubmatch(t); m != nil {
		next, _ := Item(w.Text(1))
		if v := reOSVersion.FindStringSubmatch(next); v != nil && !strings.ContainsAny(m[1], "0123456789") {
			return strings.TrimSpace(m[1]) + " " + v[1], 2
		}
		return m[1], 1
	}
	if m := reOtherOS.FindStringSubmatch(t); m != nil {
		if kind, fact := piece(m[1]); kind == "os" {
			return fact.Value.(string), 1
		}
	}
	return "", 0
}

var reOSVersion = regex.New(`(?i)^(?:distribution|distro|os) version\s?:\s?(\d[\w. ]{0,30})$`)

var (
	reFieldHead = regex.New(`(?i)^(?:|value|version|current(?: value)?|actual|details?|specs?|specifications?|info` +
		`(?:rmation)?|` +
		`configuration|setting|result|значение|характеристика|описание|версия|wert|merkmal|valeur` +
		`|caractéristiques?|détails?|version|` +
		`valor|característica|detalle|値|值|版本|配置|规格|規格|内容|スペック)$`)
	reNoField = regex.New("[|<>→=]|:\\s")
)

// tableField is a row of a table of a page as a field of a form; "": it is none, or the table says what is wished.
func tableField(w *part.Window) string {
	t := w.Text(0)
	if !strings.HasPrefix(t, "|") || len(t) > 300 || part.TableRule.MatchString(t) {
		return ""
	}
	cells := func(s string) []string {
		c := strings.Split(strings.TrimSuffix(strings.TrimPrefix(s, "|"), "|"), "|")
		for i := range c {
			c[i] = strings.Trim(plainWords.Replace(c[i]), " *_")
		}
		return c
	}
	c := cells(t)
	if len(c) < 2 || c[0] == "" || c[1] == "" || reNoField.MatchString(c[0]) || setting.Known(c[0]) {
		return ""
	}
	headless := len(w.Before) == 0 // the text begins within the table
	for i := len(w.Before) - 1; i >= 0 && strings.HasPrefix(w.Before[i].Text, "|"); i-- {
		if !part.TableRule.MatchString(w.Before[i].Text) {
			headless = headless || i == 0
			continue
		}
		if i == 0 {
			return ""
		}
		head := cells(w.Before[i-1].Text)
		if len(head) < 2 || !reFieldHead.MatchString(head[1]) || reWished.MatchString(head[0]) {
			return ""
		}
		return c[0] + ": " + c[1]
	}
	if headless && len(c) == 2 {
		return c[0] + ": " + c[1]
	}
	return ""
}

const mostItems = 25 // of a list that are looked at

// wished says whether a list is one of what a person needs, by the line above it: that of a list without marks ends in
// a colon.
func wished(w *part.Window) bool {
	_, item := Item(w.Text(0))
	item = item || w.Item
	for i := len(w.Before) - 1; i >= 0 && i >= len(w.Before)-mostItems; i-- {
		l := &w.Before[i]
		if l.Is == part.Blank && item {
			continue
		} else if l.Is == part.Blank || l.Is == part.Fence {
			return false
		}
		if _, mark := Item(l.Text); mark ||
			!item && !strings.HasSuffix(l.Text, ":") && !strings.HasPrefix(l.Text, "#") {
			continue
		}
		return len(l.Text) < 200 && reWished.MatchString(l.Text)
	}
	return false
}

// piece is what one word of such a list says; "": nothing that is known.
func piece(t string) (kind string, fact part.Fact) {
	t = strings.Trim(t, "`*_ .")
	if m := reBareOS.FindStringSubmatch(t); m != nil {
		return "os", part.Word("os.name", "", m[1])
	}
	if m := reBarePG.FindStringSubmatch(t); m != nil {
		if v, ok := setting.Version(m[1]); ok {
			return "server", v
		}
		return "", fact
	}
	m := reBareRAM.FindStringSubmatch(t)
	if m == nil {
		m = reDimms.FindStringSubmatch(t)
	}
	if m != nil {
		if n, ok := amount.Whole(m[1]); ok && n > 0 {
			return "memory", amount.Amount{Bytes: n * amount.GB, Step: amount.GB}.Fact("stated.memory", "")
		}
	}
	if m := reBareCPU.FindStringSubmatch(t); m != nil {
		if n, ok := amount.Whole(m[1]); ok && n > 0 {
			name := "stated.cpus"
			if strings.HasPrefix(strings.ToLower(m[2]), "core") {
				name = "stated.cores"
			}
			return "cpu", part.Count(name, "", n)
		}
	}
	if x := cloud.Instances(t); len(x) == 1 && len(t) < len(x[0].Name)+24 {
		return "instance", part.Word("instance.type", "", x[0].Name)
	}
	if m := reVirtual.FindStringSubmatch(t); m != nil {
		return "virtualization", part.Word("stated.virtualization", "", m[1])
	}
	if m := reStorage.FindStringSubmatch(t); m != nil {
		return "storage", part.Word("stated.storage", "", m[1])
	}
	if m := reBareModel.FindStringSubmatch(t); m != nil {
		return "model", part.Word("cpu.model", "", strings.TrimRight(m[1], " .,;"))
	}
	return "", fact
}

// reVirtual is a hypervisor that a person names, and nothing else with it.
var reVirtual = regex.New(`(?i)^(?:(?:a )?(?:vms?|guests?|virtual machines?|virtualized|virtualised|runs?|running) ` +
	`(?:on|in|under|with) (?:an? )?)?(vmware(?: (?:esxi?|vsphere))?|esxi|vsphere|proxmox(?: ve)?|hyper-v|` +
	`virtualbox|kvm|xen(?:server)?|nutanix(?: ahv)?|z/vm)(?: v?\d[\d.]*(?: ?u\d)?)?(?: (?:vms?|guests?|host))?$`)

// reStorage is a kind of disk that a person names, and nothing else with it.
var reStorage = regex.New(`(?i)^(?:\d+(?:[.,]\d+)? ?[gt]i?b )?(?:(?:local|fast|enterprise|samsung|intel) )?` +
	`(nvme(?: ssds?)?|ssds?|hdds?|sata ssds?|gp[23]|io[12])(?: (?:disks?|drives?|storage|raid ?\d{1,2}))?$`)

// pieces are what the words of a line say, each kind once; a line that says one twice says nothing.
func pieces(t string) (facts []part.Fact, kinds map[string]bool) {
	kinds = map[string]bool{}
	t = reSentenceEnd.ReplaceAllString(t, "$1;")
	for s := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == ',' || r == ';' || r == '|' }) {
		kind, fact := piece(s)
		if _, rest, ok := strings.Cut(plainWords.Replace(s), ": "); ok && kind == "" {
			kind, fact = piece(rest)
		}
		switch {
		case kind == "":
		case kinds[kind]:
			return nil, nil
		case kind == "instance":
			kinds[kind] = true
			facts = append(facts, instanceFacts(s)...)
		default:
			kinds[kind] = true
			facts = append(facts, fact)
		}
	}
	return facts, kinds
}

// reRAM is memory as people say it who leave out the unit.
var reRAM = regex.New(`(?i)^\d{1,7} ?(?:[mgt]i?b? ?|[мгт]б? ?)?(?:of )?(?:ram|memory|озу|памяти)$`)

// onlyMachine says whether each word of a line is of a machine, and one of them its memory.
func onlyMachine(t string) bool {
	memory := false
	for s := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == ',' || r == ';' || r == '|' || r == '/' }) {
		s = strings.Trim(s, "`*_ .")
		kind, _ := piece(s)
		ram := kind == "memory" || reRAM.MatchString(s)
		memory = memory || ram
		if !ram && kind != "cpu" && kind != "os" && kind != "model" && !(len(s) < 60 && reBareDisk.MatchString(s)) {
			return false
		}
	}
	return memory
}

// ReadStack reads a line of such a list.
func ReadStack(w *part.Window) (f part.Found) {
	t, item := Item(w.Text(0))
	item = item || w.Item
	if len(t) > 120 || !strings.ContainsAny(t, "0123456789") && !(item && len(t) < 24) {
		return
	}
	if item && reLabel.MatchString(t) {
		return underLabel(w)
	}
	labelled := false
	if m := reSurroundings.FindStringSubmatch(t); m != nil {
		t, labelled = m[1], true
	}
	facts, kinds := pieces(t)
	labelled = labelled || kinds["instance"] || kinds["cpu"] && onlyMachine(t)
	if len(facts) == 0 || reWanted.MatchString(t) || !item && !labelled && !amongOthers(w) || wished(w) {
		return
	}
	if len(facts) == 1 && strings.ContainsAny(t, ",;|") && !item && !labelled {
		return
	}
	for _, k := range []string{"server", "os", "memory", "cpu", "instance"} {
		if kinds[k] && again(w, k, item) {
			return
		}
	}
	f.N, f.Kind, f.Sure, f.Facts = 1, part.Stated, part.Likely, facts
	if kinds["instance"] {
		f.Notes = append(f.Notes, byInstance)
	}
	if len(facts) == 1 {
		switch {
		case kinds["server"]:
			f.Kind = part.Version
		case kinds["os"]:
			f.Kind = part.OSRelease
			f.Body = []string{facts[0].Value.(string)}
		}
	}
	return f
}

// neighbors are the lines of the list that a line is of, without it.
func neighbors(w *part.Window, item bool) []string {
	var out []string
	is := func(l *part.Line) bool {
		if l.Is != part.Content || len(l.Text) > 200 {
			return false
		}
		_, i := Item(l.Text)
		return i == item && (item || !strings.HasPrefix(l.Text, "#") && !strings.HasPrefix(l.Text, "**") &&
			!strings.HasSuffix(l.Text, ":"))
	}
	for i := len(w.Before) - 1; i >= 0 && len(out) < mostItems && is(&w.Before[i]); i-- {
		out = append(out, w.Before[i].Text)
	}
	for i := 1; i < len(w.Lines) && i < mostItems && is(&w.Lines[i]); i++ {
		out = append(out, w.Lines[i].Text)
	}
	return out
}

// amongOthers says whether a line without a mark is one of several that say one thing each.
func amongOthers(w *part.Window) bool {
	all := neighbors(w, false)
	for _, t := range all {
		kind, _ := piece(t)
		if kind == "" && !reBareOther.MatchString(t) && !(len(t) < 60 && reBareDisk.MatchString(t)) {
			return false
		}
	}
	return len(all) > 0
}

// again says whether another line of the list is of the same kind.
func again(w *part.Window, kind string, item bool) bool {
	for _, t := range neighbors(w, item) {
		t, _ = Item(t)
		if _, kinds := pieces(t); kinds[kind] {
			return true
		}
	}
	return false
}

// underLabel reads an item that is a name, with what it says in the lines below it.
func underLabel(w *part.Window) (f part.Found) {
	label, _ := Item(w.Text(0))
	memory := strings.HasPrefix(strings.ToLower(label), "mem") || strings.HasPrefix(strings.ToLower(label), "ram")
	n := 1
	for i := 1; i < len(w.Lines) && i < 6 && w.Lines[i].Is == part.Content; i++ {
		t := w.Text(i)
		if _, item := Item(t); item || len(t) > 120 {
			break
		}
		n = i + 1
		if x := Stated(t); len(x) > 0 {
			f.Add(x...)
			continue
		}
		if m := reBareGB.FindStringSubmatch(t); m != nil && memory {
			if n, ok := amount.Whole(m[1]); ok && n > 0 {
				f.Add(amount.Amount{Bytes: n * amount.GB, Step: amount.GB}.Fact("stated.memory", ""))
			}
			continue
		}
		if kind, fact := piece(t); kind != "" {
			f.Add(fact)
		}
	}
	if len(f.Facts) == 0 || wished(w) {
		return part.Found{}
	}
	f.N, f.Sure = n, part.Likely
	return f
}
