package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// Memory writes the report as JSON. No array is null.
func Memory(w io.Writer, d *memory.Report) error { return Write(w, d) }

// DiagnoseOOMSchema names the version of the JSON form.
const DiagnoseOOMSchema = "pgfettle.diagnose.oom/1"

// OOM writes the post-mortem. No array in it is null.
func OOM(w io.Writer, d *oom.Report) error {
	return Write(w, struct {
		Schema string `json:"schema"`
		*oom.Report
	}{DiagnoseOOMSchema, d})
}

// Log writes what a server's log shows as JSON. No array is null.
func Log(w io.Writer, r *serverlog.Report) error { return Write(w, r) }

// Slow writes the comparison of two plans as JSON. No array is null.
func Slow(w io.Writer, d *slow.Report) error { return Write(w, d) }

// SlowPlan writes what one plan says as JSON. No array is null.
func SlowPlan(w io.Writer, d *slow.Reading) error { return Write(w, d) }

// Profile writes a profile of perf as JSON. No array is null.
func Profile(w io.Writer, d *sampled.Profile) error { return Write(w, d) }

// Sample writes what a watch reported as JSON. No array is null.
func Sample(w io.Writer, d *sampled.Sample) error { return Write(w, d) }

// Now writes what a host and an instance do at this moment as JSON. No array
// is null.
func Now(w io.Writer, d *now.Report) error { return Write(w, d) }

// Tablespaces writes the tablespaces of an instance as JSON. No array is null.
func Tablespaces(w io.Writer, d *tablespaces.Report) error { return Write(w, d) }
