package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Block is a block device or a partition under a place of interest. A chain of
// partition, dm, md and disks is followed downwards through Below.
type Block struct {
	Device     string                 `json:"device"`     // major:minor
	Name       string                 `json:"name"`       // vda, nvme0n1p1, dm-3, md0
	Kind       string                 `json:"kind"`       // partition, disk, dm, md, loop, zram
	Below      []string               `json:"below"`      // names of the devices it lies on: a partition's disk, slaves/ of dm and md
	Rotational known.Fact[bool]       `json:"rotational"` // queue/rotational; not to be believed on virtual disks
	Scheduler  known.Fact[string]     `json:"scheduler"`  // queue/scheduler, the word in brackets
	ReadAhead  known.Fact[unit.Bytes] `json:"readAhead"`  // queue/read_ahead_kb
	WriteCache known.Fact[string]     `json:"writeCache"` // queue/write_cache: "write back" or "write through"
	Requests   known.Fact[int64]      `json:"requests"`   // queue/nr_requests
	DMUUID     string                 `json:"dmUUID"`     // dm/uuid: LVM-…, CRYPT-…, mpath-…
	DMName     string                 `json:"dmName"`     // dm/name
	MDLevel    string                 `json:"mdLevel"`    // md/level: raid1, raid10, …
	MDDegraded known.Fact[int64]      `json:"mdDegraded"` // md/degraded
	Model      string                 `json:"model"`      // device/model
	Driver     string                 `json:"driver"`     // virtio_blk, nvme, sd, …; empty where unknown
}

// Virtual says whether the disk is one that a hypervisor made up, whose
// rotational flag says nothing.
func (b Block) Virtual() bool {
	return len(b.Name) >= 2 && (b.Name[:2] == "vd" || len(b.Name) >= 3 && b.Name[:3] == "xvd") || b.Driver == "virtio_blk" || b.Driver == "virtio_scsi"
}

// ReadBlocks
func ReadBlocks(fsys fs.FS) known.Fact[[]Block] { panic("ReadBlocks: to be written") }
