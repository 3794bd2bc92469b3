package kernlog

import (
	"encoding/json"
	"fmt"
	"html"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var stamps = regexp.MustCompile(`at "[^"]*"`)

// facts is what is read of a text, without when.
func facts(t *testing.T, text string) string {
	t.Helper()
	l, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return stamps.ReplaceAllString(dump(l), "at ?")
}

// plain are the lines of a report as dmesg has them, without the time since boot.
func plain(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/k618_memcg_v1_two_hogs.log")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for raw := range strings.Lines(string(b)) {
		_, text, found := strings.Cut(strings.TrimRight(raw, "\n"), "] ")
		if !found {
			t.Fatalf("no time: %s", raw)
		}
		out = append(out, text)
	}
	return out
}

// TestPrefixes holds that the same report is read behind each prefix that a program writes.
func TestPrefixes(t *testing.T) {
	lines := plain(t)
	want := facts(t, strings.Join(lines, "\n"))
	if !strings.Contains(want, "victim") {
		t.Fatal(want)
	}
	for name, prefix := range map[string]string{
		"RFC 5424":            "<4>1 2026-02-14T10:20:30.123456+01:00 db1.example.com kernel - - - ",
		"RFC 5424, with data": `<4>1 2026-02-14T10:20:30Z db1 kernel - - [meta id="17"][o@1 a="b"] [ 1234.567890] `,
		"Kubernetes":          "2026-02-14T10:20:30.123456789Z stdout F [ 1234.567890] ",
		"rsyslog, ISO":        "2026-02-14T10:20:30.123456+01:00 db1 kernel: [ 1234.567890] ",
		"syslog with a year":  "2026-02-14 10:20:30 db1 kernel: ",
		"syslog, one space":   "Feb 4 10:20:30 db1 kernel: [1234.567890] ",
		"a quotation":         "> > [ 1234.567890] ",
	} {
		t.Run(name, func(t *testing.T) {
			if d := cmp.Diff(want, facts(t, prefix+strings.Join(lines, "\n"+prefix)+"\n")); d != "" {
				t.Errorf("-without +with the prefix:\n%s", d)
			}
		})
	}
}

// TestCopies holds that it is read of what programs and people made of its lines.
func TestCopies(t *testing.T) {
	lines := plain(t)
	want := facts(t, strings.Join(lines, "\n"))
	for name, made := range map[string]func(string) string{
		"source of a page": func(s string) string { return html.EscapeString("[ 1234.567890] " + s) },
		"file of Docker": func(s string) string {
			b, err := json.Marshal(map[string]string{"log": "[ 1234.567890] " + s + "\n", "stream": "stdout",
				"time": "2026-02-14T10:20:30.123456789Z"})
			if err != nil {
				t.Fatal(err)
			}
			return string(b)
		},
		"one space where there were many": func(s string) string { return strings.Join(strings.Fields(s), " ") },
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, s := range lines {
				out.WriteString(made(s) + "\n")
			}
			if d := cmp.Diff(want, facts(t, out.String())); d != "" {
				t.Errorf("-as it was +of the copy:\n%s", d)
			}
		})
	}
}

// TestPrefixesInEveryLanguage does so for the dates of dmesg -T, dmesg -H and journalctl in every
// locale of glibc: locales.tsv is made by internal/gen/dates.
func TestPrefixesInEveryLanguage(t *testing.T) {
	table, err := os.ReadFile("testdata/locales.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := plain(t)
	want := facts(t, strings.Join(lines, "\n"))
	n := 0
	for row := range strings.Lines(string(table)) {
		f := strings.Split(strings.TrimRight(row, "\n"), "\t")
		if len(f) != 20 {
			t.Fatalf("%q", row)
		}
		days, months := f[1:8], f[8:]
		for i, month := range months {
			day := days[i%7]
			// as strftime has them: "%a %b %e %T %Y", "%b%e %R", "%b %d %T", "%a %F %T %Z"
			for _, prefix := range []string{
				fmt.Sprintf("[%s %s %2d 10:20:30 2026] ", day, month, i+5),
				fmt.Sprintf("[%s%2d 10:20] ", month, i+5),
				fmt.Sprintf("%s %02d 10:20:30 db1 kernel: ", month, i+5),
				fmt.Sprintf("%s 2026-02-14 10:20:30 CET db1 kernel: ", day),
			} {
				if got := facts(t, prefix+strings.Join(lines, "\n"+prefix)+"\n"); got != want {
					t.Errorf("%s: behind %q is read\n%s", f[0], prefix, cmp.Diff(want, got))
					break
				}
				n++
			}
		}
	}
	if n < 200*12*4 {
		t.Errorf("only %d prefixes", n)
	}
}
