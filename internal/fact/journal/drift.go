package journal

import "github.com/pgfettle/pgfettle/internal/base/knob"

// WalLocation is the one knob of its kind: the directory that the WAL of an instance is in.
const WalLocation = knob.Address("wal:location")

// Hold is the present state of an applied value.
type Hold string

// The holds.
const (
	Holds   Hold = "holds"   // in force, and kept for the next start
	Changed Hold = "changed" // another value is in force
	Lost    Hold = "lost"    // in force or not, its file no longer has it: it will not outlive the next start
	Waits   Hold = "waits"   // in its file; a restart or reboot is still needed
	Unseen  Hold = "unknown" // it could not be read
)

// Drift is one applied knob compared with its present state.
type Drift struct {
	Journal  string       `json:"journal"`
	Address  knob.Address `json:"address"`
	Instance string       `json:"instance,omitempty"`
	Applied  string       `json:"applied"`
	Where    string       `json:"where"`
	Hold     Hold         `json:"hold"`
	Found    string       `json:"found,omitempty"`  // if it changed: the value now
	By       string       `json:"by,omitempty"`     // who set it, if known
	Reason   string       `json:"reason,omitempty"` // if unknown
}
