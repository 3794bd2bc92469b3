package kernlog

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// What a person writes above a log, and what kubectl and manifests show with it, has what the log does not: how
// much memory the host has, the limit of the container, how often it was killed.

const (
	// statedLines is how far it is looked for: what people write is short, a journal is not.
	statedLines = 4096
	// statedLong is how long such a line may be.
	statedLong = 2048
)

const sizeWord = `(\d{1,6}(?:[.,]\d{1,2})?) ?([KMGT]i?B?|[kmg]b?|GIG|gigs?)`

var (
	reRAM = regex.New(`(?i)(?:^|[^\w.,-])` + sizeWord + `(?: of| de| di| von)?(?: total| physical| system|` +
		` installed)?(?: DDR\d)? (?:RAM|Arbeitsspeicher|(?:main |physical |system )memory)\b`)
	// «the server has 16 GB of memory», «a VM with 8 GB memory», «32GB machine»
	reRAMOf = regex.New(`(?i)\b(?:machine|server|host|VM|instance|box|nodes?|droplet|VPS|laptop|desktop|system) ` +
		`(?:has|have|with|having|of) (?:a total of |only )?` + sizeWord + `(?: of)? memory\b|` +
		`(?:^|[\s(])` + sizeWord + ` (?:machine|server|host|VM|box|droplet|VPS|laptop|system)\b`)
	reRAMLabel = regex.New(`^[\s*|-]{0,8}(?:[Tt]otal )?(?:RAM|Memory|[Pp]hysical [Mm]emory)[\s*]{0,4}[:=|][\s*]{0,4}` +
		sizeWord + `[\s*|.]{0,8}$`)
	reSwapSaid = regex.New(`(?i)(?:^|[^\w.,-])` + sizeWord + `(?: of)? swap\b`)
	// What is used, wanted, or left is not what there is.
	reNotAll = regex.New(`(?i)(?:\b(?:us(?:e|es|ed|ing|age)|consum\w*|tak(?:e|es|ing|en)|took|eat(?:s|ing)?|` +
		`free|available|need(?:s|ed)?|requires?|at least|minimum|min|more than|over|up to|add(?:ed|ing)?|upgrad\w*|` +
		`another|extra|limit\w*|reserv\w*|alloc\w*|grow\w*|grew|reach\w*|hit\w*|peak\w*|about|around|~|another|spare|` +
		`of the|out of)\W+(?:\w+\W+){0,2}|[/+×x<>] ?)$`)
	reNotAllAfter = regex.New(`(?i)^[\s,]{0,3}(?:is |was |are |were )?(?:free|available|used|in use|left|consumed|` +
		`limit|per |each|for )`)
	reLimitSaid = regex.New(`(?i)(?:\b(?:limit(?:ed|s)?(?: (?:of|to|is|was|at|set|only|just|currently)){0,4}` +
		`[ :=]{1,3}|capped at |cap of |MemoryMax ?[=:] ?|mem_limit: ?|memory limit\W{1,8}|` +
		`mem(?:ory)?_?limit["']?[ :=]{1,4})|` +
		`--memory[ =])[\x60*"'(]{0,3}` + sizeWord + `\b`)
	// A limit that is proposed is none that was reached.
	reWanted = regex.New(`(?i)\b(?:rais\w+|increas\w+|bump\w*|suggest\w*|recommend\w*|should|try|tried|consider|` +
		`request\w*|set it to|new limit|instead)\b|→|->|=>`)
	reKillsSaid = regex.New(`(?i)(?:^|[^\w.,:-])(\d{1,5}) ?(?:次 ?|times? )?(?:OOM[-_ ]?kill(?:s|er)?(?: ?(?:events?|` +
		`invocations?|times|事件))?|oom[-_ ]?events|kills)\b|` +
		`\b(?:OOM[- _]?)?killed (\d{1,5}) times\b|\bOOMKilled (\d{1,5}) times\b`)
	reRestartsSaid = regex.New(`(?i)\brestart(?:ed|s|ing)?(?: itself)? (\d{1,5}) times\b|` +
		`(?:^|[^\w.,:-])(\d{1,5}) restarts\b|\brestart ?count["']?[:=] {0,16}(\d{1,5})\b|` +
		`\bOOMKilled +(\d{1,5}) (?:\(|\d)`)
	reAssigned = regex.New(`Successfully assigned ([a-z0-9][a-z0-9.-]{0,252})/([a-z0-9][a-z0-9.-]{0,252}) to ` +
		`([\w.-]{1,253})`)
	// «kubectl exec -it pod/shop-db-0 …», «pod shop-db-0 was OOMKilled»
	rePodNamed = regex.New(`\bpods?[/ ]["'\x60]?([a-z0-9]+(?:-[a-z0-9]+)*-(?:\d{1,3}|[a-z0-9]{5}))\b`)
	rePodField = regex.New(`^(Name|Namespace|Node): {2,24}([A-Za-z0-9][\w.-]{0,252})(?:/[\w.:]{1,64})?$`)
	reExit137  = regex.New(`(?i)\bexit(?:ed|s)?(?: with)?(?: an?)?(?: exit)?(?: code| status)? ?[:=(]{0,2} ?137\b|` +
		`\bexit_?code["']?[ :=]{1,4}["']?137\b|(?:退出码|код(?:ом)? (?:выхода|возврата)) ?[:=]? ?137\b`)
	reWhy = regex.New(`(?i)^\s*["']?reason["']?: {1,16}["']?(\w{1,64})["']?,?\s*$`)
)

// stated gathers it.
type stated struct {
	ram, swap, limit []unit.Bytes
	Stated
	limits int // number of the line that begins the limits of a container; 0: none
	exit   int // number of the line with the exit code; 0: none
	why    string
	whyAt  int
}

// states looks at a line of a text that is not long for such words.
func (p *Reader) states(b []byte) {
	const prefix = 120
	if p.log.Lines > statedLines || len(b) > statedLong || b[0] == '[' && len(b) > 1 && b[1] != ' ' ||
		bytes.Contains(b[:min(len(b), prefix)], []byte("kernel: ")) {
		return // most lines of a log are the kernel's
	}
	t := &p.stated
	has := func(words ...string) bool {
		for _, w := range words {
			if bytes.Contains(b, []byte(w)) {
				return true
			}
		}
		return false
	}
	if has("137") {
		p.exit137(b)
	}
	if has("eason") {
		if m := reWhy.FindSubmatch(b); m != nil {
			t.why, t.whyAt = string(m[1]), p.log.Lines
			p.exitWhy()
		}
	}
	if has("total_vm", "total-vm", "gfp_mask", "kB ", "kB, limit") {
		return // the kernel's
	}
	switch {
	case has("RAM", "ram", "emory", "achine", "erver", "ost", "VM", "swap", "VPS", "box", "speicher"):
		t.sizes(string(b))
	}
	if has("imit", "capped", "cap of", "MemoryMax", "--memory") {
		t.limitIn(string(b), p.log.Lines)
	}
	if p.lately(t.limits, limitsLong) {
		if m := reLimit.FindSubmatch(b); m != nil && len(b) < 64 {
			if s := scaled(string(m[1]), string(m[2][:1])); s != nil {
				t.limit = append(t.limit, *s)
			}
			t.limits = 0 // what the container requests is no limit
		}
	}
	if has("kill", "Kill", "KILL", "oom", "OOM") {
		t.Kills = max(t.Kills, counted(reKillsSaid.FindSubmatch(b)))
	}
	if has("estart", "OOMKilled") {
		t.Restarts = max(t.Restarts, counted(reRestartsSaid.FindSubmatch(b)))
	}
	if has("uccessfully assigned") {
		if m := reAssigned.FindSubmatch(b); m != nil {
			t.Namespace, t.Pod, t.Node = string(m[1]), strings.TrimRight(string(m[2]), ".-"), string(m[3])
		}
	}
	if t.Pod == "" && has("pod") {
		if m := rePodNamed.FindSubmatch(b); m != nil {
			t.Pod = string(m[1])
		}
	}
	if has("Name", "Node:") {
		if m := rePodField.FindSubmatch(bytes.TrimRight(b, " \t\r\n")); m != nil {
			for key, at := range map[string]*string{"Name": &t.Pod, "Namespace": &t.Namespace, "Node": &t.Node} {
				if key == string(m[1]) && *at == "" {
					*at = string(m[2])
				}
			}
		}
	}
}

// counted is the number that one of the groups has; 0: none.
func counted(m [][]byte) int {
	for i := 1; i < len(m); i++ {
		if n, err := strconv.Atoi(string(m[i])); err == nil {
			return n
		}
	}
	return 0
}

// amount is a size as people write it.
func amount(number, letter string) (unit.Bytes, bool) {
	b := scaled(strings.Replace(number, ",", ".", 1), strings.ToUpper(letter[:1]))
	if b == nil || *b <= 0 {
		return 0, false
	}
	return *b, true
}

// sizes takes what a line states of the memory of a host.
func (t *stated) sizes(s string) {
	const few = 32 // of a line
	for _, re := range []*regex.Regex{reRAM, reRAMOf, reRAMLabel} {
		for _, m := range re.FindAllStringSubmatchIndex(s, few) {
			for i := 2; i+3 < len(m); i += 4 {
				if m[i] < 0 || re == reRAMLabel && s[m[i+3]-1] == 'i' || // of a container: 4Gi
					reNotAll.MatchString(s[:m[i]]) || reNotAllAfter.MatchString(s[m[1]:]) {
					continue
				}
				if b, ok := amount(s[m[i]:m[i+1]], s[m[i+2]:m[i+3]]); ok && b >= 64*unit.MB {
					t.ram = append(t.ram, b)
				}
			}
		}
	}
	for _, m := range reSwapSaid.FindAllStringSubmatchIndex(s, few) {
		if reNotAll.MatchString(s[:m[2]]) || reNotAllAfter.MatchString(s[m[1]:]) {
			continue
		}
		if b, ok := amount(s[m[2]:m[3]], s[m[4]:m[5]]); ok {
			t.swap = append(t.swap, b)
		}
	}
}

// limitIn takes what a line says of the limit of a container.
func (t *stated) limitIn(s string, line int) {
	if strings.EqualFold(strings.Trim(s, " \t\r\n-"), "limits:") {
		t.limits = line
		return
	}
	if reWanted.MatchString(s) {
		return
	}
	for _, m := range reLimitSaid.FindAllStringSubmatch(s, 8) {
		if b, ok := amount(m[1], m[2]); ok && b >= 4*unit.MB { // the least that Docker allows is 6 MB
			t.limit = append(t.limit, b)
		}
	}
}

// exit137 notes that something ended with that code.
func (p *Reader) exit137(b []byte) {
	if !reExit137.Match(b) && !reExitCode.Match(b) {
		return
	}
	t := &p.stated
	if t.exit = p.log.Lines; t.Exit == nil {
		t.Exit = &Exit{At: none}
	}
	p.exitWhy()
}

// exitFields is how far the fields of one state of a container are apart.
const exitFields = 4

// exitWhy gives an exit the reason in a line near it.
func (p *Reader) exitWhy() {
	if t := &p.stated; t.Exit != nil && t.exit > 0 && t.whyAt > 0 && t.exit-t.whyAt <= exitFields &&
		t.whyAt-t.exit <= exitFields {
		t.Exit.Reason = t.why
	}
}

// exitAt gives it the time in a line near it.
func (p *Reader) exitAt(at Stamp) {
	if t := &p.stated; t.Exit != nil && p.lately(t.exit, endedBehind) {
		t.Exit.At = at
	}
}

// sum is what was said once, or always the same.
func (t *stated) sum() Stated {
	one := func(list []unit.Bytes) *unit.Bytes {
		for _, b := range list {
			if b != list[0] {
				return nil
			}
		}
		if len(list) == 0 {
			return nil
		}
		return &list[0]
	}
	t.RAM, t.Swap, t.Limit = one(t.ram), one(t.swap), one(t.limit)
	return t.Stated
}

var (
	// «Warning  OOMKilling  49m (x3 over 2h)  kernel-monitor, node-7  Memory cgroup …», as kubectl describe has it
	reEventRow = regex.New(`\bWarning\s+(?:OOMKilling|SystemOOM|CgroupOOM)\s+(\d\S{0,15})` +
		`(?: \(x\d{1,9} over \S{1,16}\))?\s+([a-z][\w-]{1,62})(?:, ([\w.-]{1,253}))?\s*$`)
	// «49m  Warning  OOMKilling  node/node-7  Memory cgroup …», as kubectl get events has it
	reEventList = regex.New(`(?:^|\s)(\d\S{0,15})\s+Warning\s+(?:OOMKilling|SystemOOM|CgroupOOM)\s+` +
		`node/([\w.-]{1,253})\s*$`)
)

// inEvent notes what an event says before the words of the kernel.
func (p *Reader) inEvent(whole string) {
	for _, words := range []string{"Memory cgroup out of memory", "Out of memory", "Killed process", "System OOM"} {
		i := strings.Index(whole, words)
		if i <= 0 {
			continue
		}
		before := strings.TrimRight(whole[:i], " \t")
		if m := reEventRow.FindStringSubmatch(before); m != nil {
			p.event, p.eventAt = Event{Age: m[1], Reporter: m[2], Node: m[3]}, p.log.Lines
		} else if m = reEventList.FindStringSubmatch(before); m != nil {
			p.event, p.eventAt = Event{Age: m[1], Node: m[2]}, p.log.Lines
		}
		return
	}
}

// ofEvent gives a report the event that its line is in.
func (p *Reader) ofEvent(r *Report) {
	if p.lately(p.eventAt, 1) { // the choice and the kill are two lines
		e := p.event
		r.Event = &e
	}
}

// reKubelet is what the kubelet logs of a kill that it found in the kernel's log: «Created an OOM event in container
// "/kubepods/…" at …».
var reKubelet = regex.New(`\bCreated an OOM event in contain(?:er? ?(?:"?(/[^\s"]{1,512})"?)?)`)

// kubelet reads that.
func (p *Reader) kubelet(l line) bool {
	if !strings.Contains(l.text, "an OOM event in contain") {
		return false
	}
	m := reKubelet.FindStringSubmatch(l.text)
	if m == nil {
		return false
	}
	p.add(Other{At: l.at, Kind: KubeletSaw, Name: m[1], Text: l.text})
	return true
}

// reDenied is what says of a kill that there was none.
var reDenied = regex.New(`(?i)\b(?:no|not|never|neither|nor|without|wasn't|isn't|didn't|hasn't|cannot|can't|` +
	`doesn't|ohne|kein\w*|nicht|pas|aucun\w*|jamais|no hay|sin)\b|没有|未|не `)

// denied says whether a line that mentions a kill says that there was none.
func denied(text string) bool {
	const near = 64
	at := reMention.FindStringIndex(text)
	if at == nil {
		return false
	}
	return reDenied.MatchString(strings.ToValidUTF8(text[max(0, at[0]-near):min(len(text), at[1]+near)], ""))
}
