package host

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Mapped is the state of a device mapper device whose target has one worth
// knowing: a pool of thin volumes, a snapshot, a cache, an array. Numbers that
// a target does not have are 0.
type Mapped struct {
	Name      string `json:"name"`       // dm/name of the block device
	Target    string `json:"target"`     // thin-pool, snapshot, cache, raid, striped, writecache, …
	Used      int64  `json:"used"`       // of a pool data blocks, of a snapshot sectors
	Total     int64  `json:"total"`      // in the same measure
	MetaUsed  int64  `json:"meta_used"`  // blocks of a pool's metadata
	MetaTotal int64  `json:"meta_total"` // in the same measure
	// of a pool rw, ro, out_of_data_space or Fail; of a snapshot "", Invalid, Overflow, …
	State  string `json:"state"`
	Level  string `json:"level"`  // of an array: raid1, raid5_ls, …
	Health string `json:"health"` // of an array: a letter a leg, A and a alive, D failed
	Mode   string `json:"mode"`   // of a cache: writeback, writethrough, passthrough
	Origin string `json:"origin"` // of a snapshot: major:minor of what it was taken of
}

// maxMapped bounds the list: a host with thousands of thin volumes is a large one.
const maxMapped = 20_000

// The evidence of what device mapper says: both commands need root.
const (
	MappedStatus = "cmd/dmsetup-status"
	MappedTable  = "cmd/dmsetup-table-snapshot"
)

// ReadMapped reads cmd/dmsetup-status, and from cmd/dmsetup-table-snapshot the origin of each snapshot, if available.
func ReadMapped(fsys fs.FS) known.Fact[[]Mapped] {
	origins, _ := evidence.Read(fsys, MappedTable, ParseMappedTable).Get()
	return known.Map(evidence.Read(fsys, MappedStatus, ParseMapped), func(list []Mapped) []Mapped {
		for i := range list {
			list[i].Origin = origins[list[i].Name]
		}
		return list
	})
}

// ParseMapped parses the output of dmsetup status. Targets that say nothing of interest (linear, crypt) are omitted;
// «No devices found» is an empty list.
func ParseMapped(b []byte) ([]Mapped, error) {
	out := []Mapped{}
	err := mappedLines(b, func(name, target string, p []string) error {
		m := Mapped{Name: name, Target: target}
		ok := false
		switch target {
		case "thin-pool":
			ok = m.pool(p)
		case "snapshot", "snapshot-merge":
			ok = m.snapshot(p)
		case "cache":
			ok = m.cache(p)
		case "writecache":
			m.Mode, ok = "writeback", true // it knows no other
		case "raid":
			if ok = len(p) >= 3; ok {
				m.Level, m.Health = p[0], p[2]
			}
		case "striped", "mirror", "flashcache":
			ok = true
		default:
			return nil
		}
		if !ok {
			return fmt.Errorf("%s: not the status of a %s", Short(name), target)
		}
		if len(out) == maxMapped {
			return fmt.Errorf("more than %d devices", maxMapped)
		}
		out = append(out, m)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// pool reads: transaction, metadata used/total, data used/total, held root,
// mode, flags; or only that it failed.
func (m *Mapped) pool(p []string) (ok bool) {
	if len(p) == 1 && (p[0] == "Fail" || p[0] == "Error") {
		m.State = "Fail"
		return true
	}
	if len(p) < 5 || !ratio(p[1], &m.MetaUsed, &m.MetaTotal) || !ratio(p[2], &m.Used, &m.Total) {
		return false
	}
	m.State = p[4]
	return true
}

// snapshot reads: sectors used/total, metadata sectors; or a word for a
// snapshot that is lost.
func (m *Mapped) snapshot(p []string) (ok bool) {
	if len(p) > 0 && ratio(p[0], &m.Used, &m.Total) {
		return true
	}
	m.State = strings.Join(p, " ")
	return m.State != "" && !Digits(m.State[:1])
}

// cache reads: metadata block size, metadata used/total, block size, blocks
// used/total, seven counters, the number of features and these.
func (m *Mapped) cache(p []string) (ok bool) {
	if len(p) == 1 && (p[0] == "Fail" || p[0] == "Error") {
		m.State = "Fail"
		return true
	}
	if len(p) < 12 || !ratio(p[1], &m.MetaUsed, &m.MetaTotal) || !ratio(p[3], &m.Used, &m.Total) {
		return false
	}
	n, err := parseInt(p[11])
	if err != nil || n < 0 || n > int64(len(p)-12) {
		return false
	}
	for _, feature := range p[12 : 12+n] {
		switch feature {
		case "writeback", "writethrough", "passthrough":
			m.Mode = feature
		}
	}
	return true
}

// ParseMappedTable parses the output of dmsetup table --target snapshot: by
// name of a snapshot the major:minor of what it was taken of.
func ParseMappedTable(b []byte) (map[string]string, error) {
	out := map[string]string{}
	err := mappedLines(b, func(name, target string, p []string) error {
		if target != "snapshot" && target != "snapshot-merge" {
			return nil
		}
		if len(p) < 2 || !strings.Contains(p[0], ":") {
			return fmt.Errorf("%s: not the table of a snapshot", Short(name))
		}
		if len(out) == maxMapped {
			return fmt.Errorf("more than %d devices", maxMapped)
		}
		out[name] = p[0]
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// mappedLines calls fn for each line «NAME: START LENGTH TARGET PARAMETERS» of
// dmsetup; one that is none is an error.
func mappedLines(b []byte, fn func(name, target string, params []string) error) error {
	return Lines(b, func(_ int, line string) error {
		if line == "" || line == "No devices found" {
			return nil
		}
		name, rest, ok := strings.Cut(line, ": ")
		f := strings.Fields(rest)
		if ok && len(f) == 0 {
			return nil // a device without a table: made, and not loaded yet
		}
		if !ok || name == "" || len(f) < 3 || !Digits(f[0]) || !Digits(f[1]) {
			return fmt.Errorf("%q is not a line of dmsetup", Short(line))
		}
		return fn(name, f[2], f[3:])
	})
}

// ratio reads «USED/TOTAL».
func ratio(s string, used, total *int64) bool {
	a, b, ok := strings.Cut(s, "/")
	if !ok || !Digits(a) || !Digits(b) {
		return false
	}
	u, err1 := parseInt(a)
	t, err2 := parseInt(b)
	if err1 != nil || err2 != nil {
		return false
	}
	*used, *total = u, t
	return true
}
