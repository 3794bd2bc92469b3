package host

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Limits is /proc/PID/limits of a postmaster: soft limits; -1 is unlimited.
type Limits struct {
	NoFile  int64 `json:"no_file"`  // Max open files
	NProc   int64 `json:"n_proc"`   // Max processes
	MemLock int64 `json:"mem_lock"` // Max locked memory, bytes
	Stack   int64 `json:"stack"`    // Max stack size, bytes
	AS      int64 `json:"as"`       // Max address space, bytes
	Core    int64 `json:"core"`     // Max core file size, bytes
}

// ReadLimits reads proc/PID/limits.
func ReadLimits(fsys fs.FS, pid int) known.Fact[Limits] {
	return evidence.Read(fsys, "proc/"+strconv.Itoa(pid)+"/limits", ParseLimits)
}

// ParseLimits parses the text of /proc/PID/limits: a name, the soft and the hard limit in columns. Other limits are
// skipped; one that is missing is an error.
func ParseLimits(b []byte) (Limits, error) {
	var l Limits
	want := map[string]*int64{
		"Max open files": &l.NoFile, "Max processes": &l.NProc, "Max locked memory": &l.MemLock,
		"Max stack size": &l.Stack, "Max address space": &l.AS, "Max core file size": &l.Core,
	}
	err := Lines(b, func(_ int, line string) error {
		for name, to := range want {
			rest, ok := strings.CutPrefix(line, name+" ")
			if !ok {
				continue
			}
			f := strings.Fields(rest)
			if len(f) < 2 {
				return fmt.Errorf("%s: no limit", name)
			}
			delete(want, name)
			if f[0] == "unlimited" {
				*to = -1
				return nil
			}
			n, err := ParseCount([]byte(f[0]))
			*to = n
			return err
		}
		return nil
	})
	if err == nil && len(want) > 0 {
		err = fmt.Errorf("%d limits are missing", len(want))
	}
	if err != nil {
		return Limits{}, err
	}
	return l, nil
}
