// Package readers measures the readers of what others wrote (kernel logs, server logs, query plans, configuration
// files, measurements, pastes) on a corpus of real inputs. Each case was gathered from a public place that it names,
// and says what a person reads in it. Expectations are written before the reader is changed; the score is how many of
// them the program reports, and how many it reports wrongly.
package readers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
	"golang.org/x/tools/txtar"

	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// Case is an input with what must be read from it.
type Case struct {
	Kind, Name string
	Source     string // where it is from: an address, or how it was made
	Files      []txtar.File
	Runs       []Run
}

// Run is one command line on the files of a case, and what it must report.
type Run struct {
	Args  []string
	Facts []Fact
}

// Fact is one expectation.
type Fact struct {
	Line int
	Kind string // fact, says or never
	Text string // as written
	expr *gojq.Code
	want any
	re   *regexp.Regexp
}

// Answer is what became of a fact.
type Answer string

// The answers. A fact that is reported with another value, or a forbidden sentence, is wrong; what is not reported is
// missing.
const (
	Right   Answer = "right"
	Missing Answer = "missing"
	Wrong   Answer = "wrong"
)

// Expect is the name of the section that holds what must be read.
const Expect = "expect"

// ReadCorpus reads the cases of a directory of KIND/NAME.txtar, by kind and name; of all kinds where none is named.
func ReadCorpus(dir string, kinds ...string) ([]Case, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*", "*.txtar"))
	if err != nil {
		return nil, err
	}
	var out []Case
	for _, name := range names {
		if len(kinds) > 0 && !slices.Contains(kinds, filepath.Base(filepath.Dir(name))) {
			continue
		}
		c, err := readCase(name)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func readCase(name string) (Case, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return Case{}, err
	}
	a := txtar.Parse(b)
	c := Case{Kind: filepath.Base(filepath.Dir(name)), Name: strings.TrimSuffix(filepath.Base(name), ".txtar")}
	for line := range strings.Lines(string(a.Comment)) {
		if s, ok := strings.CutPrefix(line, "source: "); ok {
			c.Source = strings.TrimSpace(s)
		}
	}
	if c.Source == "" {
		return Case{}, fmt.Errorf("%s: no line «source: » before the first file", name)
	}
	start := 1 + bytes.Count(a.Comment, []byte("\n"))
	for _, f := range a.Files {
		start++
		if f.Name == Expect {
			if c.Runs, err = readExpect(name, start, string(f.Data)); err != nil {
				return Case{}, err
			}
		} else {
			c.Files = append(c.Files, f)
		}
		start += bytes.Count(f.Data, []byte("\n"))
	}
	if len(c.Runs) == 0 || len(c.Files) == 0 {
		return Case{}, fmt.Errorf("%s: no input, or no section %q with a run", name, Expect)
	}
	return c, nil
}

// readExpect reads the lines of expectations:
//
//	run: diagnose oom kernel.log
//	fact: .kills[0].killed.pid == 1234
//	says: a regular expression on the text for people
//	never: one that must not match
//
// A fact is an expression of jq on the JSON form and the JSON value that it has. # begins
// a line that says why.
func readExpect(name string, start int, text string) ([]Run, error) {
	var runs []Run
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", name, start+i)
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		verb, rest, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("%s: no verb: %s", at, line)
		}
		if verb == "run" {
			runs = append(runs, Run{Args: strings.Fields(rest)})
			continue
		}
		if len(runs) == 0 {
			return nil, fmt.Errorf("%s: no run before it", at)
		}
		f := Fact{Line: start + i, Kind: verb, Text: rest}
		var err error
		switch verb {
		case "fact":
			err = f.parse()
		case "says", "never":
			f.re, err = regexp.Compile(`(?is)` + rest)
		default:
			err = fmt.Errorf("unknown verb %q", verb)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		run := &runs[len(runs)-1]
		run.Facts = append(run.Facts, f)
	}
	return runs, nil
}

func (f *Fact) parse() error {
	at := strings.LastIndex(f.Text, " == ")
	if at < 0 {
		return fmt.Errorf("no « == »: %s", f.Text)
	}
	if err := json.Unmarshal([]byte(f.Text[at+4:]), &f.want); err != nil {
		return fmt.Errorf("%s: %w", f.Text[at+4:], err)
	}
	q, err := gojq.Parse(f.Text[:at])
	if err != nil {
		return err
	}
	f.expr, err = gojq.Compile(q)
	return err
}

// Result is what the program reported for a case.
type Result struct {
	Case    *Case
	Answers []Answer // in the order of the facts of its runs
	Said    []string // what was reported instead, one for each answer
}

// Measure runs the program on a case in its own directory, which it fills.
func Measure(ctx context.Context, c *Case, dir string) (*Result, error) {
	for _, f := range c.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			return nil, err
		}
	}
	r := &Result{Case: c}
	for _, run := range c.Runs {
		args := slices.Clone(run.Args)
		for i, a := range args {
			if slices.ContainsFunc(c.Files, func(f txtar.File) bool { return f.Name == a }) {
				args[i] = filepath.Join(dir, a)
			}
		}
		text, talk := told(ctx, args)
		document, _ := told(ctx, append(slices.Clone(args), "--format", "json"))
		var value any
		if err := json.Unmarshal([]byte(document), &value); err != nil {
			value = nil // it was refused: nothing is reported
		}
		for _, f := range run.Facts {
			a, said := f.answer(value, text+talk)
			r.Answers, r.Said = append(r.Answers, a), append(r.Said, said)
		}
	}
	return r, nil
}

func told(ctx context.Context, args []string) (out, talk string) {
	var stdout, stderr bytes.Buffer
	cli.Main(ctx, args, strings.NewReader(""), &stdout, &stderr, []string{"COLUMNS=200", "LC_ALL=C"})
	return stdout.String(), stderr.String()
}

func (f *Fact) answer(value any, text string) (Answer, string) {
	switch f.Kind {
	case "says":
		if f.re.MatchString(oneLine(text)) {
			return Right, ""
		}
		return Missing, ""
	case "never":
		if m := f.re.FindString(oneLine(text)); m != "" {
			return Wrong, m
		}
		return Right, ""
	}
	got, ok := f.expr.Run(value).Next()
	if _, failed := got.(error); !ok || failed || got == nil {
		return Missing, ""
	}
	if gojq.Compare(got, f.want) == 0 {
		return Right, ""
	}
	b, err := json.Marshal(got)
	if err != nil {
		return Missing, err.Error()
	}
	if s := string(b); s == `""` || s == "[]" || s == "false" && f.want == true {
		return Missing, s
	}
	return Wrong, string(b)
}

// Misses lists each fact that is missing or wrong, a line each.
func (r *Result) Misses() []string {
	var out []string
	i := 0
	for _, run := range r.Case.Runs {
		for _, f := range run.Facts {
			if a := r.Answers[i]; a != Right {
				out = append(out, strings.TrimSpace(fmt.Sprintf("%s/%s.txtar:%d: %s: %s: %s %s", r.Case.Kind,
					r.Case.Name, f.Line, a, f.Kind, f.Text, r.Said[i])))
			}
			i++
		}
	}
	return out
}

// oneLine undoes the folding of a text, so that an expression need not know it.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Sum is the score of one kind.
type Sum struct {
	Kind           string
	Cases          int
	Right, Missing int // facts that were reported, or not
	Wrong          int // reported with another value
	False          int // sentences that must not be said, and were
}

// Add counts the answers of a case.
func (s *Sum) Add(r *Result) {
	s.Cases++
	i := 0
	for _, run := range r.Case.Runs {
		for _, f := range run.Facts {
			switch a := r.Answers[i]; {
			case f.Kind == "never" && a == Wrong:
				s.False++
			case f.Kind == "never": // not said, as it should be
			case a == Wrong:
				s.Wrong++
			case a == Right:
				s.Right++
			default:
				s.Missing++
			}
			i++
		}
	}
}

// Sums are the scores of all kinds, in the order of the cases.
type Sums []*Sum

// Add counts the answers of a case.
func (s *Sums) Add(r *Result) {
	if n := len(*s); n == 0 || (*s)[n-1].Kind != r.Case.Kind {
		*s = append(*s, &Sum{Kind: r.Case.Kind})
	}
	(*s)[len(*s)-1].Add(r)
}

// Table is the scores in Markdown.
func (s Sums) Table() string {
	var b strings.Builder
	b.WriteString("| kind | cases | facts | read right | read wrong | false sentences | recall | precision |\n" +
		"|---|---|---|---|---|---|---|---|\n")
	for _, s := range s {
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %.1f %% | %.1f %% |\n", s.Kind, s.Cases,
			s.Right+s.Missing+s.Wrong, s.Right, s.Wrong, s.False, 100*s.Recall(), 100*s.Precision())
	}
	return b.String()
}

// Publish is a page with another table in place of a mark: what it is of, and how it is made.
func Publish(page, mark, table string) (string, error) {
	what, _, _ := strings.Cut(mark, ":")
	from, to := "<!-- "+mark+" -->\n", "<!-- end of "+what+" -->\n"
	head, rest, ok := strings.Cut(page, from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		return "", errors.New("no place for the table")
	}
	return head + from + table + to + tail, nil
}

// ScoreMark is the place of the scores in docs/readers.md.
const ScoreMark = "score: make score"

// Recall is the part of what must be read that was, from 0 to 1.
func (s *Sum) Recall() float64 { return part(s.Right, s.Right+s.Missing+s.Wrong) }

// Precision is the part of what was reported that is true, from 0 to 1.
func (s *Sum) Precision() float64 { return part(s.Right, s.Right+s.Wrong+s.False) }

func part(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
