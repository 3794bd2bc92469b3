package check

// Never is the expiry of an acceptance that has none: said, not left out.
const Never = "never"

// Acceptance is a finding that somebody has decided to live with. It does not
// hide the finding: the report lists it apart, with the reason.
type Acceptance struct {
	ID string `json:"id"` // of the check
	// data directory or port as findings show it, HostOnly, or "" for everywhere
	Instance string `json:"instance,omitempty"`
	Reason   string `json:"reason"`
	Expires  string `json:"expires"` // last day on which it holds, 2027-01-31, or Never
}

// HostOnly is the instance of an acceptance for findings on the host itself.
const HostOnly = "host"

// Accepted is a finding with the acceptance that keeps it out of the others.
type Accepted struct {
	Finding
	Reason  string `json:"reason"`
	Expires string `json:"expires"`
}

// Expired says whether its last day is before today, which is written as
// 2027-01-31: such texts sort as the days do.
func (a *Acceptance) Expired(today string) bool { return a.Expires != Never && a.Expires < today }

// covers says whether it is about a finding.
func (a *Acceptance) covers(f *Finding) bool {
	switch {
	case a.ID != f.ID:
		return false
	case a.Instance == HostOnly:
		return f.Instance == ""
	}
	return a.Instance == "" || a.Instance == f.Instance
}

// Accepts returns the acceptance that holds today for a finding; nil where none
// does. Without today only those without an end hold.
func (o *Options) Accepts(f *Finding) *Acceptance {
	for i := range o.Accept {
		a := &o.Accept[i]
		if holds := a.Expires == Never || o.Today != "" && !a.Expired(o.Today); holds && a.covers(f) {
			return a
		}
	}
	return nil
}
