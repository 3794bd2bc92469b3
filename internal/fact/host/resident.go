package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// ResidentsFile is written by the collector.
const ResidentsFile = "residents.json"

// Residents are the processes of the host that belong to no instance of the evidence, by their cgroups.
type Residents struct {
	Groups []Residence `json:"groups"`
	Small  unit.Bytes  `json:"small"` // resident memory of the processes that were not examined, all of them small
}

// Residence is one cgroup and the processes in it.
type Residence struct {
	Group   string                 `json:"group"`             // path of the cgroup; "" if it is not known
	Servers bool                   `json:"servers,omitempty"` // they bear the name of a PostgreSQL server
	Enabled known.Fact[bool]       `json:"enabled"`           // of a service: systemd starts it at boot
	Limit   known.Fact[unit.Bytes] `json:"limit"`             // the smaller of memory.high and memory.max
	Anon    known.Fact[unit.Bytes] `json:"anon"`              // anonymous memory that is charged to the group
	Members []Resident             `json:"members"`
}

// Resident is one process.
type Resident struct {
	Since   float64    `json:"since"`   // seconds from the boot to its start
	Private unit.Bytes `json:"private"` // resident memory that is neither shared nor of a file
}

// Service reports whether the group is one that systemd runs a service in.
func (r Residence) Service() bool { return strings.HasSuffix(path.Base(r.Group), ".service") }

// Container reports whether the group is that of a container or a virtual machine.
func (r Residence) Container() bool {
	for part := range strings.SplitSeq(r.Group, "/") {
		switch {
		case part == "docker", part == "lxc", part == "machine.slice", strings.HasPrefix(part, "kubepods"),
			strings.HasPrefix(part, "lxc."),
			strings.HasPrefix(part, "docker-"), strings.HasPrefix(part, "libpod"),
			strings.HasPrefix(part, "cri-containerd-"), strings.HasPrefix(part, "crio-"):
			return true
		}
	}
	return false
}

// Bounds of residents.json: a collector reads 4,096 processes; a host of a
// thousand containers has some thousand groups.
const (
	maxResidents = 1 << 16
	maxGroup     = 4096
)

// ReadResidents reads residents.json.
func ReadResidents(fsys fs.FS) known.Fact[Residents] {
	return evidence.Read(fsys, ResidentsFile, ParseResidents)
}

// ParseResidents parses residents.json.
func ParseResidents(b []byte) (Residents, error) {
	var doc struct {
		Groups []struct {
			Group     string
			Servers   bool
			Enabled   *bool
			High, Max *int64
			Anon      *int64
			Members   []struct{ Start, Private int64 }
		}
		Small struct{ RSS int64 }
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return Residents{}, err
	}
	all := 0
	bytesOf := func(n *int64) bool { return n == nil || *n >= 0 }
	out := Residents{Groups: make([]Residence, 0, len(doc.Groups)), Small: unit.Bytes(doc.Small.RSS)}
	for i, g := range doc.Groups {
		if all += 1 + len(g.Members); all > maxResidents || len(g.Group) > maxGroup || !bytesOf(g.High) ||
			!bytesOf(g.Max) || !bytesOf(g.Anon) {
			return Residents{}, fmt.Errorf("group %d is none", i+1)
		}
		at := ResidentsFile + ": " + plainName(g.Group)
		r := Residence{Group: plainName(g.Group), Servers: g.Servers, Members: make([]Resident, 0, len(g.Members)),
			Enabled: known.None[bool](known.Gap{Fact: at + ": enabled",
				Reason: "it is no service, or nothing says what starts at boot"}),
			Limit: known.None[unit.Bytes](known.Gap{Fact: at + ": limit", Reason: "it has none"}),
			Anon: known.None[unit.Bytes](known.Gap{Fact: at + ": anon",
				Reason: "the kernel does not count it by group"})}
		if g.Enabled != nil {
			r.Enabled = known.Is(*g.Enabled)
		}
		for _, n := range []*int64{g.High, g.Max} {
			if old, ok := r.Limit.Get(); n != nil && (!ok || unit.Bytes(*n) < old) {
				r.Limit = known.Is(unit.Bytes(*n))
			}
		}
		if g.Anon != nil {
			r.Anon = known.Is(unit.Bytes(*g.Anon))
		}
		for _, m := range g.Members {
			if m.Start < 0 || m.Private < 0 || m.Private > 1<<46 {
				return Residents{}, fmt.Errorf("group %d: a process is none", i+1)
			}
			r.Members = append(r.Members, Resident{Since: float64(m.Start) / userHz, Private: unit.Bytes(m.Private)})
		}
		out.Groups = append(out.Groups, r)
	}
	if out.Small < 0 || out.Small > 1<<46 {
		return Residents{}, fmt.Errorf("the small ones hold %d bytes", doc.Small.RSS)
	}
	return out, nil
}
