package creation

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// The parts of the host that an order may choose from: what --layers takes.
const (
	LayerSysctl    = "sysctl"    // kernel parameters, those of huge pages excepted
	LayerHugePages = "hugepages" // the pool of huge pages, now and at boot
	LayerTHP       = "thp"       // transparent huge pages
	LayerDisks     = "disks"     // readahead and scheduler of block devices
	LayerMounts    = "mounts"    // options of mounts, such as noatime
	LayerStats     = "stats"     // the files of the statistics collector of 13 and 14, in memory
	LayerSwap      = "swap"      // a swap file where the host has no swap; only where it is named
)

// HostLayers are all of them.
var HostLayers = []string{LayerSysctl, LayerHugePages, LayerTHP, LayerDisks, LayerMounts, LayerStats, LayerSwap}

// layerOf is the part of the host that an address belongs to; "" if none may be chosen.
func layerOf(a knob.Address) string {
	switch a.Prefix() {
	case "sysctl":
		if strings.Contains(a.Name(), "hugepages") {
			return LayerHugePages
		}
		return LayerSysctl
	case "boot":
		return LayerHugePages
	case "thp":
		return LayerTHP
	case "block":
		return LayerDisks
	case "mount":
		return LayerMounts
	}
	return ""
}

// takes reports whether a change of the host may be made.
func (o Order) takes(a knob.Address) bool {
	return o.asks(layerOf(a))
}

// asks reports whether a part of the host is asked for. A swap file is asked for by SwapFor.
func (o Order) asks(layer string) bool {
	return o.Kernel && layer != "" && (len(o.Layers) == 0 || slices.Contains(o.Layers, layer))
}

// pool is the address that huge pages are reserved with.
var pool = knob.Sysctl("vm.nr_hugepages")
