package host

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// ERC is how long a SATA disk tries to read a bad sector before it answers
// with an error (SCT error recovery control, also called TLER).
type ERC struct {
	Disk  string  `json:"disk"`  // sda
	Limit float64 `json:"limit"` // seconds for reads; 0: none, the disk retries without limit
	Says  string  `json:"says"`  // "limited", "disabled", "not supported"
}

// ERCs is the evidence of smartctl: for each disk a line «# NAME», then the
// output of smartctl -l scterc.
const ERCs = "cmd/smartctl-scterc"

// ReadERCs reads cmd/smartctl-scterc. A disk that the output says nothing about (it sleeps, it is no SATA disk) is
// omitted.
func ReadERCs(fsys fs.FS) known.Fact[[]ERC] { return evidence.Read(fsys, ERCs, ParseERCs) }

// ParseERCs parses cmd/smartctl-scterc. Times are in tenths of a second.
func ParseERCs(b []byte) ([]ERC, error) {
	all := []ERC{}
	err := headed(b, func(disk string) error {
		if len(all) == maxBlocks {
			return fmt.Errorf("more than %d disks", maxBlocks)
		}
		all = append(all, ERC{Disk: disk})
		return nil
	}, func(line string) error {
		e := &all[len(all)-1]
		if e.Says != "" {
			return nil // the first answer counts
		}
		switch v, read := strings.CutPrefix(strings.TrimSpace(line), "Read:"); {
		case read && strings.TrimSpace(v) == "Disabled":
			e.Says = "disabled"
		case read:
			n, _, _ := strings.Cut(strings.TrimSpace(v), " ")
			tenths, err := parseInt(n)
			if err != nil || tenths <= 0 || tenths > 65535 { // a 16-bit field
				return fmt.Errorf("%q is not a time of smartctl", Short(v))
			}
			e.Says, e.Limit = "limited", float64(tenths)/10
		case strings.Contains(line, "SCT Error Recovery Control command not supported"),
			strings.Contains(line, "SCT Commands not supported"):
			e.Says = "not supported"
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := []ERC{}
	for _, e := range all {
		if e.Says != "" {
			out = append(out, e)
		}
	}
	return out, nil
}
