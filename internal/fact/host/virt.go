package host

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Virt says what kind of machine this is.
type Virt struct {
	// "none", or the hypervisor: kvm, vmware, microsoft, xen, amazon, …; "unknown" if only the CPU flag shows it; "" if
	// nothing does
	Kind      string `json:"kind"`
	Container string `json:"container"` // "", docker, podman, lxc, systemd-nspawn, kubernetes
	Balloon   bool   `json:"balloon"`   // a memory balloon driver is there (virtio_balloon, vmw_balloon, hv_balloon)
}

// ReadVirt reads the kind of machine. It is missing if neither the CPU nor the firmware's tables could be read.
func ReadVirt(fsys fs.FS) known.Fact[Virt] {
	info := evidence.Read(fsys, "proc/cpuinfo", parseGuest)
	guest, flagged := info.Get()
	vendor, product := word(fsys, "sys/class/dmi/id/sys_vendor"), word(fsys, "sys/class/dmi/id/product_name")
	if !flagged && vendor == "" && product == "" {
		return known.Without[Virt](info.State(), info.Gap())
	}
	v := Virt{Container: containerOf(fsys), Balloon: balloon(fsys)}
	dmi := hypervisorOf(vendor, product, word(fsys, "sys/class/dmi/id/bios_vendor"))
	switch {
	case guest == isMetal: // a cloud's machine without a hypervisor has its vendor too
		v.Kind = "none"
	case word(fsys, "sys/hypervisor/type") == "xen" && dmi == "":
		v.Kind = "xen"
	case dmi != "":
		v.Kind = dmi
	case guest == isGuest:
		v.Kind = "unknown"
	}
	return known.Is(v)
}

// guestFlag is what the x86 flag says.
type guestFlag int

const (
	noFlags guestFlag = iota // not an x86: nothing is said
	isMetal
	isGuest
)

func parseGuest(b []byte) (guestFlag, error) {
	c, err := ParseCPUInfo(b)
	switch {
	case err != nil:
		return noFlags, err
	case c.Hypervisor:
		return isGuest, nil
	case strings.Contains("\n"+string(b), "\nflags"):
		return isMetal, nil
	}
	return noFlags, nil
}

// dmiMarks are words of the firmware's tables and the hypervisor that they
// mean, the particular before the general.
var dmiMarks = []struct{ mark, kind string }{
	{"amazon ec2", "amazon"},
	{"google compute engine", "google"},
	{"vmware", "vmware"},
	{"virtualbox", "oracle"}, {"innotek", "oracle"},
	{"parallels", "parallels"},
	{"bhyve", "bhyve"},
	{"xen", "xen"}, {"hvm domu", "xen"},
	{"openstack", "kvm"}, {"kvm", "kvm"}, {"qemu", "kvm"}, {"bochs", "kvm"}, {"ovirt", "kvm"},
	{"rhev", "kvm"}, {"ahv", "kvm"}, {"nutanix", "kvm"}, {"alibaba cloud ecs", "kvm"}, {"digitalocean", "kvm"},
	{"seabios", "kvm"},
}

func hypervisorOf(vendor, product, bios string) string {
	if vendor == "Microsoft Corporation" && product == "Virtual Machine" { // the vendor makes real machines too
		return "microsoft"
	}
	all := strings.ToLower(vendor + "\n" + product + "\n" + bios)
	for _, m := range dmiMarks {
		if strings.Contains(all, m.mark) {
			return m.kind
		}
	}
	return ""
}

// balloon reports whether a balloon driver is loaded, is bound to a device, or has taken memory (the line Balloon of
// meminfo, 6.18 and later).
func balloon(fsys fs.FS) bool {
	mods, err := fs.ReadFile(fsys, "proc/modules")
	if err == nil {
		all := "\n" + string(mods)
		for _, m := range []string{"virtio_balloon ", "vmw_balloon ", "hv_balloon "} {
			if strings.Contains(all, "\n"+m) {
				return true
			}
		}
	}
	if word(fsys, "sys/module/virtio_balloon/initstate") == "live" {
		return true
	}
	bound, _ := folder(fsys, "sys/bus/virtio/drivers/virtio_balloon", MaxWord)
	if slices.ContainsFunc(bound, func(n string) bool { return strings.HasPrefix(n, "virtio") }) {
		return true
	}
	m, _ := ReadMemory(fsys).Get()
	taken, _ := m.Line("Balloon")
	return taken > unit.Bytes(0)
}
