package plans

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// perTable is how many hosts a table has.
const perTable = 4

// Page returns docs/plans.md.
func Page() (string, error) {
	all, err := Answers()
	if err != nil {
		return "", err
	}
	w := newWords()
	tables, err := tables(all, w)
	if err != nil {
		return "", err
	}
	return head(all, w) + tables + w.page(), nil
}

func tables(all map[question]Values, w *words) (string, error) {
	var b strings.Builder
	for _, p := range rule.Profiles {
		fmt.Fprintf(&b, "\n## Profile %s\n", p)
		for i := 0; i < len(Hosts); i += perTable {
			group := Hosts[i : i+perTable]
			fmt.Fprintf(&b, "\n### %s, %s to %s\n\n", p, group[0].Name, group[len(group)-1].Name)
			b.WriteString("| setting | host | " + Own + " | " + strings.Join(Calculators, " | ") + " | words |\n|---" +
				strings.Repeat("|---", len(Calculators)+3) + "|\n")
			if err := table(&b, group, p, all, w); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}

func table(b *strings.Builder, group []Host, p rule.Profile, all map[question]Values, w *words) error {
	own := map[string]Values{}
	for _, h := range group {
		v, err := h.Plan(p)
		if err != nil {
			return err
		}
		own[h.Name] = v
	}
	for _, name := range Knobs {
		label := "`" + name + "`"
		for _, h := range group {
			fmt.Fprintf(b, "| %s | %s | %s |", label, h.Name, cell(own[h.Name], name, near))
			label = ""
			var notes []string
			for _, by := range Calculators {
				v := all[question{by, h.Name, p}]
				d, times := compare(name, own[h.Name], v)
				fmt.Fprintf(b, " %s |", cell(v, name, d))
				w.cells++
				if d == near {
					continue
				}
				said, err := explained(by, name, h, p, v)
				if err != nil {
					return err
				}
				w.say(by, name, said)
				notes = append(notes, by+factor(d, times)+": "+said.short)
			}
			fmt.Fprintf(b, " %s |\n", strings.Join(notes, "; "))
		}
	}
	return nil
}

// cell formats a value: in parentheses if it is the untouched server default, bold if it is more than a factor of two
// from pgfettle's.
func cell(v Values, name string, d direction) string {
	value, given := v.of(name)
	if !given {
		value = "(" + value + ")"
	}
	if d != near {
		value = "**" + value + "**"
	}
	return value
}

// factor spells how many times pgfettle's value a calculator gives, with two digits.
func factor(d direction, times float64) string {
	if times == 0 {
		return ""
	}
	if d == less {
		times = 1 / times
	}
	digits := 2
	if times >= 100 {
		digits = 3
	}
	return " ×" + strconv.FormatFloat(times, 'g', digits, 64)
}

func head(all map[question]Values, w *words) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# Plans beside calculators

What pgfettle plans for %d described hosts in %d profiles, %d settings each, beside what four calculators give for `+
		`the same hosts:
%s values, of which %s differ from pgfettle's by more than a factor of two or are another word. Each of those has a `+
		`word in its row that says
where it comes from; [the words](#the-words) says what they mean. PostgreSQL %d.

`+"`make plans`"+` asks the calculators again and writes this `+
		`page; `+"`make generate`"+` writes it from their last answers. Do not edit.

How to read the tables: **bold** is more than twice or less than half of pgfettle's value, or another word; (in `+
		`parentheses) is the server's default, which the
program leaves as it is; in the column of words ×4 is four times pgfettle's value, ×0.25 a quarter of it.

Input of each calculator: memory, CPUs, kind of disk and connections, as listed here. The size of the disk `+
		`and of the data is not given, as only some ask for it.
pgfettle reads a real host and its server instead, so its own values are what it gives where it knows no more than `+
		`the others do.

| host | memory | CPUs | disk | connections |
|---|---|---|---|---|
`, len(Hosts), len(rule.Profiles), len(Knobs), thousands(w.cells), thousands(w.differ), Major)
	for _, h := range Hosts {
		cpus := fmt.Sprint(h.CPUs)
		if h.Sockets > 1 {
			cpus += fmt.Sprintf(" on %d sockets", h.Sockets)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", h.Name, h.RAM, cpus, h.Storage, thousands(h.Connections))
	}
	b.WriteString(`
How the profiles are asked for:

| profile | pgtune | pgconfig | timescaledb-tune | pg-configurator |
|---|---|---|---|---|
`)
	for _, p := range rule.Profiles {
		duty := "duty " + ConfiguratorDuty[p]
		if p == rule.OneC {
			duty += ", profile_1c"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | (has none) | %s |\n", p, PgtuneProfile(p), PgconfigProfile(p), duty)
	}
	fmt.Fprintf(&b, `
Where the values come from:

- pgtune: its published formulas as of 2026-07 (le0pard/pgtune, src/features/configuration/configurationSlice.js), `+
		`Linux, a database larger than the memory. It is a page for browsers.
- pgconfig: the rules of pgconfig.org as of 2025-12 (pgconfig/api, pkg/category and pkg/rules). NVMe is asked for as `+
		`SSD, as it does not know it.
- timescaledb-tune: its published formulas, 0.19.0 (timescale/timescaledb-tune, pkg/pgtune), with --max-conns and `+
		`without --wal-disk-size.
- pg-configurator: the program, %s (TantorLabs/pg_configurator, from PyPI), without replication. Where it refuses so `+
		`many connections for so little memory it is asked for as many as it takes%s; for 1C for at most %s.
- pgfettle: the plan of this version, as of 'pgfettle plan --for ram=…,cpus=…,sockets=…,storage=…,pg=%d `+
		`--connections N --profile P'.
`, ConfiguratorVersion, refused(all), thousands(ConfiguratorMost1C), Major)
	return b.String()
}

// refused lists the hosts for which pg-configurator accepts fewer connections than requested.
func refused(all map[question]Values) string {
	var out []string
	for _, h := range Hosts {
		if n := all[question{"pg-configurator", h.Name, rule.OLTP}]["max_connections"]; n != "" {
			out = append(out, fmt.Sprintf("%s of %s on %s", n, thousands(h.Connections), h.Name))
		}
	}
	if out == nil {
		return ""
	}
	return " (" + strings.Join(out, "; ") + ")"
}

// words collects what was said of the differences.
type words struct {
	cells, differ int
	count         map[string]int // differences, by setting, calculator and word
	text          map[string]string
	order         map[string][]string // keys of a setting, as they came
}

func newWords() *words {
	return &words{count: map[string]int{}, text: map[string]string{}, order: map[string][]string{}}
}

func (w *words) say(by, name string, said word) {
	w.differ++
	key := "| " + by + " | " + said.short + " | "
	if w.count[name+key] == 0 {
		w.order[name] = append(w.order[name], key)
		w.text[name+key] = said.long
	}
	w.count[name+key]++
}

// page returns the section of words: of each setting pgfettle's own formula with its
// sources, and what the words of the calculators stand for.
func (w *words) page() string {
	var b strings.Builder
	b.WriteString("\n## The words\n")
	for _, name := range Knobs {
		r, ok := ruleOf(name)
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n### %s\n\npgfettle: %s\n\nSources: %s.\n", name, r.Formula, sourcesOf(r))
		if len(w.order[name]) == 0 {
			b.WriteString("\nNo calculator is more than a factor of two away on any of these hosts.\n")
			continue
		}
		b.WriteString("\n| calculator | word | differences | what it stands for |\n|---|---|---|---|\n")
		for _, by := range Calculators {
			for _, key := range w.order[name] {
				if strings.HasPrefix(key, "| "+by+" |") {
					fmt.Fprintf(&b, "%s%d | %s |\n", key, w.count[name+key], w.text[name+key])
				}
			}
		}
	}
	return b.String()
}

func ruleOf(name string) (rule.Rule, bool) {
	for _, r := range rules.All() {
		if r.Address.Prefix() == "pg" && r.Address.Name() == name {
			return r, true
		}
	}
	return rule.Rule{}, false
}

func sourcesOf(r rule.Rule) string {
	var out []string
	for _, id := range r.Sources {
		if s, ok := say.SourceByID(id); ok {
			out = append(out, strings.TrimSuffix(s.Publisher, " Global Development Group")+": "+s.Title)
		}
	}
	return strings.Join(out, " · ")
}

// thousands spells a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
