package pg

import (
	"fmt"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Activity sums up pg_stat_activity: counts and the oldest of each kind, never
// a query text.
type Activity struct {
	// client backends by state: active, idle, idle in transaction, …
	States            map[string]StateCount `json:"states"`
	Clients           int64                 `json:"clients"`             // client backends, our own excluded
	OldestXactAge     float64               `json:"oldest_xact_age"`     // seconds; 0 when none is open
	OldestBackendXmin int64                 `json:"oldest_backend_xmin"` // age(backend_xmin), transactions
	Waiting           int64                 `json:"waiting"`             // client backends waiting for a lock
	MedianConnAge     float64               `json:"median_conn_age"`     // median age of client connections in seconds
	// client backends by role; "" for a role that was dropped
	ByUser map[string]int64 `json:"by_user"`
	// start of the checkpointer, seconds since the epoch; 0: not shown
	CheckpointerAt int64 `json:"checkpointer_at"`
}

// StateCount is how many backends are in a state and how long the longest has been.
type StateCount struct {
	Count  int64   `json:"count"`
	Oldest float64 `json:"oldest"` // seconds since state_change
}

// starting is the state of a client backend that has none yet: PostgreSQL 18
// gives it this name, earlier ones none.
const starting = "starting"

// ReadActivity reads activity.json. Where sessions of others are hidden, no
// count would be true, and the whole is forbidden.
func ReadActivity(fsys fs.FS, key string) known.Fact[Activity] {
	name := Path(key, "activity")
	var hidden int64
	a := evidence.Read(fsys, name, func(b []byte) (Activity, error) {
		a := Activity{States: map[string]StateCount{}, ByUser: map[string]int64{}}
		totals := 0
		err := parseRows(b, func(r *Row) error {
			n := r.Int("clients")
			if r.Bool("total") {
				totals++
				hidden = r.Int("hidden_count")
				a.Clients, a.Waiting, a.MedianConnAge = n, r.Int("waiting"), r.Float("median_age")
				a.OldestXactAge, a.OldestBackendXmin = r.Float("oldest_xact"), r.Int("oldest_xmin")
				a.CheckpointerAt = r.Int("checkpointer_at")
				return nil
			}
			if n <= 0 {
				return nil
			}
			state := r.Text("state")
			if state == "" {
				state = starting
			}
			s := a.States[state]
			a.States[state] = StateCount{Count: s.Count + n, Oldest: max(s.Oldest, r.Float("oldest_state"))}
			a.ByUser[r.Text("usename")] += n
			return nil
		})
		if err == nil && totals != 1 {
			err = fmt.Errorf("%d rows of totals where one was expected", totals)
		}
		return a, err
	})
	if a.Known() && hidden > 0 {
		return known.Barred[Activity](known.Gap{Fact: name,
			Reason: hiddenSessions(hidden), Reveal: monitorRight})
	}
	return a
}
