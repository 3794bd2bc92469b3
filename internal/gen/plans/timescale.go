package plans

import (
	"math"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// timescale is what timescaledb-tune 0.19 gives, by pkg/pgtune of timescale/timescaledb-tune, with
// --max-conns, --memory and --cpus, its default profile and no --wal-disk-size. It knows no kind of load.
func timescale(h Host, _ rule.Profile) Values {
	gigs := float64(h.RAM) / float64(unit.GB)
	half := math.Round(float64(h.CPUs) / 2)
	work := unit.Bytes(gigs * 20 * 20 * float64(unit.MB) / float64(h.Connections) / half)
	v := Values{
		"shared_buffers":       ofBytes("shared_buffers", h.RAM/4),
		"effective_cache_size": ofBytes("effective_cache_size", h.RAM*3/4),
		"work_mem":             ofBytes("work_mem", max(work, 64*unit.KB)),
		"maintenance_work_mem": ofBytes("maintenance_work_mem", min(h.RAM/8, 2047*unit.MB)),
		"min_wal_size":         "512MB", "max_wal_size": "1GB", "wal_buffers": "16MB",
		"random_page_cost": "1.1", "effective_io_concurrency": "256", "default_statistics_target": "100",
	}
	if h.RAM < 2*unit.GB {
		v["wal_buffers"] = ofBytes("wal_buffers", unit.Bytes(gigs*7864*1024))
	}
	if h.CPUs > 1 {
		v["max_parallel_workers"], v["max_parallel_workers_per_gather"] = strconv.Itoa(h.CPUs), strconv.Itoa(int(half))
	}
	return v
}
