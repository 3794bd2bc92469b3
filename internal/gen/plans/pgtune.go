package plans

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// PgtuneProfile maps a profile onto pgtune's type of database. It has none for 1C.
func PgtuneProfile(p rule.Profile) rule.Profile {
	if p == rule.OneC {
		return rule.OLTP
	}
	return p
}

// pgtune is what le0pard/pgtune gives, by src/features/configuration/configurationSlice.js as of
// 2026-07: it is a page for browsers and nothing that could be run. Asked for Linux, version 17, a
// database larger than the memory but not three times as large.
func pgtune(h Host, profile rule.Profile) Values {
	kind := PgtuneProfile(profile)
	v := Values{}
	buffers, cache, maintenance := h.RAM/4, h.RAM*3/4, h.RAM/16
	switch kind {
	case rule.Desktop:
		buffers, cache = h.RAM/16, h.RAM/4
	case rule.DW:
		maintenance = h.RAM / 8
	}
	v["shared_buffers"] = ofBytes("shared_buffers", buffers)
	v["effective_cache_size"] = ofBytes("effective_cache_size", cache)
	v["maintenance_work_mem"] = ofBytes("maintenance_work_mem", min(maintenance, 8*unit.GB))
	wal := map[rule.Profile][2]unit.Bytes{
		rule.Web: {unit.GB, 4 * unit.GB}, rule.OLTP: {2 * unit.GB, 8 * unit.GB}, rule.DW: {4 * unit.GB, 16 * unit.GB},
		rule.Desktop: {100 * unit.MB, 2 * unit.GB}, rule.Mixed: {unit.GB, 4 * unit.GB},
	}[kind]
	v["min_wal_size"], v["max_wal_size"] = ofBytes("min_wal_size", wal[0]), ofBytes("max_wal_size", wal[1])
	walBuffers := min(buffers*3/100, 16*unit.MB)
	if walBuffers > 14*unit.MB {
		walBuffers = 16 * unit.MB
	}
	v["wal_buffers"] = ofBytes("wal_buffers", walBuffers)
	v["default_statistics_target"] = map[bool]string{true: "500", false: "100"}[kind == rule.DW]
	v["random_page_cost"] = "1.1"
	if kind == rule.DW || h.Storage == rule.HDD {
		v["random_page_cost"] = "4"
	}
	v["effective_io_concurrency"] = map[rule.Storage]string{rule.HDD: "2", rule.SSD: "200", rule.SAN: "300",
		rule.NVMe: "1000"}[h.Storage]
	workers := 8
	if h.CPUs >= 4 {
		workers = h.CPUs
		gather := (h.CPUs + 1) / 2
		if kind != rule.DW {
			gather = min(gather, 4)
		}
		v["max_parallel_workers"], v["max_parallel_workers_per_gather"] = strconv.Itoa(workers), strconv.Itoa(gather)
	}
	work := (h.RAM - buffers) / unit.Bytes((h.Connections+workers)*3)
	switch kind {
	case rule.DW, rule.Mixed:
		work /= 2
	case rule.Desktop:
		work /= 6
	}
	v["work_mem"] = ofBytes("work_mem", max(work, 4*unit.MB))
	v["huge_pages"] = map[bool]string{true: "try", false: "off"}[buffers >= 2*unit.GB]
	return v
}
