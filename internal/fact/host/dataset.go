package host

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Dataset is a filesystem of ZFS under a place of interest.
type Dataset struct {
	Name       string     `json:"name"`        // the source of its mount
	RecordSize unit.Bytes `json:"record_size"` // largest record of a file; 0 if not reported
	Sync       string     `json:"sync"`        // standard, always, disabled
}

// Datasets is the evidence of zfs get; DatasetProperties is what it is asked for.
const (
	Datasets          = "cmd/zfs-get"
	DatasetProperties = "recordsize,sync"
)

// maxDatasets bounds the list: only those under places are asked for.
const maxDatasets = 10_000

// ReadDatasets reads cmd/zfs-get.
func ReadDatasets(fsys fs.FS) known.Fact[[]Dataset] {
	return evidence.Read(fsys, Datasets, ParseDatasets)
}

// ParseDatasets parses the output of «zfs get -Hp -o name,property,value»:
// three fields a line, parted by tabs, amounts in bytes.
func ParseDatasets(b []byte) ([]Dataset, error) {
	out := []Dataset{}
	at := map[string]int{}
	err := Lines(b, func(_ int, line string) error {
		if line == "" {
			return nil
		}
		f := strings.Split(line, "\t")
		if len(f) != 3 || f[0] == "" {
			return fmt.Errorf("%q is not a line of zfs get", Short(line))
		}
		i, ok := at[f[0]]
		if !ok {
			if len(out) == maxDatasets {
				return fmt.Errorf("more than %d file systems", maxDatasets)
			}
			i = len(out)
			at[f[0]] = i
			out = append(out, Dataset{Name: f[0]})
		}
		switch f[1] {
		case "recordsize":
			n, err := parseInt(f[2])
			if err != nil || n < 512 || n > 1<<30 { // the bounds of ZFS are 512 bytes and 16 MB
				return fmt.Errorf("%q is not a record size", Short(f[2]))
			}
			out[i].RecordSize = unit.Bytes(n)
		case "sync":
			out[i].Sync = f[2]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
