// Package knob names what can be turned: the address of a setting in any
// layer of the host, when a change takes effect, and how risky it is.
package knob

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Address names one setting, as layer prefix, colon and name:
//
//	pg:shared_buffers     sysctl:vm.nr_hugepages     thp:enabled
//	block:vda/scheduler   mount:/srv/options         boot:transparent_hugepage
//	unit:OOMPolicy           wal:location (the folder of pg_wal)
//	tablespace:archive/random_page_cost   tablespace:archive/location
//	relation:shop.public.orders/tablespace
//
// What there is once a device, a mount, a tablespace or a relation is named with its subject: vda, /srv, or mapper/NAME
// for a volume of device mapper, whose number another volume may have after the next boot. A family has a * there and
// includes each of them: block:*/scheduler, mount:*/options.
type Address string

// Layer is the part of the machine that a knob belongs to.
type Layer string

// The layers, in the order in which a plan shows them.
const (
	Instance Layer = "instance"
	Kernel   Layer = "kernel"
	Boot     Layer = "boot"
	Mounts   Layer = "mounts"
	Units    Layer = "units"
)

// Layers lists the layers in the order of display.
var Layers = []Layer{Instance, Kernel, Boot, Mounts, Units}

var layerOf = map[string]Layer{
	"pg": Instance, "wal": Instance, "tablespace": Instance, "relation": Instance, "sysctl": Kernel, "thp": Kernel,
	"block": Kernel,
	"boot":  Boot, "mount": Mounts, "unit": Units,
}

// PG returns the address of a server setting.
func PG(name string) Address { return Address("pg:" + name) }

// Sysctl returns the address of a kernel parameter, such as vm.swappiness.
func Sysctl(name string) Address { return Address("sysctl:" + name) }

// Block returns the address of an attribute of a block device's queue. device is
// the kernel's name of it, or mapper/NAME.
func Block(device, attribute string) Address { return Address("block:" + device + "/" + attribute) }

// MountOptions returns the address of the options of a mount point.
func MountOptions(point string) Address {
	return Address("mount:" + strings.TrimSuffix(point, "/") + "/options")
}

// Any is the subject of a family.
const Any = "*"

// Subject returns the device, the mount point, the tablespace or the relation (as an address spells it) that the
// address names, * for a family of them, "" if there is only one of the knob.
func (a Address) Subject() string {
	subject, _ := a.parts()
	return subject
}

// Family returns the address with * in place of the subject; a itself if it names none.
func (a Address) Family() Address {
	if subject, attribute := a.parts(); subject != "" {
		return Address(a.Prefix() + ":" + Any + "/" + attribute)
	}
	return a
}

// Covers reports whether a is b, or the family that b belongs to.
func (a Address) Covers(b Address) bool { return a == b || a.Subject() == Any && a == b.Family() }

func (a Address) parts() (subject, attribute string) {
	name := a.Name()
	i := strings.LastIndexByte(name, '/')
	switch {
	case i < 0:
		return "", ""
	case (a.Prefix() == "block" || a.Prefix() == tablespace || a.Prefix() == relation) && i > 0:
		return name[:i], name[i+1:]
	case a.Prefix() == "mount" && i == 0:
		return "/", name[1:]
	case a.Prefix() == "mount":
		return name[:i], name[i+1:]
	}
	return "", ""
}

// Parse reads an address. The error names the prefixes that exist.
func Parse(s string) (Address, error) {
	prefix, name, ok := strings.Cut(s, ":")
	if _, known := layerOf[prefix]; !ok || !known || name == "" {
		return "",
			say.Err("{text} is not the address of a knob: write pg:NAME, wal:location, tablespace:NAME/OPTION, "+
				"sysctl:NAME, thp:NAME, block:DEV/NAME, mount:PATH/options, boot:NAME or unit:NAME",
				"text", say.Quoted(s))
	}
	switch prefix {
	case tablespace:
		return parseTablespace(s)
	case relation:
		return parseRelation(s)
	}
	return Address(s), nil
}

// Prefix returns the part before the colon: pg, sysctl, thp, …
func (a Address) Prefix() string { p, _, _ := strings.Cut(string(a), ":"); return p }

// Name returns the part after the colon: shared_buffers, vm.nr_hugepages, …
func (a Address) Name() string { _, n, _ := strings.Cut(string(a), ":"); return n }

// Layer returns the layer that the address belongs to.
func (a Address) Layer() Layer {
	if a.Creates() {
		return Creation
	}
	return layerOf[a.Prefix()]
}

// Effect says what a change needs before it is in force.
type Effect int

// Effects, from the gentlest to the hardest. Their order is their meaning:
// --max-effect compares them.
const (
	Now     Effect = iota // in force when written (a sysctl, a file of /sys)
	Reload                // after a reload of the server
	Restart               // after a restart of the server
	Reboot                // after a reboot of the host
)

var effectNames = []string{"now", "reload", "restart", "reboot"}

// String returns now, reload, restart or reboot.
func (e Effect) String() string { return effectNames[e] }

// MarshalText writes the name.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads the name.
func (e *Effect) UnmarshalText(b []byte) error {
	v, err := ParseEffect(string(b))
	*e = v
	return err
}

// ParseEffect reads now, reload, restart or reboot.
func ParseEffect(s string) (Effect, error) {
	for i, n := range effectNames {
		if n == s {
			return Effect(i), nil
		}
	}
	return 0, say.Err("{text} is not an effect: write now, reload, restart or reboot", "text", say.Quoted(s))
}

// EffectOf returns the effect that PostgreSQL's context of a setting implies.
// Every context but postmaster takes a new value from the file at a reload
// (backend contexts in new sessions only); internal cannot be set at all.
func EffectOf(context string) Effect {
	if context == "postmaster" {
		return Restart
	}
	return Reload
}

// Risk says how a change can hurt, for people and for --accept-risk.
type Risk string

// The risks.
const (
	Low    Risk = "low"    // undone by writing the old value back; nothing can fail
	Medium Risk = "medium" // changes the behavior of other programs or of plans; watch it
	High   Risk = "high"   // can keep programs from getting memory or the server from starting: read the reason first
)
