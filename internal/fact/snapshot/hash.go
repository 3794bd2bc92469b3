package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// stableFacts is what of a snapshot does not move by itself: a plan names its hash,
// so two snapshots of an unchanged host give one hash, though memory was
// touched and transactions went by between them.
type stableFacts struct {
	Kernel    known.Fact[unit.Kernel]
	CmdLine   known.Fact[[]string]
	Memory    known.Fact[stableMemory]
	Swaps     known.Fact[[]string]
	CPU       known.Fact[host.CPU]
	Sysctls   host.Sysctls
	THP       host.THP
	Mounts    known.Fact[[]host.Mount]
	Fstab     known.Fact[[]host.FstabLine]
	Blocks    known.Fact[[]host.Block]
	Virt      known.Fact[host.Virt]
	Clock     known.Fact[host.Clock]
	Tuned     known.Fact[string]
	PageSize  known.Fact[unit.Bytes]
	Instances []stableInstance
	// Of the neighbors, what their memory depends on: a plan takes it into account.
	Neighbours []stableInstance `json:",omitempty"`
	Measured   *measured.Probe  `json:",omitempty"` // what a later probe says may move the values
}

type stableMemory struct {
	Total, SwapTotal, HugePageSize unit.Bytes
	HugeTotal                      int64
}

type stableInstance struct {
	DataDirectory known.Fact[string]
	Port          known.Fact[int]
	Memory        known.Fact[unit.Bytes] // limit of the cgroup
	CPUs          known.Fact[float64]
	Unit          known.Fact[host.Unit]
	Places        known.Fact[[]Place]
	Manager       known.Fact[string]
	Version       known.Fact[unit.Version]
	Settings      known.Fact[map[string]stableSetting]
}

// Hash returns the SHA-256, in hexadecimal, of the facts that do not move by
// themselves.
func Hash(s *Snapshot) string {
	h := s.Host
	v := stableFacts{
		Kernel: h.Kernel, CmdLine: h.CmdLine, CPU: h.CPU, Sysctls: h.Sysctls, THP: h.THP, Mounts: h.Mounts,
		Fstab:  h.Fstab,
		Blocks: h.Blocks, Virt: h.Virt, Clock: h.Clock, Tuned: h.Tuned, PageSize: h.PageSize,
		Memory: known.Map(h.Memory, func(m host.Memory) stableMemory {
			return stableMemory{m.Total, m.SwapTotal, m.HugePageSize, m.HugeTotal}
		}),
		Swaps: known.Map(h.Swaps, func(list []host.Swap) []string {
			var out []string
			for _, w := range list {
				out = append(out, w.Path)
			}
			return out
		}),
	}
	if p, ok := s.Measured.Get(); ok {
		v.Measured = &p
	}
	for i := range s.Instances {
		v.Instances = append(v.Instances, stableInstanceOf(&s.Instances[i]))
	}
	for i := range s.Neighbours {
		v.Neighbours = append(v.Neighbours, stableInstanceOf(&s.Neighbours[i]))
	}
	b, err := json.Marshal(v)
	if err != nil {
		// Every type here is plain data; only a program fault can bring this.
		panic("snapshot: " + err.Error())
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func stableInstanceOf(in *Instance) stableInstance {
	cg, _ := in.CGroup.Get()
	return stableInstance{in.DataDirectory, in.Port, cg.Memory, cg.CPUs, in.Unit, in.Places,
		in.Manager, in.Server.Version, known.Map(in.Server.Settings, stableSettings)}
}

// stableSetting is the part of a setting that a plan depends on. Its unit and bounds follow from the version; what an
// enum allows depends on the build as well.
type stableSetting struct {
	Value  string
	Source string
	File   string   `json:",omitempty"`
	Enum   []string `json:",omitempty"`
}

// stableSettings drops the settings that a running server changes by itself.
func stableSettings(m pg.Settings) map[string]stableSetting {
	out := make(map[string]stableSetting, len(m))
	for n, s := range m {
		if s.Context == "internal" && n != "server_version_num" && n != "data_checksums" && n != "wal_segment_size" {
			continue
		}
		out[n] = stableSetting{s.Value, s.Source, s.File, s.Enum}
	}
	return out
}
