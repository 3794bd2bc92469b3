package memory_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

// TestPublishedMistakes holds the worst case against what is known of the
// settings that others gave out.
func TestPublishedMistakes(t *testing.T) {
	// A floor of 4 MB for 300 sessions on a machine of 1 GB.
	floor := memory.Instance{Active: 300, WorkMem: 4 * unit.MB, Sorts: 1, HashFactor: 1}
	if got := floor.Parts().Work; got != 1200*unit.MB {
		t.Errorf("300 × 4 MB: %s", got)
	}
	// Ten autovacuum workers with 2,047 MB each on a machine of 16 GB.
	if got := (memory.Instance{Workers: 10, Autovacuum: 2047 * unit.MB}).Parts().Maintenance; got != 20470*unit.MB {
		t.Errorf("10 × 2047 MB: %s", got)
	}
	// hash_mem_multiplier 8, 64 MB, 500 sessions: 31 GB, times eight for hashes.
	hashes := memory.Instance{Active: 500, WorkMem: 64 * unit.MB, Hashes: 1, HashFactor: 8}
	if got := hashes.Parts().Work; got != 250*unit.GB {
		t.Errorf("500 × 64 MB × 8: %s", got)
	}
}

// TestReserve: 5 % and at least 1 GB, but no more than a fifth.
func TestReserve(t *testing.T) {
	for total, want := range map[unit.Bytes]unit.Bytes{
		500 * unit.MB: 100 * unit.MB, 5 * unit.GB: unit.GB, 8 * unit.GB: unit.GB, 20 * unit.GB: unit.GB,
		100 * unit.GB: 5 * unit.GB,
	} {
		if got := memory.ReserveOf(total); got != want {
			t.Errorf("of %s: %s, want %s", total, got, want)
		}
	}
}

// TestReserveOfGroup: a tenth and at least 64 MB, but no more than half.
func TestReserveOfGroup(t *testing.T) {
	for limit, want := range map[unit.Bytes]unit.Bytes{
		100 * unit.MB: 50 * unit.MB, 256 * unit.MB: 64 * unit.MB, 640 * unit.MB: 64 * unit.MB, 10 * unit.GB: unit.GB,
		100 * unit.GB: 10 * unit.GB,
	} {
		if got := memory.ReserveOfGroup(limit); got != want {
			t.Errorf("of %s: %s, want %s", limit, got, want)
		}
	}
}

// TestTempBuffersOfThoseWhoUseThem: of 40 sessions at work a tenth takes 32 MB.
func TestTempBuffersOfThoseWhoUseThem(t *testing.T) {
	m := memory.Instance{Active: 40, TempBuffers: 32 * unit.MB, TempTables: 0.1}
	if got := m.Parts().Backends; got != 128*unit.MB {
		t.Errorf("4 × 32 MB: %s", got)
	}
	if got := m.Commits(false); got != 128*unit.MB {
		t.Errorf("committed: %s", got)
	}
}

func instances() *rapid.Generator[memory.Instance] {
	return rapid.Custom(func(t *rapid.T) memory.Instance {
		amount := func(name string, most unit.Bytes) unit.Bytes {
			return unit.Bytes(rapid.Int64Range(0, int64(most)).Draw(t, name))
		}
		return memory.Instance{
			Shared: amount("shared", unit.TB), SharedPage: rapid.SampledFrom([]unit.Bytes{small, large, unit.GB}).Draw(
				t, "page"),
			Connections: rapid.IntRange(1, 20000).Draw(t, "connections"),
			Active:      rapid.IntRange(0, 1000).Draw(t, "active"),
			Processes:   rapid.IntRange(0, 200).Draw(t, "processes"),
			Parallel:    rapid.IntRange(0, 1024).Draw(t, "parallel"),
			WorkMem:     amount("work_mem", 2*unit.GB), HashFactor: rapid.Float64Range(1, 8).Draw(t, "hash"),
			Sorts: rapid.Float64Range(0, 4).Draw(t, "sorts"), Hashes: rapid.Float64Range(0, 4).Draw(t, "hashes"),
			TempBuffers: amount("temp", unit.GB), TempTables: rapid.Float64Range(0, 1).Draw(t, "temp tables"),
			Maintenance: amount("maintenance", 8*unit.GB),
			Autovacuum:  amount("autovacuum", unit.GB), Workers: rapid.IntRange(0, 20).Draw(t, "workers"),
		}
	})
}

// TestMoreTakesMore: no setting that is raised makes the worst case smaller.
func TestMoreTakesMore(t *testing.T) {
	raise := map[string]func(*memory.Instance){
		"shared":      func(i *memory.Instance) { i.Shared += unit.GB },
		"connections": func(i *memory.Instance) { i.Connections++ },
		"active":      func(i *memory.Instance) { i.Active++ },
		"processes":   func(i *memory.Instance) { i.Processes++ },
		"parallel":    func(i *memory.Instance) { i.Parallel++ },
		"work_mem":    func(i *memory.Instance) { i.WorkMem += unit.MB },
		"hash":        func(i *memory.Instance) { i.HashFactor++ },
		"sorts":       func(i *memory.Instance) { i.Sorts++ },
		"hashes":      func(i *memory.Instance) { i.Hashes++ },
		"temp":        func(i *memory.Instance) { i.TempBuffers += unit.MB },
		"temp tables": func(i *memory.Instance) { i.TempTables += 0.1 },
		"maintenance": func(i *memory.Instance) { i.Maintenance += unit.MB },
		"autovacuum":  func(i *memory.Instance) { i.Autovacuum += unit.MB },
		"workers":     func(i *memory.Instance) { i.Workers++ },
	}
	rapid.Check(t, func(t *rapid.T) {
		one := instances().Draw(t, "instance")
		for what, more := range raise {
			two := one
			more(&two)
			if two.Parts().Sum() < one.Parts().Sum() {
				t.Fatalf("more %s: %s instead of %s\n%+v", what, two.Parts().Sum(), one.Parts().Sum(), one)
			}
		}
	})
}

// TestBudgetAddsUp: the parts of the picture make up the whole, and memory is
// left or missing, never both.
func TestBudgetAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := unit.Bytes(rapid.Int64Range(int64(128*unit.MB), int64(24*unit.TB)).Draw(t, "total"))
		p := instances().Draw(t, "one").Parts().Add(instances().Draw(t, "other").Parts())
		b := memory.Lay(total, memory.ReserveOf(total), total/8, unit.GB, p)
		whole := b.Reserve + b.Others + b.PoolUnused + b.Shared + b.PageTables + b.Backends + b.Work + b.Maintenance +
			b.FileCache
		if whole != b.Total+b.Shortfall {
			t.Fatalf("the parts make %s of %s", whole, b.Total)
		}
		if b.FileCache < 0 || b.Shortfall < 0 || b.FileCache > 0 && b.Shortfall > 0 {
			t.Fatalf("left %s, missing %s", b.FileCache, b.Shortfall)
		}
	})
}
