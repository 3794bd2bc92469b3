package host

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Node is one NUMA node of sys/devices/system/node.
type Node struct {
	ID int `json:"id"`
	// cpulist, such as "0-15,32-47"; empty on a memory-only node, or if it could not be read
	CPUs  string          `json:"cpus"`
	Total unit.Bytes      `json:"total"` // MemTotal of nodeN/meminfo
	Free  unit.Bytes      `json:"free"`  // MemFree
	Huge  map[int64]int64 `json:"huge"`  // huge page size in kB → nr_hugepages of this node
}

const nodeDir = "sys/devices/system/node"

// maxNodes limits the list: the largest kernel configuration has 1024 nodes (CONFIG_NODES_SHIFT=10), and the directory
// some files beside them.
const maxNodes = 1024 + 64

// ReadNodes reads the NUMA nodes in order of their number. A node whose memory
// cannot be read makes the fact missing.
func ReadNodes(fsys fs.FS) known.Fact[[]Node] {
	names, there := folder(fsys, nodeDir, maxNodes)
	if !there.Known() {
		return known.Without[[]Node](there.State(), there.Gap())
	}
	nodes := []Node{}
	for _, n := range names {
		num, ok := strings.CutPrefix(n, "node")
		id, err := strconv.Atoi(num)
		if !ok || err != nil || !Digits(num) || id >= maxNodes {
			continue
		}
		dir := nodeDir + "/" + n
		f := evidence.Read(fsys, dir+"/meminfo", ParseNodeMemory)
		node, ok := f.Get()
		if !ok {
			return known.Without[[]Node](f.State(), f.Gap())
		}
		node.ID, node.CPUs = id, word(fsys, dir+"/cpulist")
		if _, err := ParseCPUList([]byte(node.CPUs)); err != nil {
			return known.Missed[[]Node](known.Gap{Fact: dir + "/cpulist", Reason: "malformed: " + err.Error()})
		}
		node.Huge = map[int64]int64{}
		pools, _ := folder(fsys, dir+"/hugepages", maxPools)
		for _, p := range pools {
			size, err := ParsePoolName(p)
			pages, ok := evidence.Read(fsys, dir+"/hugepages/"+p+"/nr_hugepages", ParsePages).Get()
			if err == nil && ok {
				node.Huge[int64(size/unit.KB)] = pages
			}
		}
		nodes = append(nodes, node)
	}
	if len(nodes) == 0 {
		return known.None[[]Node](known.Gap{Fact: nodeDir, Reason: "this kernel shows no node"})
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].ID < nodes[j].ID })
	return known.Is(nodes)
}

// ParseNodeMemory parses nodeN/meminfo, whose lines are "Node 0 MemTotal: 1024
// kB". A text without MemTotal or MemFree is an error.
func ParseNodeMemory(b []byte) (Node, error) {
	var n Node
	total, free := false, false
	err := Lines(b, func(_ int, line string) (err error) {
		f := strings.Fields(line)
		if len(f) != 5 || f[0] != "Node" || f[4] != "kB" {
			return nil
		}
		switch f[2] {
		case "MemTotal:":
			n.Total, err = parseKB(f[3])
			total = true
		case "MemFree:":
			n.Free, err = parseKB(f[3])
			free = true
		}
		return err
	})
	if err == nil && !(total && free) {
		err = errors.New("no MemTotal or no MemFree")
	}
	if err != nil {
		return Node{}, err
	}
	return n, nil
}

// ParseCPUList counts the CPUs of a list such as "0-3,8,10-11". The empty list has none. Ranges that run backwards, and
// numbers beyond the largest kernel configuration, are errors.
func ParseCPUList(b []byte) (int, error) {
	s := strings.TrimSpace(string(b))
	if s == "" {
		return 0, nil
	}
	count, last := 0, -1
	for part := range strings.SplitSeq(s, ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || !Digits(from) || !Digits(to) || a > b || a <= last || b >= maxCPUs {
			return 0, fmt.Errorf("%q is not a list of CPUs", Short(s))
		}
		count += b - a + 1
		last = b
	}
	return count, nil
}
