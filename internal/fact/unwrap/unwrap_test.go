package unwrap

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
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

// server is the reader of a server's log.
var server = &Reader{Labeled: labeled, Own: []Layer{Times, Strings}}

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
		"svlogd":         each("2026-03-04_05:06:09.12345 %s\n"),
		"psql": "    pg_read_file    \n--------------------\n" + each(" %-110s+\n") +
			" 2026-03-04 05:06:09.011 UTC [13] LOG:  x\n(1 row)\n",
		"RDS": `{"LogFileData": ` + strconv.Quote(strings.Join(lines, "\n")+"\n") + `, "Marker": "1"}`,
		"laid out": "[\n" + strings.TrimSuffix(each("  {\n    \"labels\": {\n      \"a\": \"b\"\n    },\n"+
			"    \"textPayload\": %q\n  },\n"), ",\n") + "\n]\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, open := server.Find([]byte(text))
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
				if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "2026-") &&
					l != "pg_read_file" { // the head of a column stands before what shows that it is one
					t.Errorf("left before a line: %s", l)
				}
			}
		})
	}
	if name, open := server.Find([]byte(strings.Join(lines, "\n") + "\n")); open != nil {
		t.Errorf("%q is found around what nothing is around", name)
	}
}

// TestLines holds what becomes of single lines within their wrappers.
func TestLines(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a line that goes on keeps its tab",
			"2026-03-04T05:06:07.1Z 2026-03-04 05:06:07 UTC [1] STATEMENT:  SELECT\n" +
				"2026-03-04T05:06:07.1Z \t  a\n2026-03-04T05:06:07.1Z \t) b\n",
			"2026-03-04 05:06:07 UTC [1] STATEMENT:  SELECT\n\t  a\n\t) b\n"},
		{"a line of RFC 5424 too", "<134>1 2026-03-04T05:06:07.1Z h postgres 7 - - [8-1] 2026-03-04 05:06:07 UTC [7] " +
			"ERROR:  x\n<134>1 2026-03-04T05:06:07.1Z h postgres 7 - - [8-2] #011y\n" +
			"<134>1 2026-03-04T05:06:07.1Z h postgres 7 - - [8-3] z\n",
			"2026-03-04 05:06:07 UTC [7] ERROR:  x\n\ty\n\tz\n"},
		{"a repeated line", "Mar  4 05:06:07 h postgres[1]: [2-1] FATAL:  x\n" +
			"Mar  4 05:06:07 h postgres[1]: message repeated 2 times: [ [2-1] FATAL:  x]\n",
			"FATAL:  x\nFATAL:  x\nFATAL:  x\n"},
		{"a line of another service", "db-1   | LOG:  a\nweb-1  | hello\ndb-1   | STATEMENT:  SELECT\nweb-1  | b\n",
			"LOG:  a\nSTATEMENT:  SELECT\n"},
		{"a time in a message is none of its line",
			"2026-03-04_05:06:07.5 LOG:  last known up at 2026-03-04 01:02:03 UTC\n",
			"2026-03-04 05:06:07.500 UTC LOG:  last known up at 2026-03-04 01:02:03 UTC\n"},
		{"a tab behind a line of the server", `{"message":"LOG:  duration: 1 ms  plan:"}` + "\n" +
			`{"message":"\tQuery Text: SELECT"}` + "\n" + `{"message":"other"}` + "\n" + `{"message":"\tat x"}` + "\n",
			"LOG:  duration: 1 ms  plan:\n\tQuery Text: SELECT\n"},
		{"two portions", `{"LogFileData": "LOG:  a\u00e9\n\tb\n", "M": "LogFileData"}{"LogFileData":"LOG:  c"}`,
			"LOG:  aé\n\tb\nLOG:  c\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, open := server.Find([]byte(c.text))
			if open == nil {
				t.Fatal("nothing is found around the lines")
			}
			got, err := io.ReadAll(open(strings.NewReader(c.text)))
			if err != nil || string(got) != c.want {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
}

// TestRepeatedIsBounded holds that a line which says that it came very often is not handed out without end.
func TestRepeatedIsBounded(t *testing.T) {
	text := strings.Repeat("Mar  4 05:06:07 h postgres[1]: message repeated 999999 times: [ [2-1] FATAL:  x]\n", 100)
	_, open := server.Find([]byte(text))
	got, err := io.ReadAll(open(strings.NewReader(text)))
	if err != nil || len(got) > 2*MaxAgain {
		t.Errorf("%d bytes, %v", len(got), err)
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
	f.Add([]byte(`{"LogFileData": "` + `a\u00e9\ud83d\ude00 LOG:  x\n", "Marker": "1"}`))
	f.Add([]byte(`{"LogFileData": "LOG:  x\u00`)) // cut
	f.Add([]byte(" pg_read_file \n---\n 2026-03-04 05:06:07 UTC [1] LOG:  x   +\n 2026-03-04 05:06:07 UTC [1] LOG:  " +
		"y\n(1 row)\n"))
	f.Add([]byte("2026-03-04_05:06:09.12345 LOG:  x\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		_, open := server.Find(b)
		if open == nil {
			return
		}
		got, err := io.ReadAll(open(bytes.NewReader(b)))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) > 8*len(b)+4096 && !bytes.Contains(b, []byte("message repeated ")) {
			t.Errorf("%d bytes of %d", len(got), len(b))
		}
	})
}
