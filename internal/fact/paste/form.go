package paste

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
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

// readAsked reads a question of such a form and its answer.
func readAsked(w *window) (f found) {
	m := reAskedHead.FindStringSubmatch(w.t(0))
	if m == nil {
		return
	}
	at := 1
	for at < len(w.lines) && at < 3 && w.lines[at].is == blank {
		at++
	}
	if at >= len(w.lines) || w.lines[at].is != content {
		return
	}
	t := strings.Trim(w.t(at), "`* ")
	switch {
	case reAskedVersion.MatchString(m[1]) && strings.Contains(strings.ToLower(m[1]), "version"):
		v := reAnswerVersion.FindStringSubmatch(t)
		if v == nil {
			return
		}
		f.kind = Version
		name := "server.major"
		if strings.Contains(v[1], ".") {
			name = "server.version"
		}
		f.add(word(name, "", v[1]))
	case reAskedOS.MatchString(m[1]):
		os := reFieldOS.FindStringSubmatch("OS: " + t)
		if os == nil {
			return
		}
		f.kind = OSRelease
		f.add(word("os.name", "", os[1]))
		f.body = []string{os[1]}
	default:
		return
	}
	f.n, f.sure = at+1, Likely
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
	reSpecsPG = regex.New(`(?i)\b(?:postgres(?:ql)?|pg)(?: version)? ?v?((?:9\.\d|1\d)\.\d{1,2})(?:[\s,;).]|$)`)
)

// machine reads it.
func machine(t string) []Fact {
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
	n, ok1 := whole(cpus)
	size, ok2 := whole(ram)
	if !ok1 || !ok2 || n < 1 || size < 1 {
		return nil
	}
	name := "stated.cpus"
	if strings.HasPrefix(strings.ToLower(kind), "core") {
		name = "stated.cores"
	}
	out := []Fact{count(name, "", n), amount{size * gb, gb}.fact("stated.memory", "")}
	if m := reSpecsPG.FindAllStringSubmatch(t, 2); len(m) == 1 {
		out = append(out, word("server.version", "", m[0][1]))
	}
	return out
}

// reMarkedSetting is a parameter whose name is set apart, as a list of a page has it: **work_mem**: 4MB.
var reMarkedSetting = regex.New("^(?:[-*•] +|\\d{1,2}[.)] +)?(?:\\*\\*|__|`|\\*\\*`)([a-z][a-z_]{3,62})" +
	"(?:(?:\\*\\*|__|`|`\\*\\*)\\s?[:=]|" +
	"[:=](?:\\*\\*|__|`|`\\*\\*))\\s*[`'\"]?([\\w.-]{1,40}(?: ?[kMGT]?B)?)[`'\"]?[.,;]?$")

func readMarkedSettings(w *window) (f found) {
	f.body = []string{}
	for i := range w.lines {
		if w.lines[i].is == blank {
			continue
		}
		m := reMarkedSetting.FindStringSubmatch(w.t(i))
		if m == nil || w.lines[i].is != content || !isParam(m[1]) {
			break
		}
		v := strings.ReplaceAll(m[2], " ", "")
		if !plausible(m[1], v) {
			break
		}
		f.add(settingOf(m[1], v, "", false))
		f.body = append(f.body, m[1]+" = '"+v+"'")
		f.n = i + 1
	}
	f.sure = Likely
	return f
}

var (
	kernelHeads = []string{"parameter", "kernel parameter", "sysctl", "name", "key", "setting", "option"}
	kernelTells = []string{"value", "current", "current value", "setting"}
)

// readSysctlTable reads kernel parameters in a table of Markdown.
func readSysctlTable(w *window) (f found) {
	if !strings.HasPrefix(w.t(0), "|") || !reTableRule.MatchString(w.t(1)) {
		return
	}
	head := cells(strings.ToLower(w.t(0)), true)
	if len(head) < 2 || !slices.Contains(kernelHeads, head[0]) || !slices.Contains(kernelTells, head[1]) {
		return
	}
	for i := 2; i < len(w.lines) && w.lines[i].is == content; i++ {
		c := cells(w.t(i), true)
		if len(c) < 2 || !reDotted.MatchString(c[0]) || strings.ContainsAny(c[0], "*") {
			break
		}
		f.n = i + 1
		if c[1] == "" || strings.ContainsAny(c[1], "|`<>→{}$") {
			continue
		}
		v := strings.Join(strings.Fields(c[1]), " ")
		f.add(word("sysctl", c[0], v))
		f.body = append(f.body, c[0]+" = "+v)
	}
	if len(f.facts) == 0 {
		return found{}
	}
	f.sure = Likely
	return f
}
