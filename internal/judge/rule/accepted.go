package rule

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Accepted is a finding that the policy of the site accepts: what mends it is not
// planned.
type Accepted struct {
	ID       string `json:"id"`                 // of the check
	Instance string `json:"instance,omitempty"` // data directory or port, "host", or "" for everywhere
	Reason   string `json:"reason"`
	Expires  string `json:"expires"` // last day, as 2027-01-31, or "never"
}

// mends names the findings that a rule fixes, if a knob and a finding are the same matter. Accepting the finding means
// keeping the knob.
var mends = map[string]string{
	"pg:fsync":                    "fsync_off",
	"pg:full_page_writes":         "full_page_writes_off",
	"pg:autovacuum":               "autovacuum_off",
	"pg:track_counts":             "track_counts_off",
	"pg:track_activities":         "track_activities_off",
	"sysctl:vm.zone_reclaim_mode": "zone_reclaim",
	"sysctl:vm.swappiness":        "swappiness_high",
	"thp:shmem_enabled":           "thp_shmem_forced",
	"unit:OOMPolicy":              "oom_policy_stop",
	"unit:LimitNOFILE":            "open_files_limit",
}

// Mending counts the rules that mend a finding.
func Mending() int { return len(mends) }

// Mends returns the address of the knob that a finding is about, "" if it is none's alone.
func Mends(check string) string {
	for a, id := range mends {
		if id == check {
			return a
		}
	}
	return ""
}

// accepted returns the acceptance of the finding that the case's rule mends.
func (c *Case) accepted() (Accepted, bool) {
	id, ok := mends[string(c.Rule.Address)]
	if !ok {
		return Accepted{}, false
	}
	for _, a := range c.Options.Accepted {
		if a.ID == id && a.covers(c.Instance) {
			return a, true
		}
	}
	return Accepted{}, false
}

// AcceptedOn returns the acceptance of a finding on what is mounted, if it is accepted for every instance that has data
// there.
func (c *Case) AcceptedOn(id string, m host.Mount) (of Accepted, ok bool) {
	for i := range c.Snapshot.Instances {
		in := &c.Snapshot.Instances[i]
		places, _ := in.Places.Get()
		if !slices.ContainsFunc(places, func(p snapshot.Place) bool {
			at, on := c.Snapshot.MountOf(p.Path)
			return on && at.Point == m.Point
		}) {
			continue
		}
		at := slices.IndexFunc(c.Options.Accepted, func(a Accepted) bool { return a.ID == id && a.covers(in) })
		if at < 0 {
			return Accepted{}, false
		}
		of, ok = c.Options.Accepted[at], true
	}
	return of, ok
}

func (a Accepted) covers(in *snapshot.Instance) bool {
	switch {
	case a.Instance == "":
		return true
	case in == nil:
		return a.Instance == "host"
	}
	return a.Instance == in.Label()
}

// decide lets the rule decide, unless its finding is accepted: then the present value stays, and there is no warning
// about what is not done.
func (c *Case) decide() {
	warnings := len(c.Outcome.Warnings)
	c.Rule.Decide(c)
	a, ok := c.accepted()
	present, seen := c.Present().Get()
	if !ok || !seen || c.decision == nil || c.decision.Want.Setting == present.Setting {
		return
	}
	c.Outcome.Warnings = c.Outcome.Warnings[:warnings]
	c.Keep("finding {id} is accepted: {reason}", "id", a.ID, "reason", a.Reason)
}
