package rule

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// sayStorage is what reveals the kind of storage where no device tells it.
const sayStorage = "say --storage nvme|ssd|hdd|san"

// Slowness orders the kinds of storage: a volume over several disks is as slow
// as its slowest.
var Slowness = []Storage{NVMe, SSD, SAN, HDD}

// NetworkFS are file systems whose server's disks cannot be seen from here.
var NetworkFS = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "9p",
	"virtiofs", "lustre", "afs"}

// StorageOf returns what the instance's place of a role lies on, and a clause
// that says how that is known. When it is not known, ok is false and the gap is
// among the unknowns: a rule that rests on it leaves its knob alone.
func (c *Case) StorageOf(role snapshot.PlaceRole) (s Storage, why string, ok bool) {
	if s := c.Options.Storage; s != "" {
		return s, "you said so", true
	}
	place, ok := c.place(role)
	if !ok {
		return "", "", false
	}
	unknown := func(reason string) (Storage, string, bool) {
		c.Miss(known.Gap{Fact: "storage under " + place.Path, Reason: reason, Reveal: sayStorage})
		return "", "", false
	}
	device := place.Device
	if m, ok := c.Snapshot.MountOf(place.Path); ok {
		if slices.Contains(NetworkFS, m.FSType) {
			return unknown("it is a network file system (" + m.FSType +
				"), and its server's disks cannot be seen from here")
		}
		if device == "" {
			device = m.Device
		}
	}
	blocks, ok := Need(c, c.Snapshot.Host.Blocks)
	if !ok {
		return "", "", false
	}
	chain := host.Chain(blocks, device)
	if len(chain) == 0 {
		return unknown("no block device was seen under it")
	}
	s, why, reason := c.StorageOfChain(chain)
	if reason != "" {
		return unknown(reason)
	}
	return s, why, true
}

// StorageUnderDevice is storageOfChain for all that a device lies on.
func (c *Case) StorageUnderDevice(device string) (s Storage, why, reason string) {
	blocks, _ := c.Snapshot.Host.Blocks.Get()
	chain := host.Chain(blocks, device)
	if len(chain) == 0 {
		return "", "", "no block device was seen under it"
	}
	return c.StorageOfChain(chain)
}

// StorageOfChain returns the slowest kind of the disks below a device, with a clause
// that says how that is known, or the reason why it cannot be told.
func (c *Case) StorageOfChain(chain []host.Block) (s Storage, why, reason string) {
	var names []string
	for _, b := range chain {
		// A multipath device is how a storage network shows a volume: what the
		// paths below say of rotation is what the array was set to say.
		if strings.HasPrefix(b.DMUUID, "mpath-") {
			return SAN, b.Name + " is a multipath device", ""
		}
		if len(b.Below) > 0 {
			for _, name := range b.Below {
				if !slices.ContainsFunc(chain, func(o host.Block) bool { return o.Name == name }) {
					return "", "", "nothing is known of " + name + ", which " + b.Name + " lies on"
				}
			}
			continue
		}
		k, reason := c.DiskKind(b)
		if reason != "" {
			return "", "", reason
		}
		names = append(names, b.Name+" is "+string(k))
		if s == "" || slices.Index(Slowness, k) > slices.Index(Slowness, s) {
			s = k
		}
	}
	if s == "" {
		return "", "", "no disk was seen under " + chain[0].Name
	}
	return s, strings.Join(names, ", "), ""
}

// DiskKind returns what one disk is, or the reason why that cannot be told.
func (c *Case) DiskKind(b host.Block) (s Storage, reason string) {
	if strings.HasPrefix(b.Name, "nvme") {
		return NVMe, ""
	}
	if b.Virtual() {
		return "", b.Name + " is a virtual disk, whose rotational flag says nothing of what is beneath"
	}
	if b.Kind != "disk" {
		return "", b.Name + " is no disk (" + b.Kind + ")"
	}
	// A hypervisor's SCSI disk looks like any other; its flag is the
	// hypervisor's default, on VMware "rotational" above the fastest flash.
	v, ok := c.Snapshot.Host.Virt.Get()
	if !ok {
		return "", "it is not known whether " + b.Name + " is a virtual disk (" +
			c.Snapshot.Host.Virt.Gap().Reason + ")"
	}
	switch v.Kind {
	case "none":
	case "":
		return "", "nothing tells whether " + b.Name + " is a virtual disk"
	default:
		return "", b.Name + " is a disk of a virtual machine, whose rotational flag says nothing of what is beneath"
	}
	rotates, ok := b.Rotational.Get()
	switch {
	case !ok:
		return "", "whether " + b.Name + " rotates is not known (" + b.Rotational.Gap().Reason + ")"
	case rotates:
		return HDD, ""
	}
	return SSD, ""
}

// place returns the instance's first place of a role, noting when it is not known.
func (c *Case) place(role snapshot.PlaceRole) (snapshot.Place, bool) {
	places, ok := Need(c, c.Instance.Places)
	if !ok {
		return snapshot.Place{}, false
	}
	for _, p := range places {
		if p.Role == role {
			return p, true
		}
	}
	c.Miss(known.Gap{Fact: "pg/" + c.Instance.Key + "/places", Reason: "no place for " + string(role) + " was seen"})
	return snapshot.Place{}, false
}

// SpaceOf returns the size and the free space of the file system that a place
// lies on, noting when they are not known.
func (c *Case) SpaceOf(role snapshot.PlaceRole) (total, free unit.Bytes, ok bool) {
	place, ok := c.place(role)
	if !ok {
		return 0, 0, false
	}
	spaces, ok := Need(c, c.Snapshot.Host.Spaces)
	if !ok {
		return 0, 0, false
	}
	s, ok := c.Snapshot.SpaceAt(spaces, place.Path)
	if !ok {
		c.Miss(known.Gap{Fact: "free space of " + place.Path, Reason: "nobody asked its file system"})
	}
	return s.Total, s.Free, ok
}
