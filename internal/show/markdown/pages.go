package markdown

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// CheckPages returns docs/checks.md: a page for each check, made from the
// check's own words.
func CheckPages(checks []check.Check) string {
	var b strings.Builder
	b.WriteString("# Checks\n\nGenerated from the checks (`make generate`); do not edit.\n" +
		"`pgfettle explain ID` shows the same page with the facts of your host.\n\n| id | area | severity | title " +
		"|\n|---|---|---|---|\n")
	for _, c := range checks {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", c.ID, c.ID, c.Area, c.Severity, c.Title)
	}
	for _, c := range checks {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Area: %s. Severity: %s. %s%s.\n\n%s\n\nWhat to do: %s\n\n", c.ID,
			c.Title, c.Area, c.Severity,
			map[check.Scope]string{check.PerHost: "Once per host", check.PerInstance: "Once per instance"}[c.Scope],
			versions(c.From, c.To), c.Why, c.Do)
		if len(c.DependsOn) > 0 {
			fmt.Fprintf(&b, "Not reported together with (it is their consequence): %s.\n\n",
				strings.Join(c.DependsOn, ", "))
		}
		b.WriteString(sourceList(c.Sources))
	}
	return b.String()
}

// KnobPages returns docs/knobs.md: a page for each knob.
func KnobPages(list []rule.Rule) string {
	var b strings.Builder
	b.WriteString("# Knobs\n\nSettings that pgfettle plans. Generated from the rules (`make generate`); do not edit.\n" +
		"`pgfettle explain ADDRESS` shows the same page with the facts of your host.\n\n| address | layer | title " +
		"|\n|---|---|---|\n")
	for _, r := range list {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.Address, Anchor(string(r.Address)), r.Address.Layer(), r.Title)
	}
	for _, r := range list {
		risk := r.Risk
		if risk == "" {
			risk = knob.Low
		}
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Risk: %s%s.\n\n%s\n\nHow the value is chosen: %s\n\n", r.Address, r.Title,
			risk,
			versions(r.Versions()), r.Why, r.Formula)
		if len(r.Needs) > 0 {
			names := make([]string, len(r.Needs))
			for i, n := range r.Needs {
				names[i] = string(n)
			}
			fmt.Fprintf(&b, "Depends on: %s.\n\n", strings.Join(names, ", "))
		}
		b.WriteString(sourceList(r.Sources))
	}
	b.WriteString(
		"\n## Read but not planned\n\npgfettle reads these settings, and some checks use them. No plan changes " +
			"them.\n\n| address | reason |\n|---|---|\n")
	for _, u := range rules.ReadNotPlanned() {
		fmt.Fprintf(&b, "| %s | %s |\n", u.Address, u.Why)
	}
	return b.String()
}

// Anchor returns the heading anchor that Markdown renderers make: lower case,
// letters, digits, hyphens and underscores only.
func Anchor(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return -1
	}, strings.ToLower(s))
}

func versions(from, to int) string {
	switch {
	case from > 0 && to > 0:
		return fmt.Sprintf(", PostgreSQL %d to %d", from, to)
	case from > 0:
		return fmt.Sprintf(", PostgreSQL %d and later", from)
	case to > 0:
		return fmt.Sprintf(", PostgreSQL %d and earlier", to)
	}
	return ""
}

func sourceList(ids []string) string {
	var b strings.Builder
	b.WriteString("Sources: ")
	for i, id := range ids {
		if i > 0 {
			b.WriteString("; ")
		}
		s, ok := say.SourceByID(id)
		if !ok {
			b.WriteString(id)
			continue
		}
		fmt.Fprintf(&b, "%s, %s", s.Publisher, s.Title)
		if s.Version != "" {
			fmt.Fprintf(&b, " (%s)", s.Version)
		}
	}
	b.WriteString(".\n")
	return b.String()
}

// AdvicePages returns docs/pages.md: every page, made from its own words.
func AdvicePages(pages []advice.Page) string {
	var b strings.Builder
	b.WriteString(
		"# Pages\n\nWhat no check can see and no setting can change, and common claims that are outdated or wrong.\n" +
			"Generated from `docs/pages` (`make generate`); do not edit. `pgfettle explain NAME` shows the same " +
			"page,\nfound by any of its names.\n\n| page | kind | title | other names |\n|---|---|---|---|\n")
	for _, a := range pages {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", a.ID, a.ID, a.Kind.Message(), cell(a.Title),
			cell(strings.Join(a.Names, ", ")))
	}
	for _, a := range pages {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Kind: %s.\n\n", a.ID, a.Title, a.Kind.Message())
		if v := a.Verdict(); !v.IsZero() {
			b.WriteString(v.String() + "\n\n")
		}
		for _, text := range a.Text {
			if lines := advice.Lines(text); lines != nil {
				text = "```text\n" + strings.Join(lines, "\n") + "\n```"
			}
			b.WriteString(text + "\n\n")
		}
		if a.Verify != "" {
			b.WriteString("How to verify: " + a.Verify + "\n\n")
		}
		if len(a.See) > 0 {
			b.WriteString("See also: " + strings.Join(a.See, ", ") + ".\n\n")
		}
		b.WriteString(sourceList(a.Sources))
	}
	return b.String()
}

// cell makes a text fit for one cell of a Markdown table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
