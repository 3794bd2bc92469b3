package pglog

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// journalText are records as journalctl -o json writes them: of systemd about the unit,
// of a server's standard error, one of them with a byte that is no UTF-8, and of a server
// that writes to syslog.
const journalText = `{"MESSAGE":"Started ` +
	`postgresql-17.service.","_TRANSPORT":"journal","SYSLOG_IDENTIFIER":"systemd","_PID":"1"}
{"MESSAGE":"2026-11-24 06:39:30.000 UTC [100] ERROR:  division by ` +
	`zero","_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"postgres","_PID":"100"}
{"MESSAGE":"2026-11-24 06:39:30.000 UTC [100] STATEMENT:  select ` +
	`1,","_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"postgres"}
{"MESSAGE":"\t 1/0","_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"postgres"}
{"MESSAGE":[76,79,71,58,32,32,255],"_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"postgres"}
{"MESSAGE":null,"_TRANSPORT":"stdout","SYSLOG_IDENTIFIER":"postgres"}
not a record
{"MESSAGE":"[5-1] LOG:  a long line","_TRANSPORT":"syslog","SYSLOG_IDENTIFIER":"orders"}
{"MESSAGE":"[5-2] that goes on","_TRANSPORT":"syslog","SYSLOG_IDENTIFIER":"orders"}
{"MESSAGE":"LOG:  of a cron job","_TRANSPORT":"syslog","SYSLOG_IDENTIFIER":"CRON"}
`

// TestFromJournal: the lines of a server are found among the records of its unit.
func TestFromJournal(t *testing.T) {
	b, err := io.ReadAll(FromJournal(strings.NewReader(journalText), "orders"))
	const want = "2026-11-24 06:39:30.000 UTC [100] ERROR:  division by zero\n2026-11-24 06:39:30.000 UTC [100] " +
		"STATEMENT:  select 1,\n\t 1/0\n" +
		"LOG:  \xff\nLOG:  a long line\n\tthat goes on\n"
	if err != nil || string(b) != want {
		t.Errorf("%v %q", err, b)
	}
}

// FuzzFromJournal: whatever stands there, it ends, and is not longer than what a byte
// that is no UTF-8 becomes.
func FuzzFromJournal(f *testing.F) {
	f.Add([]byte(journalText), "orders")
	f.Fuzz(func(t *testing.T, in []byte, ident string) {
		b, err := io.ReadAll(FromJournal(bytes.NewReader(in), ident))
		if err != nil || len(b) > 3*len(in)+1 {
			t.Errorf("%d bytes of %d, %v", len(b), len(in), err)
		}
	})
}
