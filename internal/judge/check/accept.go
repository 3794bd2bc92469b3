package check

// Never is the explicit expiry of an acceptance that does not expire.
const Never = "never"

// Acceptance is a finding that the site accepts. It does not hide the finding: the
// report lists it separately, with the reason.
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

// Expired reports whether its last day is before today, which has the form 2027-01-31: such texts sort like the days.
func (a *Acceptance) Expired(today string) bool { return a.Expires != Never && a.Expires < today }

// covers reports whether it is about a finding.
func (a *Acceptance) covers(f *Finding) bool {
	switch {
	case a.ID != f.ID:
		return false
	case a.Instance == HostOnly:
		return f.Instance == ""
	}
	return a.Instance == "" || a.Instance == f.Instance
}

// Accepts returns the acceptance that is valid today for a finding; nil if there is
// none. Without today, only those that never expire are valid.
func (o *Options) Accepts(f *Finding) *Acceptance {
	for i := range o.Accept {
		a := &o.Accept[i]
		if holds := a.Expires == Never || o.Today != "" && !a.Expired(o.Today); holds && a.covers(f) {
			return a
		}
	}
	return nil
}
