package host

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Load is /proc/loadavg: how many tasks ran or waited for a disk, on average over
// 1, 5 and 15 minutes.
type Load struct {
	One     float64 `json:"one"`
	Five    float64 `json:"five"`
	Fifteen float64 `json:"fifteen"`
}

// maxLoad is above any load: the kernel counts tasks, of which there are at most
// 2^22 (PID_MAX_LIMIT).
const maxLoad = 1 << 22

// ReadLoad reads /proc/loadavg.
func ReadLoad(fsys fs.FS) known.Fact[Load] {
	return evidence.Read(fsys, "proc/loadavg", ParseLoad)
}

// ParseLoad parses the text of /proc/loadavg; what follows the three averages is skipped.
func ParseLoad(b []byte) (Load, error) {
	var l Load
	f := strings.Fields(string(b))
	if len(f) < 3 {
		return l, fmt.Errorf("%d fields where three averages stand", len(f))
	}
	for i, to := range []*float64{&l.One, &l.Five, &l.Fifteen} {
		v, err := unit.Figure(f[i])
		if err != nil || !(v >= 0 && v <= maxLoad) {
			return Load{}, fmt.Errorf("%q is not a load", Short(f[i]))
		}
		*to = v
	}
	return l, nil
}
