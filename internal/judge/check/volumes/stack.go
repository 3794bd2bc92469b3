package volumes

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// stacked is a folder of the instance with the devices that it lies on, from
// the one that is mounted down to the disks.
type stacked struct {
	Mounted
	Chain []host.Block
}

// Stacks returns the instance's folders that lie on a block device, noting what
// is missing. Network filesystems and memory have no device and are left out.
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

// Device is a device with the folders that lie on it.
type Device struct {
	host.Block
	Places []stacked
}

// Folders names them: "the data directory /srv/pg". The WAL folder inside the
// data directory goes without saying.
func (u Device) Folders() string {
	var told []string
	for _, p := range u.Places {
		if p.Role == snapshot.WALPlace && len(told) > 0 && strings.HasPrefix(p.Path, u.Places[0].Path+"/") {
			continue
		}
		told = append(told, PlaceName(p.Place))
	}
	return check.Join(told, ", ", 3)
}

// DeviceName names a device as a person knows it: a volume of device mapper by its
// own name.
func DeviceName(b host.Block) string {
	if b.DMName != "" {
		return b.DMName
	}
	return b.Name
}

// Devices returns each device under the folders once, in the order in which
// they are met.
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

// OnDevices tells of the devices that fit which folders lie on them; say is what
// is said of the device, "" where it does not fit.
func OnDevices(list []stacked, say func(host.Block) string) string {
	var told []string
	for _, u := range Devices(list) {
		if s := say(u.Block); s != "" {
			told = append(told, s+", under "+u.Folders())
		}
	}
	return check.Join(told, "; ", 3)
}

// Mapped returns what device mapper says of a device; ok is false where it is
// no mapped device or nothing was said.
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

// MappedUnder returns what device mapper said, and notes it as missing only where
// a folder lies on one of its devices that the check cannot judge without.
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

// Physical says whether the host is known to be no virtual machine: only there
// do flags of disks speak of disks.
func Physical(c *check.Case) bool {
	v, ok := c.Snapshot.Host.Virt.Get()
	return ok && v.Kind == "none"
}

// OverNetwork says whether a mount's disks are those of another host.
func OverNetwork(m host.Mount) bool {
	switch m.FSType {
	case "nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "fuse.glusterfs", "fuse.sshfs", "9p", "virtiofs",
		"lustre", "afs":
		return true
	}
	return false
}

func OnTmpfs(m host.Mount) bool {
	return m.FSType == "tmpfs" || m.FSType == "ramfs" || m.FSType == "devtmpfs"
}
