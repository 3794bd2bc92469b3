// Package plans makes docs/plans.md: what pgfettle plans for twenty described hosts in
// six profiles beside what four calculators give for the same hosts, with a word for each
// difference of more than a factor of two.
//
// pgfettle's own values are computed each time the page is made. Those of the calculators are answers.tsv: make plans
// asks the calculators and rewrites it, and make generate makes the page again without them.
package plans

import (
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// Major is the version that every plan of the page is for: the newest one that all of
// the calculators know and whose settings of I/O they agree about. In 18
// effective_io_concurrency counts other things.
const Major = 17

// Host is one of the described hosts. The size of the disk and of the data are not given to any calculator: only some
// of them ask.
type Host struct {
	Name        string // unique, for the tables
	RAM         unit.Bytes
	CPUs        int
	Sockets     int
	Storage     rule.Storage
	Connections int
}

// Hosts are the hosts of the page, by memory: from a VPS of 1 GB to four sockets with 2 TB. Those with few CPUs, many
// connections or rotating disks are there because calculators differ most on them.
var Hosts = []Host{
	{"1 GB VPS", unit.GB, 1, 1, rule.SSD, 20},
	{"2 GB VPS", 2 * unit.GB, 1, 1, rule.SSD, 50},
	{"2 GB, disks", 2 * unit.GB, 2, 1, rule.HDD, 60},
	{"4 GB", 4 * unit.GB, 2, 1, rule.SSD, 100},
	{"4 GB, many", 4 * unit.GB, 4, 1, rule.NVMe, 300},
	{"8 GB", 8 * unit.GB, 2, 1, rule.SSD, 100},
	{"8 GB, NVMe", 8 * unit.GB, 4, 1, rule.NVMe, 200},
	{"16 GB", 16 * unit.GB, 4, 1, rule.SSD, 100},
	{"16 GB, many", 16 * unit.GB, 8, 1, rule.NVMe, 400},
	{"24 GB, many", 24 * unit.GB, 2, 1, rule.SSD, 1000},
	{"32 GB", 32 * unit.GB, 8, 1, rule.SSD, 200},
	{"32 GB, disks", 32 * unit.GB, 8, 1, rule.HDD, 100},
	{"64 GB", 64 * unit.GB, 16, 1, rule.NVMe, 200},
	{"64 GB, 2 CPUs", 64 * unit.GB, 2, 1, rule.SSD, 200},
	{"64 GB, SAN", 64 * unit.GB, 16, 1, rule.SAN, 300},
	{"128 GB", 128 * unit.GB, 32, 1, rule.NVMe, 500},
	{"256 GB", 256 * unit.GB, 64, 2, rule.NVMe, 500},
	{"384 GB, SAN", 384 * unit.GB, 48, 2, rule.SAN, 1000},
	{"768 GB", 768 * unit.GB, 96, 2, rule.NVMe, 1000},
	{"2 TB", 2048 * unit.GB, 256, 4, rule.NVMe, 2000},
}

// Knobs are the rows of the page. max_connections is not among them: all get the same number.
var Knobs = []string{
	"shared_buffers", "effective_cache_size", "work_mem", "maintenance_work_mem",
	"max_wal_size", "min_wal_size", "wal_buffers",
	"random_page_cost", "effective_io_concurrency", "default_statistics_target",
	"max_parallel_workers", "max_parallel_workers_per_gather", "huge_pages",
}

// Own is the name of pgfettle's own column.
const Own = "pgfettle"

// Calculators are the other columns.
var Calculators = []string{"pgtune", "pgconfig", "timescaledb-tune", "pg-configurator"}

// Values are the settings that a program gives for one host and profile, by name, as SHOW spells them. One that does
// not exist it leaves to the server's default.
type Values map[string]string

// spell returns a number in the base unit of a setting as SHOW would.
func spell(name string, n float64) string {
	p, _ := params.Lookup(Major, name)
	return unit.ShowGUC(strconv.FormatFloat(n, 'f', -1, 64), p.Unit)
}

// ofBytes spells an amount of memory, rounded down to the base unit of the setting.
func ofBytes(name string, b unit.Bytes) string {
	p, _ := params.Lookup(Major, name)
	base, ok := unit.MemoryUnit(p.Unit)
	if !ok {
		panic(name + " is no amount of memory")
	}
	return spell(name, float64(b/base))
}

// Default returns what a fresh cluster has of a setting, as SHOW spells it.
func Default(name string) string {
	p, _ := params.Lookup(Major, name)
	if p.Reset != "" {
		return unit.ShowGUC(p.Reset, p.Unit)
	}
	return unit.ShowGUC(p.Boot, p.Unit)
}

// Plan returns what pgfettle plans, as the settings are after it.
func (h Host) Plan(profile rule.Profile) (Values, error) {
	d := snapshot.Description{
		RAM: h.RAM, CPUs: h.CPUs, Sockets: h.Sockets, Storage: string(h.Storage), Major: Major,
		Kernel: "6.1.0", THP: "always", Settings: map[string]string{},
	}
	evidence, err := d.Evidence()
	if err != nil {
		return nil, err
	}
	s, err := snapshot.Read(evidence)
	if err != nil {
		return nil, err
	}
	p, err := plan.Make(s, rules.All(), rule.Options{Profile: profile, Connections: h.Connections})
	if err != nil {
		return nil, err
	}
	settings, ok := plan.Simulate(s, p).Instances[0].Server.Settings.Get()
	if !ok {
		return nil, fmt.Errorf("%s: the described host has no settings", h.Name)
	}
	now := Values{}
	for _, name := range Knobs {
		now[name] = settings[name].Show()
		if memory.Chosen(settings[name]) == "-1" { // a server shows the size that it made of -1
			now[name] = "-1"
		}
	}
	return now, nil
}
