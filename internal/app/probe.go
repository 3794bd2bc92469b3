package app

import (
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
)

// MeasuredDirs are where probes are kept, the one that is written to first. Root
// reads no folder that another user may write to.
func (h *Host) MeasuredDirs() []string {
	system := filepath.Join(filepath.Dir(journalfile.Dir), "measured")
	if h.Target.UID() == 0 {
		return []string{system}
	}
	state, ok := h.StateHome()
	if !ok {
		return nil
	}
	return []string{filepath.Join(state, "pgfettle", "measured"), system}
}
