// Package coverage holds the list of statements that the founding sources make,
// each with its verdict and with what carries it: a check, a knob, a page, or a
// command that looks at its subject. docs/coverage.md is made from it, and a
// test fails for a carrier that does not exist.
package coverage

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/advice"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/show/markdown"
)

//go:embed coverage.tsv
var data string

// Verdict says what has become of a statement.
type Verdict string

// The verdicts.
const (
	Correct  Verdict = "correct"
	Depends  Verdict = "depends"
	Outdated Verdict = "outdated"
	Wrong    Verdict = "wrong"
)

// Row is one statement.
type Row struct {
	Number   int
	Topic    string
	Claim    string
	Verdict  Verdict
	Carriers []string // kind:name
}

// most words of a claim: the list names statements, it does not repeat them.
const claimWords = 15

// Rows returns the statements in the order of their numbers.
func Rows() ([]Row, error) { return parse(data) }

func parse(text string) ([]Row, error) {
	var out []Row
	var errs []error
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := row(line)
		if err == nil && r.Number != len(out)+1 {
			err = fmt.Errorf("number %d where %d is due", r.Number, len(out)+1)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("coverage.tsv:%d: %w", i+1, err))
		}
		out = append(out, r)
	}
	return out, errors.Join(errs...)
}

func row(line string) (Row, error) {
	f := strings.Split(line, "\t")
	if len(f) != 5 {
		return Row{}, fmt.Errorf("%d columns, not 5", len(f))
	}
	n, err := strconv.Atoi(f[0])
	if err != nil {
		return Row{}, fmt.Errorf("%q is no number", f[0])
	}
	r := Row{Number: n, Topic: f[1], Claim: f[2], Verdict: Verdict(f[3]), Carriers: strings.Fields(f[4])}
	switch words := len(strings.Fields(r.Claim)); {
	case r.Topic == "" || words == 0:
		return r, errors.New("no topic or no claim")
	case words > claimWords:
		return r, fmt.Errorf("a claim of %d words, more than %d", words, claimWords)
	case !slices.Contains([]Verdict{Correct, Depends, Outdated, Wrong}, r.Verdict):
		return r, fmt.Errorf("%q is no verdict", r.Verdict)
	case len(r.Carriers) == 0:
		return r, errors.New("nothing carries it")
	}
	sorted := slices.Sorted(slices.Values(r.Carriers))
	if len(slices.Compact(sorted)) != len(r.Carriers) {
		return r, errors.New("a carrier appears twice")
	}
	return r, nil
}

// Find returns an error where a carrier does not exist. commands holds the help
// of each command by its path, such as "demo oom": a carrier diagnose:oom is
// found as the command diagnose oom, or as a word in the help of diagnose.
func Find(carrier string, commands map[string]string) error {
	kind, name, ok := strings.Cut(carrier, ":")
	if !ok || name == "" {
		return fmt.Errorf("%q: a carrier is written kind:name", carrier)
	}
	found := false
	switch kind {
	case "check":
		found = slices.ContainsFunc(checks.All(), func(c check.Check) bool { return c.ID == name })
	case "knob":
		found = slices.ContainsFunc(rules.All(), func(r rule.Rule) bool { return string(r.Address) == name })
	case "page":
		_, found = Page(carrier)
	case "experiment":
		_, found = experiment.FindExercise(name)
	case "diagnose", "probe", "bench", "demo":
		if _, found = commands[kind+" "+name]; !found {
			found = slices.Contains(strings.FieldsFunc(commands[kind], func(r rune) bool {
				return !('a' <= r && r <= 'z' || r == '-' || r == '_')
			}), name)
		}
	default:
		return fmt.Errorf("%s: there is no kind of carrier %q", carrier, kind)
	}
	if !found {
		return fmt.Errorf("%s does not exist", carrier)
	}
	return nil
}

// Page returns the page that a carrier names.
func Page(carrier string) (advice.Page, bool) {
	id, ok := strings.CutPrefix(carrier, "page:")
	for _, p := range advice.All() {
		if ok && p.ID == id {
			return p, true
		}
	}
	return advice.Page{}, false
}

// Markdown returns docs/coverage.md.
func Markdown(rows []Row) string {
	count := map[Verdict]int{}
	for _, r := range rows {
		count[r.Verdict]++
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Coverage\n\nWhat the founding sources state, what has become of it, and what carries it in this program. "+
			"Made from\n"+
			"`test/coverage/coverage.tsv` (`make generate`); do not edit.\n\n%d statements: %d correct, %d depend on "+
			"the case, %d outdated, %d wrong. "+
			"Each that is outdated or wrong has a page, found with `pgfettle explain`.\n\n| # | topic | claim | "+
			"verdict "+
			"| carried by |\n|---|---|---|---|---|\n",
		len(rows), count[Correct], count[Depends], count[Outdated], count[Wrong])
	for _, r := range rows {
		links := make([]string, len(r.Carriers))
		for i, c := range r.Carriers {
			links[i] = link(c)
		}
		fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", r.Number, r.Topic, strings.ReplaceAll(r.Claim, "|", `\|`),
			r.Verdict, strings.Join(links, ", "))
	}
	return b.String()
}

func link(carrier string) string {
	kind, name, _ := strings.Cut(carrier, ":")
	file, ok := map[string]string{"check": "checks.md", "knob": "knobs.md", "page": "pages.md"}[kind]
	if kind == "experiment" {
		return "[" + carrier + "](commands.md#pgfettle-prove)"
	}
	if !ok {
		return "[" + carrier + "](commands.md#pgfettle-" + kind + ")"
	}
	return "[" + carrier + "](" + file + "#" + markdown.Anchor(name) + ")"
}
