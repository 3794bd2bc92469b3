package engine

import (
	"encoding/json"
	"slices"
	"testing"
)

// FuzzStored reads what an experiment's directory may hold: it is taken only where it is what was written.
func FuzzStored(f *testing.F) {
	w := newToy()
	good, err := json.Marshal(w.manner(0).stored("program"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"schema":"pgfettle.experiment/1"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		w := newToy()
		w.dir[planName] = b
		if s, err := readStored(toyShelf{w}); err == nil && (s.Schema != storedSchema || s.Fingerprint != s.print()) {
			t.Errorf("taken: %+v", s)
		}
	})
}

// FuzzRecord sweeps a scratch directory with any record in it: of the kernel nothing changes but what experiments
// change.
func FuzzRecord(f *testing.F) {
	f.Add([]byte(`[{"name":"sysctl:vm.nr_hugepages","before":"3","after":"10"}]`), []byte(`"/dev/shm/pgfettle-load-1"`))
	f.Add([]byte(`[{"name":"sysctl:kernel.core_pattern","before":"x","after":"core"}]`), []byte(`"/etc"`))
	f.Fuzz(func(t *testing.T, record, load []byte) {
		w := newToy()
		w.values["sysctl:kernel.core_pattern"] = "core"
		w.disk[recordName], w.disk[loadName] = string(record), string(load)
		_ = sweep(w, "")
		for name := range w.values {
			if name != poolName && name != "sysctl:kernel.core_pattern" && !slices.Contains(kernelValues, name) {
				t.Errorf("%s was set", name)
			}
		}
		if w.values["sysctl:kernel.core_pattern"] != "core" {
			t.Error("a value that is none of an experiment's was changed")
		}
	})
}
