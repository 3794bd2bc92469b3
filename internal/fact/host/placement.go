package host

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Placement is where a process may run and may have its memory: what its cpuset, its unit or taskset and numactl
// --membind allow of the machine.
type Placement struct {
	CPUs string `json:"cpus"` // a list of CPUs such as "0-15,32-47"
	Mems string `json:"mems"` // a list of NUMA nodes
}

// ReadPlacement reads Cpus_allowed_list and Mems_allowed_list of
// proc/PID/status. Memory bound by a policy of the process itself (numactl
// without a cpuset) is not among it.
func ReadPlacement(fsys fs.FS, pid int) known.Fact[Placement] {
	return evidence.Read(fsys, "proc/"+strconv.Itoa(pid)+"/status", ParsePlacement)
}

// ParsePlacement parses the two lists out of the text of /proc/PID/status. A
// text without them, or with a malformed one, is an error.
func ParsePlacement(b []byte) (Placement, error) {
	var p Placement
	err := Lines(b, func(_ int, line string) (err error) {
		key, v, _ := strings.Cut(line, ":")
		v = strings.TrimSpace(v)
		switch key {
		case "Cpus_allowed_list":
			p.CPUs = v
			_, err = ParseCPUList([]byte(v))
		case "Mems_allowed_list":
			p.Mems = v
			_, err = ParseCPUList([]byte(v))
		}
		return err
	})
	if err == nil && (p.CPUs == "" || p.Mems == "") {
		err = errors.New("no Cpus_allowed_list or no Mems_allowed_list")
	}
	if err != nil {
		return Placement{}, err
	}
	return p, nil
}

// ListHas reports whether a list such as "0-3,8" has a number. A malformed list is an error.
func ListHas(list string, n int) (bool, error) {
	if _, err := ParseCPUList([]byte(list)); err != nil {
		return false, err
	}
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		from, to, ranged := strings.Cut(part, "-")
		if !ranged {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if part != "" && (err1 != nil || err2 != nil) {
			return false, fmt.Errorf("%q is not a list", Short(list))
		}
		if part != "" && a <= n && n <= b {
			return true, nil
		}
	}
	return false, nil
}
