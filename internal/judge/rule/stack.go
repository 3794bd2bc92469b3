package rule

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Stacks returns, for each directory that an instance writes to, the devices that it is on, from the one that the
// filesystem is on down to the disks, noting what is missing. What has no device (network filesystems, memory, ZFS,
// btrfs with its own numbers) is omitted.
func (c *Case) Stacks() [][]host.Block {
	if len(c.Snapshot.Instances) == 0 {
		return nil
	}
	blocks, ok := Need(c, c.Snapshot.Host.Blocks)
	if !ok {
		return nil
	}
	var out [][]host.Block
	for i := range c.Snapshot.Instances {
		places, _ := Need(c, c.Snapshot.Instances[i].Places)
		for _, p := range places {
			device := p.Device
			if device == "" {
				m, _ := c.Snapshot.MountOf(p.Path)
				device = m.Device
			}
			if chain := host.Chain(blocks, device); device != "" && len(chain) > 0 {
				out = append(out, chain)
			}
		}
	}
	return out
}

// The names of devices that can be in an address, in a path of /sys and in a rule of udev, where some characters would
// be a pattern.
var (
	kernelName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_:-]*$`)
	mapperName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
)

// SubjectOf returns how an address names a device: a volume of device mapper by its own name, as another one may have
// its number after the next boot. "" if the name cannot be in an address.
func SubjectOf(b host.Block) string {
	switch {
	case b.Kind == "dm" && mapperName.MatchString(b.DMName):
		return "mapper/" + b.DMName
	case b.Kind != "dm" && kernelName.MatchString(b.Name):
		return b.Name
	}
	return ""
}

// BlockOf returns the device that an address names.
func BlockOf(s *snapshot.Snapshot, a knob.Address) (host.Block, bool) {
	blocks, _ := s.Host.Blocks.Get()
	i := slices.IndexFunc(blocks, func(b host.Block) bool { return a.Subject() != "" && SubjectOf(b) == a.Subject() })
	if i < 0 {
		return host.Block{}, false
	}
	return blocks[i], true
}

// AddressesOf returns an attribute's address for each of some devices, each once. Of a
// device whose name no address and no rule of udev can hold it says that.
func (c *Case) AddressesOf(attribute string, devices []host.Block) []knob.Address {
	var out []knob.Address
	for _, b := range devices {
		a := knob.Block(SubjectOf(b), attribute)
		switch {
		case SubjectOf(b) == "":
			c.Miss(known.Gap{Fact: "block:" + cmp.Or(b.DMName, b.Name) + "/" + attribute,
				Reason: "a udev rule cannot match a device of this name"})
		case !slices.Contains(out, a):
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return out
}

func presentOfBlock(s *snapshot.Snapshot, a knob.Address, u string) known.Fact[Value] {
	b, ok := BlockOf(s, a)
	switch {
	case !ok:
	case a.Family() == "block:*/scheduler":
		return known.Map(b.Scheduler, func(v string) Value { return Value{Setting: v, Unit: u} })
	case a.Family() == "block:*/read_ahead_kb":
		return known.Map(b.ReadAhead, func(v unit.Bytes) Value { return Value{Setting: spellKB(v), Unit: u} })
	}
	return known.Missed[Value](known.Gap{Fact: string(a), Reason: "not collected"})
}

// Unlike says why a device is none whose queue a plan should change, as a clause;
// zero for a disk, a partition's disk, an array or a volume.
func Unlike(b host.Block) (why say.Message) {
	switch {
	case b.Kind == "loop":
		return say.M("a loop device: the device below its backing file has the queue")
	case b.Kind == "zram":
		return say.M("compressed memory (zram), not a disk")
	}
	return why
}
