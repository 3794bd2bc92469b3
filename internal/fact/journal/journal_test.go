package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/test/journals"
)

// TestHostile: lines that follow one another as no program of ours writes them are
// damage, with the number of the line, though their checksums are right.
func TestHostile(t *testing.T) {
	begin := `{"kind":"begin","at":1,"run":{"schema":"pgfettle.journal/2","id":"a","tool":"","plan":"","hostname":"",` +
		`"changes":0}}` + "\n"
	plan := `{"kind":"planned","at":1,"n":1,"address":"thp:enabled","to":"never"}` + "\n"
	for text, want := range map[string]string{
		"":   "1 no begin line",
		"{":  "1 no begin line",
		plan: "1 a journal starts with its begin line",
		"\n": "1 it does not end in a checksum",
		strings.Replace(begin, `"a"`, `"../a"`, 1): "1 begin without the id of its run",
		begin + begin:       "2 a second begin line",
		begin + plan + plan: "3 planned change 1 after 1",
		begin + "{}\n":      "2 ",
		begin + plan + `{"kind":"done","at":1,"n":1}` + "\n": "3 done of change 1, which is planned",
		begin + plan + `{"kind":"done","at":1,"n":2}` +
			"\n": "3 done of change 2, and 1 were planned",
		begin + plan + `{"kind":"done","at":1,"n":-1}` + "\n": "3 done of change -1",
		begin + plan + `{"kind":"intend","at":1,"n":1}` +
			"\n": "3 intention of change 1 without before and after",
		begin + plan + `{"kind":"odd","at":1,"n":1}` + "\n":                     `3 "odd" is no kind of line`,
		begin + plan + `{"kind":"active","at":1}` + "\n":                        "3 active of no instance",
		begin + plan + `{"kind":"damaged","at":1}` + "\n":                       "3 damage of which nothing is said",
		begin + plan + `{"kind":"end","at":1,"more":1}` + "\n":                  `3 json: unknown field "more"`,
		begin + plan + `{"kind":"end","at":1,"effect":"soon"}` + "\n":           "3 ",
		begin + `{"kind":"planned","at":1,"n":1,"address":"registry:x"}` + "\n": "2 ",
		strings.Replace(begin, `"changes":0`, `"changes":2`, 1) +
			plan: "3 it has 1 of the 2 changes that were planned",
		begin + strings.Repeat(`{"kind":"end","at":1}`+"\n", 100_000): "100001 more than 100000 lines",
	} {
		j, whole, err := journal.Parse(journals.Chained(text))
		if err != nil || j.Damage == nil || j.State != journal.IsDamaged ||
			!strings.HasPrefix(fmt.Sprintf("%d %s", j.Damage.Line, j.Damage.Reason), want) {
			t.Errorf("%.120q: %v, %+v; want %s", text, err, j.Damage, want)
		}
		if again, n, err := journal.Parse(journals.Chained(text)[:whole]); err != nil || n != whole ||
			again.Damage != nil && j.Damage.Line > 1 && again.Damage.Planned == 0 {
			t.Errorf("%.120q: of its proven part %d of %d bytes are proven, %+v, %v", text, n, whole, again.Damage, err)
		}
	}
	if _, _, err := journal.Parse(make([]byte, 64<<20+1)); !errors.Is(err, journal.ErrTooLarge) {
		t.Errorf("a journal over the limit: %v", err)
	}
}

// TestNewID: ids sort as their times do.
func TestNewID(t *testing.T) {
	at := time.Date(2026, 11, 21, 11, 0, 0, 0, time.FixedZone("", 3600))
	if got := journal.NewID(at, "k3"); got != "20261121-100000-k3" {
		t.Error(got)
	}
}

// FuzzParse: no bytes bring the reader down, and what it took it takes again.
func FuzzParse(f *testing.F) {
	w := journal.NewWriting()
	states := func(live, text string) *journal.State {
		return &journal.State{Live: &live, File: &journal.File{Path: "/etc/x", Text: &text, Mode: 0o644}}
	}
	var data []byte
	for _, line := range []journal.Line{{Kind: journal.Begin, At: 1,
		Run: &journal.Run{Schema: journal.Schema, ID: "20261121-100000-a", Changes: 2}},
		{Kind: journal.Planned, N: 1, Address: "sysctl:vm.swappiness", From: "60", To: "1"},
		{Kind: journal.Planned, N: 2, Address: "pg:shared_buffers", Instance: "/data", Effect: knob.Restart,
			From: "128MB", To: "16GB"},
		{Kind: journal.Intend, N: 2, Before: states("60", "a"), After: states("1", "b")}, {Kind: journal.Done, N: 2},
		{Kind: journal.Activate, Instance: "/data", Effect: knob.Restart},
		{Kind: journal.Revert, Instance: "/data", Reason: "x"},
		{Kind: journal.Undoing, N: 2, Before: states("1", "b"), After: states("60", "a")}, {Kind: journal.Undone, N: 2},
		{Kind: journal.Skipped, N: 1}, {Kind: journal.End}} {
		b, err := w.Take(line)
		if err != nil {
			f.Fatal(err)
		}
		data = append(data, b...)
	}
	f.Add(data)
	f.Add(data[:len(data)-9])
	f.Fuzz(func(t *testing.T, data []byte) {
		j, whole, err := journal.Parse(data)
		if err != nil {
			return
		}
		again, n, err := journal.Parse(data[:whole])
		if err != nil || n != whole {
			t.Fatalf("%d of %d bytes again: %v", n, whole, err)
		}
		if j.Damage != nil || j.Foreign != "" {
			if j.State != journal.IsDamaged && j.State != journal.Unread && j.Recorded() {
				t.Fatalf("%+v", j)
			}
			return
		}
		a, err1 := json.Marshal(j)
		b, err2 := json.Marshal(again)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s and %s (%v, %v)", a, b, err1, err2)
		}
		for i := range j.Changes {
			c := &j.Changes[i]
			if c.Begun() && c.Will.File != nil {
				j.Origin(c, *c.Will.File)
			}
		}
	})
}
