package plans

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// answers is what the calculators gave when they were asked last: one line for each of them, host and profile, with the
// values of Knobs in their order, and max_connections if it did not accept the requested number.
//
//go:embed answers.tsv
var answers string

// columns are what answers.tsv holds of an answer.
var columns = append(slices.Clone(Knobs), "max_connections")

type question struct {
	by, host string
	profile  rule.Profile
}

// Answers reads answers.tsv.
func Answers() (map[question]Values, error) { return parse(answers) }

func parse(text string) (map[question]Values, error) {
	all := map[question]Values{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	head := strings.Join(append([]string{"calculator", "host", "profile"}, columns...), "\t")
	if lines[0] != head {
		return nil, fmt.Errorf("answers.tsv begins with %q, not %q: run make plans", lines[0], head)
	}
	for _, l := range lines[1:] {
		f := strings.Split(l, "\t")
		if len(f) != 3+len(columns) {
			return nil, fmt.Errorf("answers.tsv: %q has %d fields", l, len(f))
		}
		v := Values{}
		for i, name := range columns {
			if f[3+i] != "" {
				v[name] = f[3+i]
			}
		}
		all[question{f[0], f[1], rule.Profile(f[2])}] = v
	}
	for _, by := range Calculators {
		for _, h := range Hosts {
			for _, p := range rule.Profiles {
				if all[question{by, h.Name, p}] == nil {
					return nil, fmt.Errorf("answers.tsv has none of %s for %s, %s: run make plans", by, h.Name, p)
				}
			}
		}
	}
	return all, nil
}

// Ask asks every calculator for every host and profile and returns the text of
// answers.tsv. configurator asks pg-configurator, the only one of them that is a program
// which can be installed.
func Ask(configurator func(Host, rule.Profile) (Values, error)) (string, error) {
	var b strings.Builder
	b.WriteString(strings.Join(append([]string{"calculator", "host", "profile"}, columns...), "\t") + "\n")
	for _, by := range Calculators {
		for _, h := range Hosts {
			for _, p := range rule.Profiles {
				var v Values
				var err error
				switch by {
				case "pgtune":
					v = pgtune(h, p)
				case "pgconfig":
					v = pgconfig(h, p)
				case "timescaledb-tune":
					v = timescale(h, p)
				default:
					v, err = configurator(h, p)
				}
				if err != nil {
					return "", fmt.Errorf("%s for %s, %s: %w", by, h.Name, p, err)
				}
				f := []string{by, h.Name, string(p)}
				for _, name := range columns {
					f = append(f, v[name])
				}
				b.WriteString(strings.Join(f, "\t") + "\n")
			}
		}
	}
	return b.String(), nil
}
