package outline_test

import (
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// TestStoredEventsFollowTheLanguage: a history holds English texts, and what a person reads of them is in the reader's
// language, if they are ours.
func TestStoredEventsFollowTheLanguage(t *testing.T) {
	entry := func(english, other string) say.Entry { return say.Entry{English: english, Forms: []string{other}} }
	c, err := say.ReadCatalogue("fr", say.WritePO("fr", []say.Entry{
		entry("pgfettle watch was not running", "A"), entry("planned now: {changes} and {n} more", "B {changes} C {n}"),
		entry("fsync is off", "D"), entry("total memory", "E"), entry("{fact} changed: {before} → {after}",
			"F {fact} {before} {after}"), entry("{severity}: {title} ({id})", "G {title} {id}")}))
	if err != nil {
		t.Fatal(err)
	}
	p := outline.WordsIn(c)
	at := time.Unix(0, 0)
	for _, x := range []struct {
		e          history.Event
		event, and string
	}{
		{history.Event{Kind: history.PlanStale, At: at, Subject: "total memory", Before: "1 GB", After: "2 GB",
			Detail: "planned now: work_mem 4MB → 8MB, jit on → off and 3 more"},
			"F E 1 GB 2 GB", "B work_mem 4MB → 8MB, jit on → off C 3"},
		{history.Event{Kind: history.FindingAppeared, At: at, Subject: "fsync_off", After: "critical",
			Detail: "fsync is off"}, "G D fsync_off", ""},
		{history.Event{Kind: history.Restarted, At: at, Instance: "/srv", Detail: "pgfettle watch was not running"},
			"the server was started at ", "A"},
		{history.Event{Kind: history.Limited, At: at, Detail: "of another program"}, "of another program", ""},
	} {
		if got := p.Event(x.e); got != x.event {
			t.Errorf("%q, want %q", got, x.event)
		}
		more := p.Besides(x.e)
		if x.and == "" {
			continue
		}
		if len(more) == 0 || more[len(more)-1] != x.and {
			t.Errorf("%q, want %q", more, x.and)
		}
	}
}
