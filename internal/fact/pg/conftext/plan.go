package conftext

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A plan of Terraform: what an apply adds stands behind +, what it takes away behind -, what it changes behind ~.
var (
	planSign = regex.New(`^\s*(?:Terraform will perform the following actions|# \S+ (?:will be|must be) |` +
		`Plan: \d+ to (?:add|import|change)|Resource actions are indicated)`)
	planMark  = regex.New(`^(\s*)(?:-/\+|\+/-|[+~-]) (.*)$`)
	planArrow = regex.New(`^(.*?=\s*)(?:"(?:[^"\\]|\\.)*"|[^\s"]+) -> (.*)$`)
)

// planned is a text as it is after the plan that it shows; ok says whether it shows one.
func planned(text string) (out string, ok bool) {
	if !strings.Contains(text, "resource \"") && !strings.Contains(text, " -> ") {
		return text, false
	}
	lines := strings.Split(text, "\n")
	for _, l := range lines {
		ok = ok || planSign.MatchString(l)
	}
	if !ok {
		return text, false
	}
	for i, l := range lines {
		m := planMark.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		if strings.HasPrefix(strings.TrimSpace(l), "- ") {
			lines[i] = ""
			continue
		}
		lines[i] = m[1] + m[2]
		if a := planArrow.FindStringSubmatch(m[2]); a != nil {
			lines[i] = m[1] + a[1] + strings.TrimSuffix(a[2], " # forces replacement")
		}
	}
	return strings.Join(lines, "\n"), true
}
