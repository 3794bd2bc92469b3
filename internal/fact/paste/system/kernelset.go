package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
)

// Kernel parameters that a command sets: what a person typed, or what a script or an answer has. Whether it ran is not
// known, so they are no state of the host.
var (
	reSysctlSet = regex.New(`\bsysctl(?:["',]*\s*["']?-{1,2}[a-zA-Z-]{1,20})*["',]*\s+["']?` +
		`((?:vm|kernel|fs|net|dev)\.[\w.-]{1,100}\s?=.*)$`)
	reSysctlPair = regex.New(`^["']?((?:vm|kernel|fs|net|dev)\.[\w.-]{1,100})\s?=\s?("[^"]{1,100}"|'[^']{1,100}'|` +
		"[^\\s\"'`&;|)\\],]{1,100})[\"']?")
	reEchoed = regex.New(`\becho\s+(?:-[en]+\s+)?["']?([\w.-]{1,64})["']?\s*(?:>{1,2}|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)` +
		`\s*["']?/(proc/sys/[\w./-]{1,100}|sys/kernel/mm/(?:transparent_hugepage|redhat_transparent_hugepage)/` +
		`(?:enabled|defrag))\b`)
	reAppended = regex.New(`\becho\s+(?:-e\s+)?("[^"]{1,200}"|'[^']{1,200}'|[\w.]{1,80}\s?=\s?\w{1,40})\s*` +
		`(?:>{1,2}|\|\s*(?:sudo\s+)?tee(?:\s+-a)?)\s*["']?(/etc/[\w./-]*(?:sysctl|limits)[\w./-]*)`)
	reSetValue = regex.New(`^-?[\w./|%-]{1,64}(?:\s+-?[\w./-]{1,64}){0,8}$`)
)

// Sets reads the kernel parameters that a command or a line of a script sets.
func Sets(t string) (f part.Found) {
	if len(t) > prompt.MaxCommand || !strings.ContainsAny(t, "=>") && !strings.Contains(t, "tee") {
		return
	}
	switch {
	case strings.Contains(t, "echo"):
		echoed(&f, t)
	case strings.Contains(t, "sysctl"):
		if m := reSysctlSet.FindStringSubmatch(t); m != nil {
			sysctlPairs(&f, m[1])
		}
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.N, f.Sure = 1, part.Likely
	if f.Kind == "" {
		f.Kind, f.Notes = part.SysctlSet, []string{prompt.NotSeen}
	}
	return f
}

// sysctlPairs adds the pairs that stand at the beginning of a text.
func sysctlPairs(f *part.Found, t string) {
	for range prompt.MostCommands {
		m := reSysctlPair.FindStringSubmatch(t)
		if m == nil {
			return
		}
		v := strings.Join(strings.Fields(strings.Trim(m[2], `"'`)), " ")
		if reSetValue.MatchString(v) {
			f.Add(part.Word("sysctl", m[1], v))
		}
		t = strings.TrimLeft(t[len(m[0]):], " \t,")
	}
}

// echoed adds what is written into a file of the kernel, or of its settings.
func echoed(f *part.Found, t string) {
	if m := reEchoed.FindStringSubmatch(t); m != nil {
		if name, ok := strings.CutPrefix(m[2], "proc/sys/"); ok {
			f.Add(part.Word("sysctl", strings.ReplaceAll(name, "/", "."), m[1]))
		} else if m[1] == "always" || m[1] == "never" || m[1] == "madvise" {
			f.Add(part.Word("thp."+m[2][strings.LastIndexByte(m[2], '/')+1:], "", m[1]))
		}
		return
	}
	m := reAppended.FindStringSubmatch(t)
	if m == nil {
		return
	}
	text := strings.TrimSpace(strings.Trim(m[1], `"'`))
	if l := rePamLimit.FindStringSubmatch(text); l != nil && strings.Contains(m[2], "limits") {
		f.Add(part.Word("limits.conf", l[1]+" "+l[2]+" "+l[3], l[4]))
		f.Kind = part.PamLimits
	} else if strings.Contains(m[2], "sysctl") {
		sysctlPairs(f, text)
	}
}

// ReadSets reads such a line.
func ReadSets(w *part.Window) (f part.Found) {
	t := w.Text(0)
	if !strings.Contains(t, "sysctl") && !strings.Contains(t, "echo") {
		return
	}
	return Sets(t)
}
