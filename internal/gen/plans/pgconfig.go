package plans

import (
	"fmt"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// PgconfigProfile maps a profile onto pgconfig's. It has none for 1C.
func PgconfigProfile(p rule.Profile) rule.Profile { return PgtuneProfile(p) }

// pgconfig is what pgconfig.org gives, by pkg/category and pkg/rules of pgconfig/api as of 2025-12.
// Its kinds of disk are SSD, HDD and SAN: NVMe is asked for as SSD, since an unknown kind gets the
// effective_io_concurrency of rotating disks.
func pgconfig(h Host, profile rule.Profile) Values {
	kind := PgconfigProfile(profile)
	usable := h.RAM.Scale(map[rule.Profile]float64{rule.Web: 1, rule.OLTP: 1, rule.DW: 1, rule.Mixed: 0.5,
		rule.Desktop: 0.2}[kind])
	part := map[rule.Profile]float64{rule.Web: 0.25, rule.OLTP: 0.35, rule.DW: 0.5, rule.Mixed: 0.2,
		rule.Desktop: 0.1}[kind]
	buffers := usable.Scale(0.25)
	if kind == rule.Desktop {
		buffers = h.RAM / 16
	}
	reads := map[rule.Storage]string{rule.NVMe: "200", rule.SSD: "200", rule.SAN: "300", rule.HDD: "2"}[h.Storage]
	cost := "1.1"
	if h.Storage == rule.HDD {
		cost = "4"
	}
	return Values{
		"shared_buffers":       rounded(buffers),
		"effective_cache_size": rounded(usable.Scale(0.75)),
		"work_mem":             rounded(usable.Scale(part / float64(h.Connections))),
		"maintenance_work_mem": rounded(usable.Scale(0.05)),
		"min_wal_size":         "2GB", "max_wal_size": "3GB", "wal_buffers": "-1",
		"random_page_cost": cost, "effective_io_concurrency": reads,
		"max_parallel_workers": "2", "max_parallel_workers_per_gather": "2",
	}
}

// rounded spells an amount as pgconfig does: rounded to a whole number of the largest unit that fits.
func rounded(b unit.Bytes) string {
	for _, u := range []struct {
		size unit.Bytes
		name string
	}{{1024 * unit.GB, "TB"}, {unit.GB, "GB"}, {unit.MB, "MB"}} {
		if b >= u.size {
			return fmt.Sprintf("%.0f%s", math.Round(float64(b)/float64(u.size)), u.name)
		}
	}
	return fmt.Sprintf("%.0fkB", math.Round(float64(b)/1024))
}
