package conftext

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// signs are what a text shows of its form.
type signs struct {
	alter     int  // ALTER SYSTEM, outside of comments
	gpconfig  int  // calls of Greenplum's tool
	options   int  // -c NAME=, or -c alone on a line of a list
	kube      bool // apiVersion and kind
	compose   bool // services with images
	terraform bool // blocks of HCL, or lists of objects as in tfvars
	nix       bool
	json      bool // begins as a document of JSON
	program   bool // code in which settings stand
	product   Form // that keys and groups name
	patroni   int
}

var (
	alterSign  = regex.New(`(?i)\balter\s+system\s+(set|reset)\b`)
	optionSign = regex.New(
		`(^|[\s"'\[,])(-c\s*["']?[A-Za-z_][\w.\-]*=|--[a-z][a-z_\-]+=)|["']-c["']\s*,|^\s*(-\s+)?["']?-c["']?,?\s*$`)
	terraformSign = regex.New(`^\s*(resource|provider|variable|locals|module|data|terraform)\b[^=:]*\{` +
		`|^\s*(parameter|database_flags|cluster_parameters|db_parameters)\s*(=\s*\[|\{)` +
		`|^\s*[a-z_]*(parameters|flags)\s*=\s*\[`)
	nixSign     = regex.New(`services\.postgresql|pkgs\.postgresql`)
	composeSign = regex.New(`^\s*(image|container_name|restart|ports|volumes|environment):`)
	programSign = regex.New(
		`postgresql::server|node\.|default\[|^\s*postgresql\[|^\s*(import|const|let|var|class|def)\s`)
	patroniSign = regex.New(`^\s*(bootstrap|dcs|restapi|etcd3?|zookeeper|consul|scope|loop_wait|` +
		`maximum_lag_on_failover|use_pg_rewind|use_slots|pg_hba|ttl|retry_timeout|patroni|bin_dir|data_dir|pgpass)\s*:`)
)

// signs looks for them, line by line.
func (r *reader) signs() {
	s := &r.sign
	api, kind, services, seen := false, false, false, 0
	keys := map[string]bool{}
	for _, l := range r.lines {
		t := strings.TrimSpace(unmark(l.text))
		if t == "" || comment(t) {
			continue
		}
		if seen++; seen == 1 && (t[0] == '{' && !templated(t) || t[0] == '[' && len(t) == 1) {
			s.json = true
		}
		if alterSign.MatchString(t) {
			s.alter++
		}
		if strings.HasPrefix(t, "gpconfig ") && strings.Contains(t, " -c ") {
			s.gpconfig++
		}
		if optionSign.MatchString(t) {
			s.options++
		}
		key := strings.Trim(strings.SplitN(t, ":", 2)[0], `"' `)
		keys[key] = true
		api = api || key == "apiVersion"
		kind = kind || key == "kind"
		services = services || key == "services"
		if composeSign.MatchString(t) && (services || s.options > 0 || strings.Contains(t, "postgres")) {
			s.compose = true
		}
		s.terraform = s.terraform || terraformSign.MatchString(t)
		s.nix = s.nix || nixSign.MatchString(t)
		s.program = s.program || programSign.MatchString(t)
		if patroniSign.MatchString(t) {
			s.patroni++
		}
		if s.product == "" {
			s.product = product(t)
		}
	}
	s.kube = api && kind
	// A fence of CloudNativePG without its head. The initdb of Patroni has no owner; «bootstrap» both have.
	cnpg := keys["instances"] || keys["synchronous"] && keys["method"] || keys["initdb"] && keys["owner"] &&
		s.patroni <= 1
	if s.product == "" && cnpg && keys["postgresql"] && keys["parameters"] && !keys["dcs"] {
		s.product = CNPG
	}
}

// product is the operator whose groups and keys a line names.
func product(t string) Form {
	for _, p := range []struct {
		mark string
		form Form
	}{
		{"postgresql.cnpg.io", CNPG}, {"postgresql.k8s.enterprisedb.io", CNPG},
		{"/cloudnative-pg/postgresql", CNPG}, {"acid.zalan.do", Zalando},
		{"postgres-operator.crunchydata.com", Crunchy}, {"pgv2.percona.com", Percona}, {"pg.percona.com", Percona},
		{"stackgres.io", StackGres}, {"SGPostgresConfig", StackGres}, {"kubeblocks.io", KubeBlocks},
		// marks of CloudNativePG within a manifest whose head is not there
		{"/controller/log", CNPG}, {"slotPrefix: _cnpg_", CNPG}, {"barmanObjectStore", CNPG},
		{"primaryUpdateStrategy", CNPG}, {"standard-cnpg", CNPG}, {"zalandos", Zalando},
	} {
		if strings.Contains(t, p.mark) {
			return p.form
		}
	}
	return ""
}

// comment says whether a line is one in the languages that texts are written in. A
// line of pg_hba.conf or YAML that begins with a star is none.
func comment(t string) bool {
	return t[0] == '#' || strings.HasPrefix(t, "--") && !strings.HasPrefix(t, "---") && !dashed(t) ||
		strings.HasPrefix(t, "//") || strings.HasPrefix(t, ";")
}

// dashed says whether two dashes begin an option and no comment of SQL.
func dashed(t string) bool {
	return len(t) > 3 && t[2] != ' ' && t[2] != '-' && strings.ContainsAny(t[2:min(len(t), 40)], "=") &&
		!alterSign.MatchString(t)
}

// form tries the forms, the more particular ones first. clean says that the text is one that the server reads.
func (r *reader) form() (t Text, clean bool) {
	if f, ok := r.elsewhere(); ok {
		return Text{Form: f}, false
	}
	s := &r.sign
	plain, clean := r.plain()
	var altered Text
	if s.alter > 0 {
		if altered = r.alterSystem(); len(altered.Settings) > 0 {
			return altered, false
		}
	}
	if clean && count(plain) == 0 {
		if t := r.inventory(); len(t.Settings) > 1 {
			return t, false
		}
	}
	if clean && !r.carried && !s.kube && !s.nix && !s.terraform {
		return Text{Form: plainForm(plain), Settings: nil}, true
	}
	if s.gpconfig > 0 {
		if t := r.gpconfig(); len(t.Settings) > 0 {
			return t, false
		}
	}
	best, known := Text{}, 0
	if !s.kube && !s.json {
		best = r.pasted()
		known = count(best.Settings)
	}
	try := func(t Text) {
		if n := count(t.Settings); n > 0 && n >= known {
			best, known = t, n
		}
	}
	// the more general ones first: of those that give as many, the last one is taken
	if s.program {
		try(r.assigned())
	}
	try(r.compared())
	keyed := r.keyed()
	if n := count(keyed.Settings); n > 2 && 3*n >= 2*known && r.nested() {
		known = min(known, n) // a name of a server's parameter may be a key of another program
	}
	try(keyed)
	try(r.listed())
	if s.nix {
		try(r.nixos())
	}
	if s.terraform {
		try(r.terraform())
	}
	if s.options > 0 {
		try(r.options())
	}
	table := r.table()
	try(table)
	if known < 2 && !s.kube {
		try(r.inventory())
	}
	if known == 0 && !s.kube {
		try(r.assigned())
		try(r.inline())
		try(r.across())
	}
	switch {
	case known > 0:
	case s.alter > 0 && len(plain) == 0:
		return altered, false
	default:
		return Text{Form: Plain}, false
	}
	if best.Form == Pasted && table.headed {
		best = r.besidesTable(best, table)
	}
	return best, false
}

// besidesTable is a text of lines of a postgresql.conf, with the settings that only a table of it has.
func (r *reader) besidesTable(best, table Text) Text {
	has := map[string]bool{}
	for _, s := range best.Settings {
		has[s.Name] = true
	}
	extra := slices.DeleteFunc(table.Settings, func(s Setting) bool { return has[s.Name] || !telling(s.Name) })
	if len(extra) < leastRows {
		return best
	}
	r.rows = map[int]bool{extra[0].Line - 2: true} // its head, above the rule
	for _, s := range table.Settings {
		r.rows[s.Line] = true
	}
	again := r.pasted() // without its rows among what was not understood
	again.Settings = merge(again.Settings, extra)
	return again
}

// leastRows of a table are no remark beside a configuration.
const leastRows = 2

// nested says whether a text is YAML throughout, with keys below others.
func (r *reader) nested() bool {
	all, keys, within := 0, 0, 0
	for _, l := range r.lines {
		t := strings.TrimSpace(l.text)
		if t == "" || comment(t) || strings.HasPrefix(t, "{%") {
			continue
		}
		all++
		bare := strings.TrimPrefix(t, "- ")
		if m := keyLine.FindStringSubmatch(bare + " "); m != nil && m[4] == ":" || bare != t {
			if keys++; l.text[0] == ' ' {
				within++
			}
		}
	}
	return 10*keys >= 8*all && within > 2
}

func plainForm(plain []Setting) Form {
	recovery := 0
	for _, s := range plain {
		switch s.Name {
		case "standby_mode", "trigger_file":
			return Recovery
		case "restore_command", "primary_conninfo", "recovery_target_timeline", "recovery_target_time":
			recovery++
		}
	}
	if recovery > 1 && recovery == len(plain) {
		return Recovery
	}
	return Plain
}

// plain reads the text by the server's own grammar. clean says that it is a
// postgresql.conf, with a slip or two at most: then the server's reader has the word.
func (r *reader) plain() (list []Setting, clean bool) {
	good, bad, prose, wrapped, filled := 0, 0, 0, 0, 0
	for i, l := range conf.Parse(r.text[:min(len(r.text), maxText)]) {
		switch {
		case l.Err != "":
			bad++
			if i >= len(r.lines) {
				continue
			}
			if merging(r.lines[i].text) {
				continue
			}
			if templated(r.lines[i].text) {
				filled++
			}
			if kernelLine.MatchString(r.lines[i].text) || hbaLine.MatchString(strings.TrimSpace(r.lines[i].text)) {
				return list, false // a sysctl.conf follows, or a pg_hba.conf
			}
			switch w := unprefixed(r.lines[i].text); {
			case w.carried && w.name != "":
				wrapped++
			case w.carried || meant(r.lines[i].text) == nil:
				prose++
			}
		case l.Name == "":
		case i < len(r.lines) && heading(l.Name, r.lines[i].text):
			bad++
			prose++
		default:
			good++
			list = append(list, Setting{Name: strings.ToLower(l.Name), Value: l.Value, Line: i + 1})
		}
	}
	switch {
	case bad == 0:
		return list, true
	case good == 0 && count(list) == 0:
		return list, false
	case wrapped > 0 && wrapped >= good/10:
		return list, false
	case r.carrier():
		return list, false
	}
	return list, filled == 0 && (prose < 2 && prose*3 <= good || prose*6 <= good)
}

// heading says whether a line that the server's grammar takes for a setting is a title: «my settings:».
func heading(name, text string) bool {
	return strings.HasSuffix(strings.TrimSpace(text), ":") && !strings.Contains(text, "=") &&
		!parameter(strings.ToLower(name)) && !directive(strings.ToLower(name))
}

// kernelLine is one of a sysctl.conf.
var kernelLine = regex.New(`^\s*(?:fs|kernel|net|vm)\.[a-z][\w.-]*\s*=`)

// templated says whether a line is one of a template, which no server reads as it is.
func templated(s string) bool {
	for _, mark := range []string{"{{", "{%", "<%", "${"} {
		if strings.Contains(s, mark) {
			return true
		}
	}
	return false
}

// carrying is a line of what a text was pasted in: a fence, the head of a host's part, the mark of lines left out.
var carrying = regex.New("(?i)^(?:```|~~~|\\[/?(?:code|quote)\\]$|\\{(?:code|noformat)[^}]*\\}$|" +
	`[\[(]?(?:\.\.\.|…)[\])]?$|[\w.-]+ \| (?:CHANGED|SUCCESS) (?:\| rc=\d+ )?>>$)`)

// carrier says whether the text has lines that only what carries a paste makes: fences
// of Markdown, prompts of a shell, marks of a diff.
func (r *reader) carrier() bool {
	for _, l := range r.lines {
		t := strings.TrimSpace(l.text)
		if carrying.MatchString(t) || prompt.MatchString(t) {
			return true
		}
	}
	return false
}

// elsewhere recognizes files of other programs by their sections and keys.
func (r *reader) elsewhere() (Form, bool) {
	votes := map[Form]int{}
	all := 0
	for _, l := range r.lines {
		t := strings.TrimSpace(l.text)
		if t == "" || comment(t) {
			continue
		}
		all++
		switch t {
		case "[databases]", "[pgbouncer]":
			return PgBouncer, true
		case "[mysqld]", "[mysql]", "[client-server]":
			return MySQL, true
		}
		key, _, _ := strings.Cut(t, "=")
		switch key = strings.TrimSpace(key); {
		case hbaLine.MatchString(t):
			votes[HBA]++
		case strings.HasPrefix(key, "repo1-") || strings.HasPrefix(key, "pg1-"):
			votes[PgBackups]++
		case strings.HasPrefix(key, "backend_hostname") || key == "num_init_children" || key == "child_life_time" ||
			key == "enable_pool_hba" || key == "load_balance_mode" || strings.HasPrefix(key, "pcp_"):
			votes[Pgpool] += 2
		}
	}
	for f, n := range votes {
		if (f == HBA && 2*n > all || f == Pgpool && n >= 4 || f == PgBackups && n >= 1) && !r.sign.kube {
			if f == Pgpool && !r.plainOnly() {
				continue
			}
			return f, true
		}
	}
	return "", false
}

// plainOnly says whether the text has the grammar of a postgresql.conf throughout.
func (r *reader) plainOnly() bool {
	for _, l := range conf.Parse(r.text[:min(len(r.text), maxText)]) {
		if l.Err != "" {
			return false
		}
	}
	return true
}

var hbaLine = regex.New(`^(local|host|hostssl|hostnossl|hostgssenc|hostnogssenc)\s+\S+\s+\S+\s+\S+`)

// Fork says which product made from PostgreSQL most names belong to.
func Fork(list []Setting) string {
	n := map[string]int{}
	for _, s := range list {
		if p, ok := params.ForkOf(s.Name); ok {
			n[p]++
		}
	}
	best := ""
	for p, c := range n {
		if best == "" || c > n[best] || c == n[best] && p < best {
			best = p
		}
	}
	return best
}
