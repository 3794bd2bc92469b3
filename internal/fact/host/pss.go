package host

import (
	"bytes"
	"errors"
	"io/fs"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// PSSFile returns the evidence name of the file that holds a process's proportional set size. Reading it walks all page
// tables of the process under the lock of its memory, so it is collected only on request.
func PSSFile(pid int) string { return "proc/" + strconv.Itoa(pid) + "/smaps_rollup" }

func readPSS(fsys fs.FS, dir string) known.Fact[unit.Bytes] {
	f := evidence.Read(fsys, dir+"smaps_rollup", ParseRollup)
	if f.State() == known.Absent {
		return known.Missed[unit.Bytes](known.Gap{Fact: dir + "smaps_rollup",
			Reason: "not read: it holds the lock of the process's memory while its page tables are walked",
			Reveal: "pgfettle diagnose memory --pss"})
	}
	return f
}

// ParseRollup parses the text of /proc/PID/smaps_rollup (4.14+). Only the line Pss itself counts: Pss_Anon, Pss_Dirty,
// SwapPss and similar lines are parts of it or of something else: adding them all up would count twice.
func ParseRollup(b []byte) (unit.Bytes, error) {
	for line := range bytes.Lines(b) {
		if val, ok := bytes.CutPrefix(line, []byte("Pss:")); ok {
			return parseStatusKB(bytes.TrimSpace(val))
		}
	}
	return 0, errors.New("no Pss")
}
