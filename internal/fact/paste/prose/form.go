package prose

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
)

// The forms that a tracker asks to be filled in: a question is a heading, and its answer stands below it.
var (
	reAskedHead = regex.New(`^(?:#{1,6} +|\*\*|__)(\S.{1,80}?)\s?[:?]?(?:\*\*|__)?[:?]?$`)
	// of the server alone: operators and extensions have versions of their own
	reAskedVersion = regex.New(`(?i)^(?:(?:what|which) )?(?:version of )?(?:the )?(?:postgres(?:ql)?|pg)` +
		`(?: (?:server|database|db))?(?: versions?)?(?: number)?` +
		`(?: (?:used|in use|affected|(?:are you|do you|did you) (?:using|use|run|running)))?$`)
	reAskedOS = regex.New(`(?i)^(?:(?:what|which) )?` +
		`(?:operating system|os|host os|server os|platform|(?:linux )?distro|(?:linux )?distribution)` +
		`(?: (?:version|and version|\(and version\)|name))?` +
		`(?: (?:of|on) (?:the |your )?(?:(?:container|docker|database|db|host|server|machine|node)(?: image)?|` +
		`image))?` +
		`(?: (?:used|in use|(?:are you|do you|did you) (?:using|use|run|running)))?$`)
	reAnswerVersion = regex.New(`(?i)^(?:postgres(?:ql)? |pg ?|v)?` +
		`(\d{1,2}(?:\.\d{1,2}){1,2}|1[0-9])(?:[\s,;(].{0,80})?$`)
)

// ReadAsked reads a question of such a form and its answer.
func ReadAsked(w *part.Window) (f part.Found) {
	m := reAskedHead.FindStringSubmatch(w.Text(0))
	if m == nil {
		return
	}
	at := 1
	for at < len(w.Lines) && at < 3 && w.Lines[at].Is == part.Blank {
		at++
	}
	if at >= len(w.Lines) || w.Lines[at].Is != part.Content {
		return
	}
	t := strings.Trim(w.Text(at), "`* ")
	switch {
	case reAskedVersion.MatchString(m[1]) && strings.Contains(strings.ToLower(m[1]), "version"):
		v := reAnswerVersion.FindStringSubmatch(t)
		if v == nil {
			return
		}
		f.Kind = part.Version
		name := "server.major"
		if strings.Contains(v[1], ".") {
			name = "server.version"
		}
		f.Add(part.Word(name, "", v[1]))
	case reAskedOS.MatchString(m[1]):
		os := reFieldOS.FindStringSubmatch("OS: " + t)
		if os == nil {
			return
		}
		f.Kind = part.OSRelease
		f.Add(part.Word("os.name", "", os[1]))
		f.Body = []string{os[1]}
	default:
		return
	}
	f.N, f.Sure = at+1, part.Likely
	return f
}

// A machine in words: how many CPUs and how much RAM it has, in one breath. Two machines in a line are none, nor is one
// that is asked for.
var (
	reSpecs = regex.New(`(?i)(?:^|[\s(,;:+-])(?:(\d{1,4})[ -]?(v?cpus?|v?cores?|threads)` +
		`\s?(?:,|/|\+|&|and|with|et|und|и)?\s?` +
		`(\d{1,5}) ?(gb|gib|go|гб)(?:(?: of)? (?:ram|memory|ddr\d)|,|;|\)|$)|(\d{1,3})[cс](\d{1,4})g(?:[\s,;).]|$))`)
	reSpecsBack = regex.New(`(?i)(?:^|[\s(,;:+-])(\d{1,5}) ?(?:gb|gib|go|гб)(?: of)?(?: (?:ram|memory|ddr\d))?\s?` +
		`(?:,|/|\+|&|and|with|et|und|и)?\s?(\d{1,4})[ -]?(v?cpus?|v?cores?|threads)(?:[\s,;).]|$)`)
	reWanted = regex.New(`(?i)\b(?:minimum|at least|recommend\w*|require\w*|upgrad\w*|up to|instead|needs?|should|if|` +
		`e\.g|example|limits?|requests?|per|each|from|vs)\b`)
	reSpecsOS = regex.New(`(?i)\b((?:rhel|red hat enterprise linux|ubuntu(?: server)?|debian|` +
		`centos(?: linux| stream)?|rocky linux|almalinux|oracle linux|amazon linux|fedora|sles|opensuse leap|` +
		`alpine(?: linux)?|astra linux) v?\d[\w.]{0,10})(?:[\s,;).]|$)`)
	reSpecsPG = regex.New(`(?i)\b(?:postgres(?:ql)?|pg)(?: version)? ?v?((?:9\.\d|1\d)\.\d{1,2})(?:[\s,;).]|$)`)
)

// machine reads it.
func machine(t string) []part.Fact {
	if len(t) > 400 || !strings.ContainsAny(t, "0123456789") || !strings.ContainsAny(t, "gGгГ") ||
		reWanted.MatchString(t) {
		return nil
	}
	cpus, kind, ram := "", "", ""
	a, b := reSpecs.FindAllStringSubmatch(t, 2), reSpecsBack.FindAllStringSubmatch(t, 2)
	switch {
	case len(a) == 1 && a[0][1] != "":
		cpus, kind, ram = a[0][1], a[0][2], a[0][3]
	case len(a) == 1:
		cpus, ram = a[0][5], a[0][6]
	case len(a) == 0 && len(b) == 1:
		cpus, kind, ram = b[0][2], b[0][3], b[0][1]
	default:
		return nil
	}
	n, ok1 := amount.Whole(cpus)
	size, ok2 := amount.Whole(ram)
	if !ok1 || !ok2 || n < 1 || size < 1 {
		return nil
	}
	name := "stated.cpus"
	if strings.HasPrefix(strings.ToLower(kind), "core") {
		name = "stated.cores"
	}
	out := []part.Fact{part.Count(name, "", n),
		amount.Amount{Bytes: size * amount.GB, Step: amount.GB}.Fact("stated.memory", "")}
	if m := reSpecsOS.FindAllStringSubmatch(t, 2); len(m) == 1 {
		out = append(out, part.Word("os.name", "", strings.TrimRight(m[0][1], ".")))
	}
	if m := reSpecsPG.FindAllStringSubmatch(t, 2); len(m) == 1 {
		out = append(out, part.Word("server.version", "", m[0][1]))
	}
	return out
}

// reMarkedSetting is a parameter whose name is set apart, as a list of a page has it: **work_mem**: 4MB.
var reMarkedSetting = regex.New("^(?:[-*•] +|\\d{1,2}[.)] +)?(?:\\*\\*|__|`|\\*\\*`)([a-z][a-z_]{3,62})" +
	"(?:(?:\\*\\*|__|`|`\\*\\*)\\s?[:=]|" +
	"[:=](?:\\*\\*|__|`|`\\*\\*))\\s*[`'\"]?([\\w.-]{1,40}(?: ?[kMGT]?B)?)[`'\"]?[.,;]?$")

// ReadMarkedSettings reads parameters whose names are set apart, as a list of a page has them.
func ReadMarkedSettings(w *part.Window) (f part.Found) {
	f.Body = []string{}
	for i := range w.Lines {
		if w.Lines[i].Is == part.Blank {
			continue
		}
		if i < f.N { // of the list below a name
			continue
		}
		m := reMarkedSetting.FindStringSubmatch(w.Text(i))
		last := i
		if m == nil {
			m, last = nested(w, i)
		}
		if m == nil || w.Lines[i].Is != part.Content || !setting.Known(m[1]) {
			break
		}
		v := strings.ReplaceAll(m[2], " ", "")
		if !setting.Plausible(m[1], v) {
			break
		}
		f.Add(setting.Row(m[1], v, "", false))
		f.Body = append(f.Body, m[1]+" = '"+v+"'")
		f.N = last + 1
	}
	f.Sure = part.Likely
	return f
}

var (
	// reMarkedName is a name that is set apart and has a list below it, of what is advised, what is the default, and
	// what
	// is set.
	reMarkedName = regex.New("^(?:[-*•] +|\\d{1,2}[.)] +)?(?:\\*\\*|__|`|\\*\\*`)([a-z][a-z_]{3,62})" +
		"(?:(?:\\*\\*|__|`|`\\*\\*)\\s?:?|:(?:\\*\\*|__|`|`\\*\\*))$")
	reOwnValue = regex.New(`(?i)^[-*•] +[*_]{0,2}(?:ours?|mine|current(?: value| setting)?|now|actual(?: value)?|` +
		`(?:is )?set to|value|we (?:use|have|set)|i (?:use|have|set)|in use|наше|текущее|сейчас|actuel|aktuell)` +
		`[*_]{0,2}\s?[:=][*_]{0,2}\s*(\S.*)$`)
	rePlainValue = regex.New("^[`'\"]?([\\w.-]{1,40}(?: ?[kMGT]?B)?)[`'\"]?[.,;]?$")
	// reLastValue is a value that is set apart at the end of a sentence.
	reLastValue = regex.New("[`]([\\w.-]{1,40}(?: ?[kMGT]?B)?)[`][.,;]?$")
)

// nested reads the value of a name from the list below it, and returns the last line of that list; nil: there is none.
func nested(w *part.Window, i int) (m []string, last int) {
	const most = 12 // lines of such a list
	name := reMarkedName.FindStringSubmatch(w.Text(i))
	if name == nil {
		return nil, i
	}
	indent := func(l part.Line) int { return len(l.Indented) - len(l.Text) }
	value := ""
	for last = i; last+1 < len(w.Lines) && last-i < most; last++ {
		l := w.Lines[last+1]
		if l.Is != part.Content || indent(l) <= indent(w.Lines[i]) {
			break
		}
		own := reOwnValue.FindStringSubmatch(l.Text)
		if own == nil {
			continue
		}
		v := rePlainValue.FindStringSubmatch(own[1])
		if v == nil {
			v = reLastValue.FindStringSubmatch(own[1])
		}
		if v == nil || value != "" { // two of them tell nothing
			return nil, i
		}
		value = v[1]
	}
	if value == "" {
		return nil, i
	}
	return []string{"", name[1], value}, last
}

var (
	kernelHeads = []string{"parameter", "kernel parameter", "sysctl", "name", "key", "setting", "option"}
	kernelTells = []string{"value", "current", "current value", "setting"}
)

// ReadSysctlTable reads kernel parameters in a table of Markdown.
func ReadSysctlTable(w *part.Window) (f part.Found) {
	if !strings.HasPrefix(w.Text(0), "|") || !part.TableRule.MatchString(w.Text(1)) {
		return
	}
	head := table.Cells(strings.ToLower(w.Text(0)), true)
	if len(head) < 2 || !slices.Contains(kernelHeads, head[0]) || !slices.Contains(kernelTells, head[1]) {
		return
	}
	for i := 2; i < len(w.Lines) && w.Lines[i].Is == part.Content; i++ {
		c := table.Cells(w.Text(i), true)
		if len(c) < 2 || !part.KernelParam.MatchString(c[0]) || strings.ContainsAny(c[0], "*") {
			break
		}
		f.N = i + 1
		if c[1] == "" || strings.ContainsAny(c[1], "|`<>→{}$") {
			continue
		}
		v := strings.Join(strings.Fields(c[1]), " ")
		f.Add(part.Word("sysctl", c[0], v))
		f.Body = append(f.Body, c[0]+" = "+v)
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.Sure = part.Likely
	return f
}
