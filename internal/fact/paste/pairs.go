package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Parameters as pairs of a name and a value: in the lists of playbooks, the answers of the
// command lines of clouds, and Terraform.
var (
	rePairInline = regex.New(`^- \{ ?["']?(?:option|name|parameter|key)["']?: ?["']?([a-zA-Z_][\w.]{1,8` +
		`0})["']?, ?["']?value["']?: ?` +
		`("[^"]{0,200}"|'[^']{0,200}'|[^}"']{1,200}?) ?\}(?:\s*#.*)?$`)
	rePairName = regex.New(`^(?:- )?["']?(?:name|option|key|ParameterName|parameter_name)["']?\s*[:=]\s*["']?` +
		`([a-zA-Z_][\w.]{1,80})["']?,?$`)
	rePairValue = regex.New(`^["']?(?:value|ParameterValue|parameter_value)["']?\s*[:=]\s*("[^"]{0,200}"|'[^']{` +
		`0,200}'|` +
		`[^\s"',][^"',]{0,200}?),?$`)
	rePairOther = regex.New(`^(?:- )?(?:["']?\w{1,40}["']?\s*[:=]\s*\S.*|[\[\]{},]+|(?:parameter|database_flags` +
		`|"\w+")\s*:?\s*[\[{])$`)
)

// pairNear is how many lines stand between a name and its value at most.
const pairNear = 4

// readPairs reads such a list, of parameters of the server or of the kernel.
func readPairs(w *window) (f found) {
	name, at := "", 0
	f.body = []string{}
	kernel := false
	for i := 0; i < len(w.lines) && w.lines[i].is == content; i++ {
		t := w.t(i)
		if i-f.n > 2*pairNear {
			break
		}
		if m := rePairInline.FindStringSubmatch(t); m != nil {
			if (len(f.facts) > 0 || i > 0) && reDotted.MatchString(m[1]) != kernel {
				break
			}
			kernel = reDotted.MatchString(m[1])
			f.pair(m[1], m[2], kernel)
			f.n = i + 1
			continue
		}
		if m := rePairName.FindStringSubmatch(t); m != nil && (isParam(m[1]) || f.n > 0) {
			name, at = m[1], i
			continue
		}
		if m := rePairValue.FindStringSubmatch(t); m != nil && name != "" && i-at <= pairNear {
			f.pair(name, m[1], false)
			name, f.n = "", i+1
			continue
		}
		if name == "" && f.n == 0 && i >= pairNear || !rePairOther.MatchString(t) {
			break
		}
		if name == "" && f.n > 0 && i-f.n > pairNear {
			break
		}
	}
	if f.n == 0 || len(f.facts) == 0 {
		return found{}
	}
	for f.n < len(w.lines) && strings.Trim(w.t(f.n), "[]{}, ") == "" && w.lines[f.n].is == content {
		f.n++
	}
	f.sure, f.kind = Likely, PostgresConf
	f.notes = append(f.notes, "these are the parameters in the configuration of a cluster manager or operator")
	if kernel {
		f.kind, f.notes = SysctlConf, nil
	}
	return f
}

// pair adds a parameter; a value that is computed elsewhere is none.
func (f *found) pair(name, value string, kernel bool) {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	switch {
	case strings.ContainsAny(value, "{}$"):
	case kernel:
		f.add(word("sysctl", name, value))
		f.body = append(f.body, name+" = "+value)
	case isParam(name) && plausible(name, value):
		f.add(settingOf(name, value, "", false))
		f.body = append(f.body, name+" = '"+strings.ReplaceAll(value, "'", "''")+"'")
	}
}

// What people write of a host in the fields of a form.
var (
	reFieldVersion = regex.New(
		`(?i)^[*_]{0,2}(?:postgres(?:ql)?|pg|database|db|server)(?: server| database)?(?: version)?[*_]{0,` +
			`2}\s?:[*_]{0,2}\s?` +
			`(?:postgres(?:ql)? )?v?(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?:[\s,;(].*)?$`)
	reFieldKernel = regex.New(
		`(?i)^[*_]{0,2}(?:linux )?kernel(?: version| release)?[*_]{0,2}(?:\s?:[*_]{0,2}\s?(?:linux )?` +
			`(\d+\.\d+\.\d+[\w.+~-]*)|\s(\d+\.\d+\.\d+-\d[\w.+~-]*))$`)
	reFieldOS = regex.New(
		`(?i)^[*_]{0,2}(?:os|operating system|distro|distribution|linux distribution)(?: version| \([^)]{1,4` +
			`0}\))?[*_]{0,2}\s?:` +
			`[*_]{0,2}\s?((?:ubuntu|debian|centos|red hat|rhel|rocky|alma|oracle linux|suse|sles|opensuse|fedora` +
			`|amazon linux|` +
			`alpine|arch|astra|alt|red os)\b[\w ./()+-]{0,80}?)[.,]?$`)
	reFieldRAM = regex.New(
		`(?i)^[*_]{0,2}(?:(?:(?:total|server|system|physical|installed) )*(?:ram|memory)(?: (?:on|of) ` +
			`(?:the )?(?:server|host|machine|vm|db))?|(?:total )?memory \(ram\)|ram size|mem)[*_]{0,2}\s?[:=]` +
			`[*_]{0,2}\s?(\d{1,5}) ?(gb|gib|g)(?: (?:ram|ddr\d?|ecc|of ram|memory))?\.?$`)
	reFieldSized = regex.New(`(?i)^[*_]{0,2}(?:ram|mem|memory)\s?\((?:gib|gb)\)[*_]{0,2}\s?[:=]\s?(\d{1,5})$`)
	reFieldModel = regex.New(`(?i)^[*_]{0,2}(?:cpus?|processors?|cpu model|model name|cpu型号为?|процессор|` +
		`processeur|prozessor)[*_]{0,2}\s?[:：]?[*_]{0,2}\s?((?:intel|amd|ampere|apple|aws graviton|xeon|epyc|ryzen|` +
		`core i\d)\b[\w ()@.+-]{3,80})$`)
	reFieldCPU = regex.New(
		`(?i)^[*_]{0,2}(?:cpus?|vcpus?|cores?|processors?)(?: num| count)?[*_]{0,2}\s?[:=][*_]{0,2}\s?(\d{1,4})` +
			`(?: ?(v?cpus?|v?cores?|threads?))?\.?$`)
	// an item of a list
	reBareRAM   = regex.New(`(?i)^(\d{1,5}) ?(gb|gib|go|гб)(?: of)? (?:ram|memory|ddr\d|de ram|озу)\.?$`)
	reBareModel = regex.New(`^(Intel\(R\) (?:Xeon|Core|Atom|Pentium|Celeron)\(\w+\) [\w ()@.+-]{2,60}|` +
		`AMD (?:EPYC|Ryzen)(?:\(TM\))? \w[\w ()@.+-]{2,60})$`)
	reBareCPU = regex.New(`(?i)^(\d{1,4}) ?(v?cpus?|vcores?|cores?|threads|ядер)\.?$`)
	// of a program that draws the sign of the distribution
	reFetchMemory = regex.New(`^Memory: (\d+(?:\.\d+)? ?[MG]iB) / (\d+(?:\.\d+)? ?[MG]iB)(?: \(\d+%\))?$`)
	reFetchCPU    = regex.New(`^CPU: (\S.{2,60}?) \((\d{1,4})\)(?: @ \S+)?$`)
	reWelcome     = regex.New(`^Welcome to (\S.{2,80}?) \(GNU/Linux (\S+) \S+\)$`)
)

func readFields(w *window) (f found) {
	if f = fieldOf(w); f.n > 0 && wished(w) {
		return found{}
	}
	return f
}

func fieldOf(w *window) (f found) {
	t, _ := itemOf(w.t(0))
	t = plainWords.Replace(t)
	if m := reWelcome.FindStringSubmatch(t); m != nil {
		f.n, f.kind = 1, OSRelease
		f.add(word("os.name", "", m[1]), word("kernel.release", "", m[2]))
		f.body = []string{m[1]}
		return f
	}
	if x := stated(t); len(x) > 0 {
		return found{n: 1, kind: Stated, sure: Likely, facts: x}
	}
	switch m := reFieldVersion.FindStringSubmatch(t); {
	case m != nil:
		f.n, f.kind = 1, Version
		f.add(word("server.version", "", m[1]))
	case reFieldKernel.MatchString(t):
		f.n, f.kind = 1, Uname
		m = reFieldKernel.FindStringSubmatch(t)
		f.add(word("kernel.release", "", m[1]+m[2]))
	case reSaid.MatchString(t):
		m = reSaid.FindStringSubmatch(t)
		p := paramsByName()[m[1]]
		if _, sized := unit.MemoryUnit(p.Unit); !sized {
			return
		}
		f.n, f.kind = 1, PostgresConf
		f.add(setting(m[1], m[2]+saidUnits[m[3][0]|0x20], ""))
		f.body = []string{m[1] + " = " + m[2] + saidUnits[m[3][0]|0x20]}
	default:
		name, n := osField(w, t)
		if n == 0 {
			return
		}
		f.n, f.kind = n, OSRelease
		f.add(word("os.name", "", name))
		f.body = []string{name}
	}
	f.sure = Likely
	return f
}

// plainWords takes off how words within a line are set apart.
var plainWords = strings.NewReplacer("**", "", "__", "", "`", "")

// reSaid is the size of a parameter as people say it: a letter is enough.
var (
	reSaid    = regex.New(`^([a-z]+(?:_[a-z]+)+)\s?:\s?(\d{1,6}) ?([kKmMgGtT])i?[bB]?[.,;]?$`)
	saidUnits = map[byte]string{'k': "kB", 'm': "MB", 'g': "GB", 't': "TB"}
)

// stated reads what a person says of memory and CPUs, in round numbers: it is no measure, and has names of its own.
// What a program counted is as good as what free says.
func stated(t string) []Fact {
	if m := reFetchMemory.FindStringSubmatch(t); m != nil {
		used, ok1 := sized(m[1])
		total, ok2 := sized(m[2])
		if ok1 && ok2 {
			return []Fact{used.fact("memory.used", ""), total.fact("memory.total", "")}
		}
	}
	if m := reFetchCPU.FindStringSubmatch(t); m != nil {
		n, _ := whole(m[2])
		return []Fact{count("cpu.logical", "", n), word("cpu.model", "", m[1])}
	}
	for _, re := range []*regex.Regex{reFieldModel, reBareModel} {
		if m := re.FindStringSubmatch(t); m != nil {
			return []Fact{word("cpu.model", "", strings.TrimRight(m[1], " .,;"))}
		}
	}
	if x := machine(t); x != nil {
		return x
	}
	m := reFieldRAM.FindStringSubmatch(t)
	for _, re := range []*regex.Regex{reBareRAM, reFieldSized} {
		if m == nil {
			m = re.FindStringSubmatch(t)
		}
	}
	if m != nil {
		if n, ok := whole(m[1]); ok && n > 0 {
			return []Fact{amount{n * gb, gb}.fact("stated.memory", "")}
		}
	}
	if m = reFieldCPU.FindStringSubmatch(t); m == nil {
		m = reBareCPU.FindStringSubmatch(t)
	}
	if m != nil {
		if n, ok := whole(m[1]); ok && n > 0 {
			return []Fact{count(map[bool]string{true: "stated.cores", false: "stated.cpus"}[strings.HasPrefix(
				strings.ToLower(m[2]), "core")], "", n)}
		}
	}
	return nil
}
