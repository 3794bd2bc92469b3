package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
)

// Virt says what kind of machine this is.
type Virt struct {
	Kind      string `json:"kind"`      // "none", or the hypervisor: kvm, vmware, microsoft, xen, amazon, …; "unknown" when only the flag tells
	Container string `json:"container"` // "", docker, podman, lxc, systemd-nspawn, kubernetes
	Balloon   bool   `json:"balloon"`   // a memory balloon driver is there (virtio_balloon, vmw_balloon, hv_balloon)
}

// ReadVirt
func ReadVirt(fsys fs.FS) known.Fact[Virt] { panic("ReadVirt: to be written") }
