package collect

import (
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// maxBlocks bounds the devices of all chains together: a storage array shows
// some hundred.
const maxBlocks = 1000

// block is an entry of blocks.json.
type block struct {
	Device string   `json:"device"` // major:minor
	Name   string   `json:"name"`
	Path   string   `json:"path"` // of its directory in the evidence
	Kind   string   `json:"kind"`
	Below  []string `json:"below"`
	Driver string   `json:"driver"`
}

// blocks follows the device of every place down to the disks and copies the
// attributes of each device on the way.
func (c *collector) blocks(found []*instance) []block {
	out := []block{}
	seen := map[string]bool{}
	var queue []string // folders under /sys/devices
	for _, in := range found {
		for _, p := range in.places {
			link := "sys/dev/block/" + p.Device
			if seen[link] || strings.HasPrefix(p.Device, "0:") {
				continue // memory, network and stacked filesystems have no device
			}
			seen[link] = true
			at, err := c.t.Resolve(link)
			if err != nil {
				c.miss(link, err, asRoot)
				continue
			}
			queue = append(queue, at)
		}
	}
	for len(queue) > 0 && len(out) < maxBlocks {
		at := queue[0]
		queue = queue[1:]
		if seen[at] {
			continue
		}
		seen[at] = true
		b, below := c.block(at)
		out = append(out, b)
		queue = append(queue, below...)
	}
	c.json("blocks.json", out)
	return out
}

// block looks at one device and returns the directories of those it is on.
func (c *collector) block(at string) (block, []string) {
	b := block{Device: text(c.t, at+"/dev"), Name: path.Base(at), Below: []string{}}
	b.Path = "sys/block/" + b.Name
	there := func(name string) bool { _, err := c.t.Stat(at + "/" + name); return err == nil }
	var below []string
	switch {
	case there("partition"):
		disk := path.Dir(at)
		b.Kind, b.Path = "partition", "sys/block/"+path.Base(disk)+"/"+b.Name
		b.Below, below = []string{path.Base(disk)}, []string{disk}
	case there("dm"):
		b.Kind = "dm"
	case there("md"):
		b.Kind = "md"
	case there("bcache"):
		b.Kind = "bcache"
	case there("loop"):
		b.Kind = "loop"
	case strings.HasPrefix(b.Name, "zram"):
		b.Kind = "zram"
	default:
		b.Kind = "disk"
	}
	slaves, _ := c.t.ReadDir(at + "/slaves")
	slices.Sort(slaves)
	for _, s := range slaves {
		if to, err := c.t.Resolve(at + "/slaves/" + s); err == nil {
			b.Below, below = append(b.Below, path.Base(to)), append(below, to)
		}
	}
	b.Driver = c.driver(at)
	if b.Driver == "sd" {
		for _, f := range c.glob(strings.TrimPrefix(at, "/") + "/device/scsi_disk/*/cache_type") {
			c.takeIfThere(f, b.Path+"/cache_type") // as virtio disks have it: one a disk
		}
	}
	for _, f := range host.BlockFiles {
		c.takeIfThere(at+"/"+f, b.Path+"/"+f) // a disk has no dm/, a partition no queue/
	}
	return b, below
}

// driver names the driver of a disk: of its own bus device, or for NVMe of the
// controller above it.
func (c *collector) driver(at string) string {
	for _, link := range []string{"/device/driver", "/device/device/driver"} {
		if to, err := c.t.Resolve(at + link); err == nil {
			return path.Base(to)
		}
	}
	return ""
}
