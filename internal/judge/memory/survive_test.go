package memory

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TestWorkMemThatFits: all that is left, for every allowance of every process, in
// steps that a person would write.
func TestWorkMemThatFits(t *testing.T) {
	m := Instance{Active: 12, Parallel: 4, Sorts: 1, Hashes: 1, HashFactor: 2, WorkMem: 7 * unit.GB}
	for share, want := range map[unit.Bytes]unit.Bytes{
		48 * unit.GB: unit.GB, 50 * unit.GB: unit.GB, 54 * unit.GB: unit.GB + 128*unit.MB, -unit.GB: 0,
		48 * 64 * unit.KB: 64 * unit.KB, 47 * 64 * unit.KB: 0,
	} {
		if got := m.WorkMemThatFits(share); got != want {
			t.Errorf("%s of %s for 48 claims, want %s", got, share, want)
		}
	}
	if (Instance{}).WorkMemThatFits(unit.GB) != 0 {
		t.Error("something for nobody")
	}
}

// TestDemands: every connection with a whole query; of a warehouse the sessions
// that are expected, and every connection with one hash.
func TestDemands(t *testing.T) {
	m := Instance{Connections: 100, Active: 8, Sorts: 2, Hashes: 2, HashFactor: 2, WorkMem: 10 * unit.MB}
	work := func(l Load) (out []unit.Bytes) {
		for _, d := range l.Demands(m) {
			out = append(out, d.Parts().Work)
		}
		return out
	}
	if got := work(Load{}); len(got) != 1 || got[0] != 6000*unit.MB {
		t.Errorf("all at work: %v", got)
	}
	if got := work(Load{Reports: true}); len(got) != 2 || got[0] != 480*unit.MB || got[1] != 2000*unit.MB {
		t.Errorf("reports: %v", got)
	}
	// 60 MB of work, 5 MB of base and 150 kB of page tables each.
	within := func(share unit.Bytes) func(Instance) bool {
		return func(i Instance) bool { return i.Parts().Sum() <= share }
	}
	if got := (Load{}).ConnectionsThatFit(m, within(6516*unit.MB)); got != 100 {
		t.Errorf("%d fit where all do", got)
	}
	if got := (Load{}).ConnectionsThatFit(m, within(652*unit.MB)); got != 10 {
		t.Errorf("%d fit where ten do", got)
	}
	if got := (Load{}).ConnectionsThatFit(m, within(unit.MB)); got != 0 {
		t.Errorf("%d fit in nothing", got)
	}
}

// TestOpenOf: a history of a week bounds the sessions that may be open; a shorter
// one, and what is open at this moment, do not.
func TestOpenOf(t *testing.T) {
	with := func(days, peak float64, now int64) *snapshot.Instance {
		in := &snapshot.Instance{History: known.Is(history.Instance{Span: history.Span{Days: days},
			Open: &history.Peak{Value: peak}})}
		in.Server.Activity = known.Is(pg.Activity{Clients: now})
		return in
	}
	for _, c := range []struct {
		in   *snapshot.Instance
		want int
	}{
		{&snapshot.Instance{}, 300}, {with(7, 40, 3), 80}, {with(6.9, 40, 3), 300}, {with(30, 400, 3), 300},
		{with(7, 40, 90), 180}, {with(7, 0, 0), 300},
		{&snapshot.Instance{History: known.Is(history.Instance{Span: history.Span{Days: 9}})}, 300},
	} {
		if got := OpenOf(c.in, 300); got != c.want {
			t.Errorf("%+v: %d may be open, want %d", c.in.History, got, c.want)
		}
	}
	if got := SeenOpen(with(1, 40, 90)); got != 90 {
		t.Errorf("%d seen open", got)
	}
}
