package rule

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// sayStorage is what reveals the kind of storage if no device reports it.
const sayStorage = "pass --storage nvme|ssd|hdd|san"

// Slowness orders the kinds of storage: a volume over several disks is as slow
// as its slowest.
var Slowness = []Storage{NVMe, SSD, SAN, HDD}

// NetworkFS are filesystems whose server's disks cannot be seen from here.
var NetworkFS = []string{"nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "9p",
	"virtiofs", "lustre", "afs"}

// StorageOf returns what the instance's place of a role is on, and a clause that says how that is known. When it is not
// known, ok is false and the gap is among the unknowns: a rule that depends on it leaves its knob alone.
func (c *Case) StorageOf(role snapshot.PlaceRole) (s Storage, why say.Message, ok bool) {
	if s := c.Options.Storage; s != "" {
		return s, say.M("set with --storage"), true
	}
	place, ok := c.place(role)
	if !ok {
		return "", why, false
	}
	unknown := func(reason say.Message) (Storage, say.Message, bool) {
		c.Miss(known.Gap{Fact: "storage under " + place.Path, Reason: reason.String(), Reveal: sayStorage})
		return "", say.Message{}, false
	}
	device := place.Device
	if m, ok := c.Snapshot.MountOf(place.Path); ok {
		if slices.Contains(NetworkFS, m.FSType) {
			return unknown(say.M("network filesystem ({type}): the disks of its server are not visible here",
				"type", m.FSType))
		}
		if device == "" {
			device = m.Device
		}
	}
	blocks, ok := Need(c, c.Snapshot.Host.Blocks)
	if !ok {
		return "", why, false
	}
	chain := host.Chain(blocks, device)
	if len(chain) == 0 {
		return unknown(noBlockDevice)
	}
	s, why, reason := c.StorageOfChain(chain)
	if !reason.IsZero() {
		return unknown(reason)
	}
	return s, why, true
}

var noBlockDevice = say.M("no block device found")

// StorageUnderDevice is StorageOfChain for a device and all devices below it.
func (c *Case) StorageUnderDevice(device string) (s Storage, why, reason say.Message) {
	blocks, _ := c.Snapshot.Host.Blocks.Get()
	chain := host.Chain(blocks, device)
	if len(chain) == 0 {
		return "", why, noBlockDevice
	}
	return c.StorageOfChain(chain)
}

// StorageOfChain returns the slowest kind of the disks below a device, with a clause
// that says how that is known, or the reason why it is unknown.
func (c *Case) StorageOfChain(chain []host.Block) (s Storage, why, reason say.Message) {
	var names []say.Message
	for _, b := range chain {
		// A multipath device is how a storage network shows a volume: what the
		// paths below say of rotation is what the array was set to say.
		if strings.HasPrefix(b.DMUUID, "mpath-") {
			return SAN, say.M("{device} is a multipath device", "device", b.Name), reason
		}
		if len(b.Below) > 0 {
			for _, name := range b.Below {
				if !slices.ContainsFunc(chain, func(o host.Block) bool { return o.Name == name }) {
					return "", why, say.M("no facts about {below}, a device below {device}", "below", name, "device",
						b.Name)
				}
			}
			continue
		}
		k, reason := c.DiskKind(b)
		if !reason.IsZero() {
			return "", why, reason
		}
		names = append(names, say.M("{device} is {kind}", "device", b.Name, "kind", string(k)))
		if s == "" || slices.Index(Slowness, k) > slices.Index(Slowness, s) {
			s = k
		}
	}
	if s == "" {
		return "", why, say.M("no disk found below {device}", "device", chain[0].Name)
	}
	return s, say.All(", ", names...), reason
}

// DiskKind returns what one disk is, or the reason why that is unknown.
func (c *Case) DiskKind(b host.Block) (s Storage, reason say.Message) {
	if strings.HasPrefix(b.Name, "nvme") {
		return NVMe, reason
	}
	if b.Virtual() {
		return "", say.M("{device} is a virtual disk: its rotational flag does not describe the storage below it",
			"device", b.Name)
	}
	if b.Kind != "disk" {
		return "", say.M("{device} is not a disk ({kind})", "device", b.Name, "kind", b.Kind)
	}
	// A hypervisor's SCSI disk looks like any other; its flag is the
	// hypervisor's default, on VMware "rotational" above the fastest flash.
	v, ok := c.Snapshot.Host.Virt.Get()
	if !ok {
		return "", say.M("unknown whether {device} is a virtual disk ({reason})", "device", b.Name, "reason",
			gapwords.Arg(c.Snapshot.Host.Virt.Gap().Reason))
	}
	switch v.Kind {
	case "none":
	case "":
		return "", say.M("unknown whether {device} is a virtual disk", "device", b.Name)
	default:
		return "", say.M("{device} is a disk of a virtual machine: its rotational flag does not describe the storage "+
			"below it", "device", b.Name)
	}
	rotates, ok := b.Rotational.Get()
	switch {
	case !ok:
		return "", say.M("rotational flag of {device}: unavailable ({reason})", "device", b.Name, "reason",
			gapwords.Arg(b.Rotational.Gap().Reason))
	case rotates:
		return HDD, reason
	}
	return SSD, reason
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
	c.Miss(known.Gap{Fact: "pg/" + c.Instance.Key + "/places", Reason: "no directory found for: " + string(role)})
	return snapshot.Place{}, false
}

// SpaceOf returns the size and the free space of the filesystem that a place
// is on, noting when they are not known.
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
		c.Miss(known.Gap{Fact: "free space of " + place.Path, Reason: "not collected"})
	}
	return s.Total, s.Free, ok
}
