package pglog

import (
	"bytes"
	"io"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/unwrap"
)

const syslogText = `Nov 24 11:00:00 db1 systemd[1]: Started a thing.
Nov 24 11:00:01 db1 postgres[123]: [5-1] 2026-11-24 11:00:01.000 UTC [123] ERROR:  division by zero
Nov 24 11:00:01 db1 postgres[123]: [5-2] 2026-11-24 11:00:01.000 UTC [123] STATEMENT:  select 1,
Nov 24 11:00:01 db1 postgres[123]: [5-3] #011 1/0
2026-11-24T11:00:02.123456+00:00 db1 postgres[99]: [6] 2026-11-24 11:00:02.000 UTC [99] LOG:  checkpoint starting: time
Nov  4 11:00:03 db1 postgres: no pid
`

// TestFromSyslog: the lines of a server are found among others.
func TestFromSyslog(t *testing.T) {
	b, err := io.ReadAll(FromSyslog(bytes.NewReader([]byte(syslogText)), ""))
	const want = "2026-11-24 11:00:01.000 UTC [123] ERROR:  division by zero\n2026-11-24 11:00:01.000 UTC [123] " +
		"STATEMENT:  select 1,\n\t 1/0\n" +
		"2026-11-24 11:00:02.000 UTC [99] LOG:  checkpoint starting: time\nno pid\n"
	if err != nil || string(b) != want {
		t.Errorf("%v %q", err, b)
	}
}

const repeatedText = "Nov 24 11:00:01 db1 postgres[1]: [2-1] FATAL:  x\n" +
	"Nov 24 11:00:01 db1 postgres[1]: message repeated 2 times: [ [2-1] FATAL:  x]\n"

// TestRepeated: a line that syslog says was repeated counts as often.
func TestRepeated(t *testing.T) {
	b, err := io.ReadAll(FromSyslog(bytes.NewReader([]byte(repeatedText)), ""))
	if want := "FATAL:  x\nFATAL:  x\nFATAL:  x\n"; err != nil || string(b) != want {
		t.Errorf("%v %q", err, b)
	}
}

// FuzzFromSyslog: whatever stands there, it ends, and is not longer than it was
// but for a tab a line.
func FuzzFromSyslog(f *testing.F) {
	f.Add([]byte(repeatedText), "")
	f.Add([]byte(syslogText), "")
	f.Add([]byte(syslogText), "db[1]")
	f.Add([]byte(syslogText), "\xb7")
	f.Fuzz(func(t *testing.T, in []byte, ident string) {
		b, err := io.ReadAll(FromSyslog(bytes.NewReader(in), ident))
		if bytes.Contains(in, []byte("message repeated ")) {
			if err != nil || len(b) > 2*len(in)+unwrap.MaxAgain {
				t.Errorf("%d bytes of %d, %v", len(b), len(in), err)
			}
			return
		}
		if err != nil || len(b) > len(in)+1 {
			t.Errorf("%d bytes of %d, %v", len(b), len(in), err)
		}
		if n, most := bytes.Count(b, []byte{'\n'}), bytes.Count(in, []byte{'\n'})+1; n > most {
			t.Errorf("%d lines of %d", n, most)
		}
	})
}

// TestSyslogIdent: a server with a syslog_ident of its own is found by it.
func TestSyslogIdent(t *testing.T) {
	const in = "Nov 24 11:00:01 db1 orders[123]: [5-1] LOG:  of ours\nNov 24 11:00:01 db1 orders2[123]: LOG:  of " +
		"another\n" +
		"Nov 24 11:00:01 db1 postgres[7]: LOG:  before it was renamed\n"
	b, err := io.ReadAll(FromSyslog(bytes.NewReader([]byte(in)), "orders"))
	if want := "LOG:  of ours\nLOG:  before it was renamed\n"; err != nil || string(b) != want {
		t.Errorf("%v %q", err, b)
	}
}
