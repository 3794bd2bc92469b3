package volumes

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// stacked is a directory of the instance with the devices below it, from
// the one that is mounted down to the disks.
type stacked struct {
	Mounted
	Chain []host.Block
}

// Stacks returns the instance's directories that are on a block device, noting what
// is missing. Network filesystems and memory have no device and are omitted.
func Stacks(c *check.Case) []stacked {
	list := Mounts(c)
	blocks, ok := check.Need(c, c.Snapshot.Host.Blocks)
	if !ok {
		return nil
	}
	var out []stacked
	for _, m := range list {
		device := m.Device
		if device == "" {
			device = m.Mount.Device
		}
		if chain := host.Chain(blocks, device); len(chain) > 0 {
			out = append(out, stacked{m, chain})
		}
	}
	return out
}

// Device is a device with the directories on it.
type Device struct {
	host.Block
	Places []stacked
}

// Directories names them: "data directory /srv/pg". The WAL directory inside the
// data directory is omitted.
func (u Device) Directories() say.List {
	out := say.List{Most: mostNamed}
	for _, p := range u.Places {
		if p.Role == snapshot.WALPlace && len(out.Items) > 0 && strings.HasPrefix(p.Path, u.Places[0].Path+"/") {
			continue
		}
		out.Items = append(out.Items, PlaceName(p.Place))
	}
	return out
}

// DeviceName is the name that administrators use: for a volume of device mapper, its
// own name.
func DeviceName(b host.Block) string {
	if b.DMName != "" {
		return b.DMName
	}
	return b.Name
}

// Devices returns each device below the directories once, in the order of their first use.
func Devices(list []stacked) []Device {
	var out []Device
	at := map[string]int{}
	for _, s := range list {
		for _, b := range s.Chain {
			i, ok := at[b.Name]
			if !ok {
				i = len(out)
				at[b.Name] = i
				out = append(out, Device{Block: b})
			}
			out[i].Places = append(out[i].Places, s)
		}
	}
	return out
}

// OnDevices returns what text says of each device; an empty message for those that do not fit.
func OnDevices(list []stacked, text func(Device) say.Message) say.List {
	out := say.List{Sep: "; ", Most: mostNamed}
	for _, u := range Devices(list) {
		if m := text(u); !m.IsZero() {
			out.Items = append(out.Items, m)
		}
	}
	return out
}

// Mapped returns what device mapper reports of a device; ok is false if it is
// not a mapped device or nothing was reported.
func Mapped(list []host.Mapped, b host.Block) (host.Mapped, bool) {
	if b.DMName == "" {
		return host.Mapped{}, false
	}
	for _, m := range list {
		if m.Name == b.DMName {
			return m, true
		}
	}
	return host.Mapped{}, false
}

// MappedUnder returns what device mapper reports, and notes it as missing only if
// a directory is on one of its devices that the check cannot judge without.
func MappedUnder(c *check.Case, list []stacked, wants func(host.Block) bool) []host.Mapped {
	for _, u := range Devices(list) {
		if u.Kind == "dm" && wants(u.Block) {
			m, _ := check.Need(c, c.Snapshot.Host.Mapped)
			return m
		}
	}
	m, _ := c.Snapshot.Host.Mapped.Get()
	return m
}

// Physical returns whether the host is known not to be a virtual machine: only then
// do the flags of disks describe real disks.
func Physical(c *check.Case) bool {
	v, ok := c.Snapshot.Host.Virt.Get()
	return ok && v.Kind == "none"
}

// OverNetwork returns whether a mount's disks belong to another host.
func OverNetwork(m host.Mount) bool {
	switch m.FSType {
	case "nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "9p", "virtiofs",
		"lustre", "afs":
		return true
	}
	return false
}

// OnTmpfs returns whether a mount is in memory.
func OnTmpfs(m host.Mount) bool {
	return m.FSType == "tmpfs" || m.FSType == "ramfs" || m.FSType == "devtmpfs"
}
