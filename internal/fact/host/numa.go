package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Node is one NUMA node of sys/devices/system/node.
type Node struct {
	ID    int             `json:"id"`
	CPUs  string          `json:"cpus"`  // cpulist, such as "0-15,32-47"
	Total unit.Bytes      `json:"total"` // MemTotal of nodeN/meminfo
	Free  unit.Bytes      `json:"free"`  // MemFree
	Huge  map[int64]int64 `json:"huge"`  // huge page size in kB → nr_hugepages of this node
}

// ReadNodes
func ReadNodes(fsys fs.FS) known.Fact[[]Node] { panic("ReadNodes: to be written") }
