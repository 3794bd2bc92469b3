package host

import (
	"testing"
)

// FuzzMapped: no text of dmsetup makes a number below zero or a device without a name.
func FuzzMapped(f *testing.F) {
	seed(f, "dmsetup-status")
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := ParseMapped(b)
		if err != nil {
			return
		}
		for _, m := range list {
			notNegative(t, m.Name, m.Used, m.Total, m.MetaUsed, m.MetaTotal)
			if m.Name == "" || m.Target == "" {
				t.Errorf("no name or target: %+v", m)
			}
		}
	})
}

// FuzzVolumes runs the readers of the other commands about storage.
func FuzzVolumes(f *testing.F) {
	for _, name := range []string{"zfs-get", "lsattr", "tune2fs", "smartctl-scterc", "dmsetup-table-snapshot"} {
		seed(f, name)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if list, err := ParseDatasets(b); err == nil {
			for _, d := range list {
				notNegative(t, d.Name, d.RecordSize)
			}
		}
		if list, err := ParseERCs(b); err == nil {
			for _, e := range list {
				notNegative(t, e.Disk, e.Limit)
				if (e.Limit > 0) != (e.Says == "limited") {
					t.Errorf("a limit and no limit: %+v", e)
				}
			}
		}
		if list, err := ParseFileFlags(b); err == nil {
			for _, l := range list {
				if l.Path == "" || l.Path[0] != '/' {
					t.Errorf("no path: %+v", l)
				}
			}
		}
		_, _ = ParseExts(b)
		_, _ = ParseMappedTable(b)
	})
}
