package host

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Memory is /proc/meminfo. Lines that every kernel from 4.18 on has are plain
// fields; newer or optional ones are asked for by name with Line.
type Memory struct {
	Total         unit.Bytes `json:"total"`          // MemTotal
	Free          unit.Bytes `json:"free"`           // MemFree
	Available     unit.Bytes `json:"available"`      // MemAvailable
	Buffers       unit.Bytes `json:"buffers"`        // Buffers
	Cached        unit.Bytes `json:"cached"`         // Cached; includes Shmem
	AnonPages     unit.Bytes `json:"anon_pages"`     // AnonPages
	Shmem         unit.Bytes `json:"shmem"`          // Shmem: tmpfs and shared anonymous memory
	SlabReclaim   unit.Bytes `json:"slab_reclaim"`   // SReclaimable
	SlabUnreclaim unit.Bytes `json:"slab_unreclaim"` // SUnreclaim
	KernelStack   unit.Bytes `json:"kernel_stack"`   // KernelStack
	// PageTables; which levels it counts depends on the kernel
	PageTables  unit.Bytes `json:"page_tables"`
	SwapTotal   unit.Bytes `json:"swap_total"`   // SwapTotal
	SwapFree    unit.Bytes `json:"swap_free"`    // SwapFree
	Dirty       unit.Bytes `json:"dirty"`        // Dirty
	Writeback   unit.Bytes `json:"writeback"`    // Writeback
	CommitLimit unit.Bytes `json:"commit_limit"` // CommitLimit
	CommittedAS unit.Bytes `json:"committed_as"` // Committed_AS
	HugeTotal   int64      `json:"huge_total"`   // HugePages_Total, pages of the default size
	HugeFree    int64      `json:"huge_free"`    // HugePages_Free
	HugeRsvd    int64      `json:"huge_rsvd"`    // HugePages_Rsvd
	HugeSurp    int64      `json:"huge_surp"`    // HugePages_Surp
	// Hugepagesize: the default size; 0 if the kernel has no huge pages
	HugePageSize unit.Bytes            `json:"huge_page_size"`
	Lines        map[string]unit.Bytes `json:"lines"` // every line with a kB value
	// Untold are the lines of the fields above that the text does not have: their fields are
	// zero and mean nothing. A kernel before 3.14 has no MemAvailable, and a paste what it has.
	Untold []string `json:"untold,omitempty"`
}

// Hugetlb returns the memory in huge pages of all sizes, surplus included: the
// line Hugetlb (4.20+), else the default size's pages, which is all there is to
// know without it.
func (m Memory) Hugetlb() unit.Bytes {
	if b, ok := m.Lines["Hugetlb"]; ok {
		return b
	}
	return unit.Bytes(m.HugeTotal) * m.HugePageSize
}

// HugeUsed returns the default-size huge pages that are in use or promised.
func (m Memory) HugeUsed() int64 { return m.HugeTotal - m.HugeFree + m.HugeRsvd }

// lines are the lines of the fields that every kernel since 3.14 has.
var lines = []string{"MemFree", "MemAvailable", "Buffers", "Cached", "AnonPages", "Shmem", "SReclaimable", "SUnreclaim",
	"KernelStack", "PageTables", "SwapTotal", "SwapFree", "Dirty", "Writeback", "CommitLimit", "Committed_AS"}

// field is the field of a line.
func (m Memory) field(name string) unit.Bytes {
	if p := m.fields()[name]; p != nil {
		return *p
	}
	return 0
}

func (m *Memory) fields() map[string]*unit.Bytes {
	return map[string]*unit.Bytes{
		"MemTotal": &m.Total, "MemFree": &m.Free, "MemAvailable": &m.Available, "Buffers": &m.Buffers,
		"Cached": &m.Cached, "AnonPages": &m.AnonPages, "Shmem": &m.Shmem, "SReclaimable": &m.SlabReclaim,
		"SUnreclaim": &m.SlabUnreclaim, "KernelStack": &m.KernelStack, "PageTables": &m.PageTables,
		"SwapTotal": &m.SwapTotal, "SwapFree": &m.SwapFree, "Dirty": &m.Dirty, "Writeback": &m.Writeback,
		"CommitLimit": &m.CommitLimit, "Committed_AS": &m.CommittedAS, "Hugepagesize": &m.HugePageSize,
	}
}

// Told returns a line of /proc/meminfo that has a field. If the line is missing, the value is unknown, while its field
// is zero.
func (m Memory) Told(name string) known.Fact[unit.Bytes] {
	if !slices.Contains(m.Untold, name) {
		return known.Is(m.field(name))
	}
	return known.Missed[unit.Bytes](known.Gap{Fact: name + " of proc/meminfo", Reason: "its line is not there",
		Reveal: "take all of /proc/meminfo"})
}

// Line returns a line of /proc/meminfo by its name, if this kernel has it.
func (m Memory) Line(name string) (unit.Bytes, bool) { b, ok := m.Lines[name]; return b, ok }

// ReadMemory reads /proc/meminfo.
func ReadMemory(fsys fs.FS) known.Fact[Memory] {
	return evidence.Read(fsys, "proc/meminfo", ParseMemory)
}

// ParseMemory parses the text of /proc/meminfo. Lines it cannot read are skipped; a text without MemTotal is an error.
func ParseMemory(b []byte) (Memory, error) {
	m := Memory{Lines: map[string]unit.Bytes{}}
	counts := map[string]*int64{
		"HugePages_Total": &m.HugeTotal, "HugePages_Free": &m.HugeFree,
		"HugePages_Rsvd": &m.HugeRsvd, "HugePages_Surp": &m.HugeSurp,
	}
	fields := m.fields()
	sc := bufio.NewScanner(bytes.NewReader(b))
	for sc.Scan() {
		name, rest, ok := strings.Cut(sc.Text(), ":")
		f := strings.Fields(rest)
		if !ok || len(f) == 0 || len(f) > 2 {
			continue
		}
		n, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || n < 0 || n > 1<<50 {
			continue
		}
		if p, ok := counts[name]; ok {
			*p = n
			continue
		}
		if len(f) == 2 && f[1] == "kB" {
			v := unit.Bytes(n) * unit.KB
			m.Lines[name] = v
			if p, ok := fields[name]; ok {
				*p = v
			}
		}
	}
	if m.Total == 0 {
		return Memory{}, fmt.Errorf("no MemTotal")
	}
	for _, name := range lines {
		if _, ok := m.Lines[name]; !ok {
			m.Untold = append(m.Untold, name)
		}
	}
	return m, sc.Err()
}
