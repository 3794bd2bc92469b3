package rule

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// Profile is what the instance is for: a prior over what cannot be measured.
// It never overrides a fact.
type Profile string

// The profiles.
const (
	Web     Profile = "web"     // many short reads from a pool
	OLTP    Profile = "oltp"    // many short transactions that write
	DW      Profile = "dw"      // few sessions, large scans, sorts and hashes
	Mixed   Profile = "mixed"   // both; the default
	Desktop Profile = "desktop" // a developer's machine that has other work to do
	OneC    Profile = "1c"      // 1C:Enterprise: many sessions, temporary tables, wide joins
)

// Profiles lists the profiles.
var Profiles = []Profile{Web, OLTP, DW, Mixed, Desktop, OneC}

// ParseProfile reads the name of a profile.
func ParseProfile(s string) (Profile, error) {
	for _, p := range Profiles {
		if string(p) == strings.ToLower(s) {
			return p, nil
		}
	}
	names := make([]string, len(Profiles))
	for i, p := range Profiles {
		names[i] = string(p)
	}
	return "", say.Err("invalid profile {value}: use one of {names}",
		"value", say.Quoted(s), "names", say.Names(names, 0))
}

// prior is what a profile assumes if nothing was measured.
type prior struct {
	memory.Load
	BufferShare float64    // the share of the memory that goes to shared_buffers
	WorkMem     unit.Bytes // the most that work_mem gets without evidence of larger spills
}

// A query of web and oltp is a sort and a hash; the caps are what experts and
// calculators write down for a server of any size, without having seen a spill.
var Priors = map[Profile]prior{
	Web:     {memory.Load{Sorts: 1, Hashes: 1, PerCPU: 4}, 0.25, 64 * unit.MB},
	OLTP:    {memory.Load{Sorts: 1, Hashes: 1, PerCPU: 4}, 0.25, 64 * unit.MB},
	DW:      {memory.Load{Sorts: 2, Hashes: 2, PerCPU: 2, Reports: true, TempTables: 0.1}, 0.25, unit.GB},
	Mixed:   {memory.Mixed, 0.25, 128 * unit.MB},
	Desktop: {memory.Load{Sorts: 1, Hashes: 1, PerCPU: 2, TempTables: 0.1}, 1.0 / 16, 64 * unit.MB},
	OneC:    {memory.Load{Sorts: 2, Hashes: 1, PerCPU: 3, TempTables: 1}, 0.25, 128 * unit.MB},
}

// Ascending are the profiles of one scale, from many small queries to few large
// ones: on one host none of them gets more work_mem than the next.
var Ascending = []Profile{Web, OLTP, Mixed, DW}

// Desktop reports whether the instance is on a developer's machine: it serves other programs first, whatever was
// specified for the host.
func (c *Case) Desktop() bool { return c.Options.Profile == Desktop }

// Among reports whether other programs need the host as much as PostgreSQL does.
func (c *Case) Among() bool { return c.Options.Shared || c.Desktop() }

func (c *Case) Prior() prior {
	p, ok := Priors[c.Options.Profile]
	if !ok {
		return Priors[Mixed]
	}
	return p
}

// Storage is what a device is, for planner and I/O costs.
type Storage string

// The kinds of storage.
const (
	NVMe Storage = "nvme"
	SSD  Storage = "ssd"
	HDD  Storage = "hdd"
	SAN  Storage = "san"
)

// ParseStorage reads nvme, ssd, hdd or san.
func ParseStorage(s string) (Storage, error) {
	switch st := Storage(strings.ToLower(s)); st {
	case NVMe, SSD, HDD, SAN:
		return st, nil
	}
	return "", say.Err("invalid storage type {value}: use nvme, ssd, hdd or san", "value", say.Quoted(s))
}
