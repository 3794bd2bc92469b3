package golden

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Cases is a file of cases; docs/fixtures.md describes its form:
//
//	What the cases are about.
//	-- what happens in this one --
//	VERB WORDS
//	-- evidence/proc/meminfo --
//	…
//	-- want --
//	…
type Cases struct {
	About string
	List  []Case

	file, text string
}

// Case is one of them.
type Case struct {
	Name  string
	Lines string            // verbs, a line each
	Files map[string][]byte // evidence of several lines, by its name
	Want  string

	order []string // of Files
}

var section = regexp.MustCompile(`(?m)^-- (.+) --\n`)

// evidenceIn is what begins the name of a section that holds evidence.
const evidenceIn = "evidence/"

// ReadCases reads a file of cases. A file without a line that says what they are about,
// or without a case, fails the test.
func ReadCases(t *testing.T, file string) *Cases {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &Cases{file: file, text: string(b)}
	if err := c.parse(); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return c
}

func (c *Cases) parse() error {
	at := section.FindAllStringSubmatchIndex(c.text, -1)
	if len(at) == 0 {
		return fmt.Errorf("no case")
	}
	if c.About = c.text[:at[0][0]]; strings.TrimSpace(c.About) == "" {
		return fmt.Errorf("the first line has to say what the cases are about")
	}
	for i, m := range at {
		end := len(c.text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name, body := c.text[m[2]:m[3]], c.text[m[1]:end]
		path, isEvidence := strings.CutPrefix(name, evidenceIn)
		if len(c.List) == 0 && (isEvidence || name == "want") {
			return fmt.Errorf("%s without a case", name)
		}
		switch {
		case isEvidence:
			last := &c.List[len(c.List)-1]
			if last.Files == nil {
				last.Files = map[string][]byte{}
			}
			last.Files[path] = []byte(body)
			last.order = append(last.order, path)
		case name == "want":
			c.List[len(c.List)-1].Want = body
		default:
			c.List = append(c.List, Case{Name: name, Lines: body})
		}
	}
	return nil
}

// Update writes the cases back with what they want now, where -update asks for it.
func (c *Cases) Update(t *testing.T) {
	t.Helper()
	if !*update || t.Failed() {
		return
	}
	var b bytes.Buffer
	b.WriteString(c.About)
	for _, one := range c.List {
		fmt.Fprintf(&b, "-- %s --\n%s", one.Name, one.Lines)
		for _, path := range one.order {
			fmt.Fprintf(&b, "-- %s%s --\n%s", evidenceIn, path, one.Files[path])
		}
		fmt.Fprintf(&b, "-- want --\n%s", one.Want)
	}
	if b.String() == c.text {
		return
	}
	if err := os.WriteFile(c.file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Verbs returns the lines of a case as verb and rest; the rest keeps its spaces.
func (c *Case) Verbs() [][2]string {
	var out [][2]string
	for line := range strings.Lines(c.Lines) {
		if line = strings.TrimSuffix(line, "\n"); line != "" {
			verb, rest, _ := strings.Cut(line, " ")
			out = append(out, [2]string{verb, rest})
		}
	}
	return out
}

// ParseMissing reads STATE NAME REASON: a fact that is unavailable.
func ParseMissing(line string) (evidence.Missing, error) {
	p := strings.SplitN(strings.TrimSpace(line), " ", 3)
	state, ok := states[p[0]]
	if !ok || len(p) < 3 {
		return evidence.Missing{}, fmt.Errorf("missing: %q is not STATE NAME REASON", line)
	}
	return evidence.Missing{Name: p[1], State: state, Reason: p[2]}, nil
}
