package wrapped

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
)

// lines are a log as a server writes it.
var lines = []string{
	"2026-03-04 05:06:07.008 UTC [11] LOG:  checkpoint starting: time",
	"2026-03-04 05:06:08.009 UTC [12] ERROR:  relation \"no_such\" does not exist at character 15",
	"2026-03-04 05:06:08.009 UTC [12] STATEMENT:  SELECT * FROM no_such WHERE note = 'a > b'",
	"2026-03-04 05:06:09.010 UTC [13] FATAL:  sorry, too many clients already",
}

func labeled(b []byte) bool {
	for _, l := range []string{"LOG:  ", "ERROR:  ", "STATEMENT:  ", "FATAL:  "} {
		if bytes.Contains(b, []byte(l)) {
			return true
		}
	}
	return false
}

// TestForms holds that the lines of a server are found in what each program puts around
// them, and that nothing is taken for a wrapper where there is none.
func TestForms(t *testing.T) {
	each := func(form string) string {
		var b strings.Builder
		for _, l := range lines {
			fmt.Fprintf(&b, form, l)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"docker":         each("{\"log\":%q,\"stream\":\"stderr\",\"time\":\"2026-03-04T05:06:09.1Z\"}\n"),
		"docker compose": each("db_1  | %s\n"),
		"compose, short": each("postgres-1  | %s\n"),
		"kubectl":        each("2026-03-04T05:06:09.123456789Z %s\n"),
		"kubelet":        each("2026-03-04T05:06:09.123456789Z stderr F %s\n"),
		"a letter":       each("> %s\n"),
		"two letters":    each("> > %s\n"),
		"an indent":      each("    %s\n"),
		"a diff":         each("+%s\n"),
		"syslog":         each("Mar  4 05:06:09 db7 postgres[11]: [3-1] %s\n"),
	} {
		t.Run(name, func(t *testing.T) {
			_, open := Find([]byte(text), labeled)
			if open == nil {
				t.Fatal("nothing is found around the lines")
			}
			got, err := io.ReadAll(open(strings.NewReader(text)))
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range lines {
				if !strings.Contains(string(got), want) {
					t.Errorf("%q is not in\n%s", want, got)
				}
			}
			for l := range strings.Lines(string(got)) {
				if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "2026-") {
					t.Errorf("left before a line: %s", l)
				}
			}
		})
	}
	if name, open := Find([]byte(strings.Join(lines, "\n")+"\n"), labeled); open != nil {
		t.Errorf("%q is found around what nothing is around", name)
	}
}

// FuzzFind holds that no log is more than a few times as long without what is around its
// lines, and that each is read to its end.
func FuzzFind(f *testing.F) {
	for _, l := range lines {
		for _, form := range []string{"%s\n", "> %s\n", "db | %s\n", "{\"log\":%q}\n",
			"Mar  4 05:06:09 db7 postgres[11]: [3-1] %s\n",
			"{\"logger\":\"postgres\",\"record\":{\"log_time\":\"2026-03-04 05:06:07.008 UTC\",\"message\":%q}}\n"} {
			f.Add(fmt.Appendf(nil, form, l))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, open := Find(b, labeled)
		if open == nil {
			return
		}
		got, err := io.ReadAll(open(bytes.NewReader(b)))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 8*len(b)+4096 {
			t.Errorf("%d bytes of %d", len(got), len(b))
		}
	})
}
