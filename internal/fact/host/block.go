package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Block is a block device or a partition under a place of interest. A chain of
// partition, dm, md and disks is followed downwards through Below.
type Block struct {
	Device string `json:"device"` // major:minor
	Name   string `json:"name"`   // vda, nvme0n1p1, dm-3, md0
	Kind   string `json:"kind"`   // partition, disk, dm, md, bcache, loop, zram
	// names of the devices it is on: a partition's disk, slaves/ of dm and md
	Below      []string           `json:"below"`
	Rotational known.Fact[bool]   `json:"rotational"` // queue/rotational; not to be believed on virtual disks
	Scheduler  known.Fact[string] `json:"scheduler"`  // queue/scheduler, the word in brackets
	// queue/scheduler, all words: those that the kernel has loaded
	Schedulers known.Fact[[]string]   `json:"schedulers"`
	ReadAhead  known.Fact[unit.Bytes] `json:"read_ahead"` // queue/read_ahead_kb
	// queue/optimal_io_size: what the device asks for; 0 if it asks for nothing
	OptimalIO  known.Fact[unit.Bytes] `json:"optimal_io"`
	WriteCache known.Fact[string]     `json:"write_cache"` // queue/write_cache: "write back" or "write through"
	Requests   known.Fact[int64]      `json:"requests"`    // queue/nr_requests
	DMUUID     string                 `json:"dm_uuid"`     // dm/uuid: LVM-…, CRYPT-…, mpath-…
	DMName     string                 `json:"dm_name"`     // dm/name
	MDLevel    string                 `json:"md_level"`    // md/level: raid1, raid10, …
	MDDegraded known.Fact[int64]      `json:"md_degraded"` // md/degraded
	MDPolicy   known.Fact[string]     `json:"md_policy"`   // md/consistency_policy: resync, bitmap, journal, ppl
	MDDisks    known.Fact[int64]      `json:"md_disks"`    // md/raid_disks
	MDAction   known.Fact[string]     `json:"md_action"`   // md/sync_action: idle, recover, resync, check, …
	// cache_type: what the disk itself says of its write cache, regardless of the queue's setting
	OwnCache known.Fact[string] `json:"own_cache"`
	// device/timeout: seconds after which the kernel gives a SCSI command up
	Timeout known.Fact[int64] `json:"timeout"`
	// bcache/cache_mode: writethrough, writeback, writearound, none
	CacheMode known.Fact[string] `json:"cache_mode"`
	Model     string             `json:"model"`  // device/model
	Driver    string             `json:"driver"` // virtio_blk, nvme, sd, …; empty if unknown
}

// Virtual reports whether the disk is one that a hypervisor emulates, whose rotational flag says nothing.
func (b Block) Virtual() bool {
	return len(b.Name) >= 2 && (b.Name[:2] == "vd" || len(b.Name) >= 3 && b.Name[:3] == "xvd") ||
		b.Driver == "virtio_blk" || b.Driver == "virtio_scsi"
}

// networkBlock are the kernel's block devices whose disks are another machine's.
var networkBlock = regexp.MustCompile(`^(nbd|rbd|drbd)[0-9]`)

// Network reports whether the storage behind the device is reached over a network, where a server orders requests
// itself.
func (b Block) Network() bool { return networkBlock.MatchString(b.Name) }

// maxBlocks bounds the list: only the chains under places of interest are
// collected, and a host with a thousand LUNs is a large one.
const maxBlocks = 10_000

// foundBlock is an entry of blocks.json.
type foundBlock struct {
	Device string   `json:"device"`
	Name   string   `json:"name"`
	Path   string   `json:"path"` // folder of its attributes, under sys
	Kind   string   `json:"kind"`
	Below  []string `json:"below"`
	Driver string   `json:"driver"`
}

// ReadBlocks reads blocks.json and the attribute files of each device that it
// names. Attributes that a device does not have are facts without a value: a
// partition has no queue, its disk does.
func ReadBlocks(fsys fs.FS) known.Fact[[]Block] {
	return known.Map(evidence.Read(fsys, "blocks.json", parseBlocks), func(found []foundBlock) []Block {
		out := make([]Block, 0, len(found))
		for _, f := range found {
			out = append(out, f.read(fsys))
		}
		return out
	})
}

// ParseBlocks parses blocks.json alone, without the attributes. A path that
// leads out of sys is an error.
func ParseBlocks(b []byte) ([]Block, error) {
	found, err := parseBlocks(b)
	if err != nil {
		return nil, err
	}
	out := make([]Block, 0, len(found))
	for _, f := range found {
		out = append(out, f.bare())
	}
	return out, nil
}

func parseBlocks(b []byte) ([]foundBlock, error) {
	var found []foundBlock
	if err := json.Unmarshal(b, &found); err != nil {
		return nil, err
	}
	if len(found) > maxBlocks {
		return nil, fmt.Errorf("more than %d devices", maxBlocks)
	}
	for _, f := range found {
		if f.Name == "" || strings.ContainsAny(f.Name, "/\n") {
			return nil, fmt.Errorf("%q is not the name of a device", Short(f.Name))
		}
		if !fs.ValidPath(f.Path) || !strings.HasPrefix(f.Path, "sys/") {
			return nil, fmt.Errorf("%s: %q is not a directory under sys", f.Name, Short(f.Path))
		}
	}
	return found, nil
}

func (f foundBlock) bare() Block {
	return Block{Device: f.Device, Name: f.Name, Kind: f.Kind, Below: f.Below, Driver: f.Driver}
}

func (f foundBlock) read(fsys fs.FS) Block {
	b, dir := f.bare(), f.Path+"/"
	b.Rotational = evidence.Read(fsys, dir+"queue/rotational", ParseFlag)
	b.Scheduler = evidence.Read(fsys, dir+"queue/scheduler", ParseScheduler)
	b.Schedulers = evidence.Read(fsys, dir+"queue/scheduler", ParseSchedulers)
	b.OptimalIO = known.Map(evidence.Read(fsys, dir+"queue/optimal_io_size", ParseCount),
		func(n int64) unit.Bytes { return unit.Bytes(n) })
	b.ReadAhead = evidence.Read(fsys, dir+"queue/read_ahead_kb", parseKBFile)
	b.WriteCache = evidence.Read(fsys, dir+"queue/write_cache", ParseWord)
	b.Requests = evidence.Read(fsys, dir+"queue/nr_requests", ParseCount)
	b.DMUUID, b.DMName = word(fsys, dir+"dm/uuid"), word(fsys, dir+"dm/name")
	b.MDLevel, b.Model = word(fsys, dir+"md/level"), word(fsys, dir+"device/model")
	b.MDDegraded = evidence.Read(fsys, dir+"md/degraded", ParseCount)
	b.MDPolicy = evidence.Read(fsys, dir+"md/consistency_policy", ParseWord)
	b.MDDisks = evidence.Read(fsys, dir+"md/raid_disks", ParseCount)
	b.MDAction = evidence.Read(fsys, dir+"md/sync_action", ParseWord)
	b.OwnCache = evidence.Read(fsys, dir+"cache_type", ParseWord)
	b.Timeout = evidence.Read(fsys, dir+"device/timeout", ParseCount)
	b.CacheMode = evidence.Read(fsys, dir+"bcache/cache_mode", ParseChoice)
	return b
}

// ParseFlag parses a file that holds 0 or 1.
func ParseFlag(b []byte) (bool, error) {
	switch s := strings.TrimSpace(string(b)); s {
	case "0":
		return false, nil
	case "1":
		return true, nil
	default:
		return false, fmt.Errorf("%q is neither 0 nor 1", Short(s))
	}
}

// ParseScheduler parses queue/scheduler: the word in brackets, or the only word if a device has no choice (dm and loop
// devices show "none").
func ParseScheduler(b []byte) (string, error) {
	s, err := ParseWord(b)
	if err == nil && !strings.ContainsAny(s, "[] \t") {
		return s, nil
	}
	return ParseChoice(b)
}

// maxSchedulers bounds the words of queue/scheduler; the kernel has four.
const maxSchedulers = 64

// ParseSchedulers parses queue/scheduler: every word of it.
func ParseSchedulers(b []byte) ([]string, error) {
	if _, err := ParseScheduler(b); err != nil {
		return nil, err
	}
	words := strings.Fields(strings.NewReplacer("[", "", "]", "").Replace(string(b)))
	if len(words) > maxSchedulers {
		return nil, fmt.Errorf("more than %d schedulers", maxSchedulers)
	}
	return words, nil
}

func parseKBFile(b []byte) (unit.Bytes, error) { return parseKB(strings.TrimSpace(string(b))) }

// Chain returns the devices that one device is on, itself first: a partition and its disk, a logical volume with its
// physical volumes and their disks. The device is named by major:minor, as a mount has it, or by its name. Each comes
// once, nearest first; none if the device is not in the list.
func Chain(blocks []Block, device string) []Block {
	byName := make(map[string]int, len(blocks))
	next := []string{}
	for i, b := range blocks {
		byName[b.Name] = i
		if len(next) == 0 && (b.Device == device || b.Name == device) {
			next = append(next, b.Name)
		}
	}
	out := []Block{}
	seen := map[string]bool{}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		i, ok := byName[name]
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		out = append(out, blocks[i])
		next = append(next, blocks[i].Below...)
	}
	return out
}
