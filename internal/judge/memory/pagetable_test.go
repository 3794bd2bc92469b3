package memory_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
)

const (
	small = 4 * unit.KB
	large = 2 * unit.MB
)

// TestPublishedPageTables holds the arithmetic against sizes that others
// published: what the page tables for shared memory take in one process and in
// all of an instance.
func TestPublishedPageTables(t *testing.T) {
	for _, c := range []struct {
		what      string
		shared    unit.Bytes
		processes int
		want      float64 // bytes
	}{
		{"8 GB in one process: 16 MB", 8 * unit.GB, 1, 16 * float64(unit.MB)},
		{"8 GB in 200 connections: 3.1 GB", 8 * unit.GB, 200, 3.125 * float64(unit.GB)},
		{"16 GB in 1,500 connections: 46.9 GB", 16 * unit.GB, 1500, 46.875 * float64(unit.GB)},
		{"138 GB in 82 processes: 22 GB", 138 * unit.GB, 82, 22.1 * float64(unit.GB)},
	} {
		got := float64(memory.PageTables(c.shared, small)) * float64(c.processes)
		if math.Abs(got-c.want) > 0.005*c.want {
			t.Errorf("%s: %s", c.what, unit.Bytes(got))
		}
	}
	// With 2 MB pages the entries for 8 GB take 32 kB, one table for each
	// gigabyte, and one more above them.
	if got := memory.PageTables(8*unit.GB, large); got != 36*unit.KB {
		t.Errorf("8 GB on huge pages: %s", got)
	}
}

// TestPageTablesOfLargerPages: with regular pages of 64 kB a table is 64 kB as well and has 8,192 entries, which map
// 512 MB.
func TestPageTablesOfLargerPages(t *testing.T) {
	for _, c := range []struct {
		what          string
		touched, page unit.Bytes
		want          unit.Bytes
	}{
		// 8 GB / 64 kB = 131,072 entries × 8 B = 1 MB in 16 tables; the 16 entries for these are in one more table.
		{"8 GB on 64 kB", 8 * unit.GB, 64 * unit.KB, unit.MB + 64*unit.KB},
		// One page needs a whole table.
		{"1 MB on 64 kB", unit.MB, 64 * unit.KB, 64 * unit.KB},
		// 512 MB and a page: two tables, and one above.
		{"512 MB and 64 kB on 64 kB", 512*unit.MB + 64*unit.KB, 64 * unit.KB, 3 * 64 * unit.KB},
		// 8 GB / 512 MB = 16 entries in one table.
		{"8 GB on the 512 MB pages of such a kernel", 8 * unit.GB, 512 * unit.MB, 64 * unit.KB},
		// 8 GB / 16 kB = 524,288 entries × 8 B = 4 MB in 256 tables; 256 entries in one more.
		{"8 GB on 16 kB", 8 * unit.GB, 16 * unit.KB, 4*unit.MB + 16*unit.KB},
	} {
		if got := memory.PageTables(c.touched, c.page); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// TestMeasuredPageTables: within 2 % of VmPTE of backends that had touched so
// much of the shared memory, as the kernel counted both (RssShmem, VmPTE).
func TestMeasuredPageTables(t *testing.T) {
	for _, c := range []struct {
		touched, vmPTE unit.Bytes
	}{
		{1817872 * unit.KB, 3732 * unit.KB},  // 15.18, kernel 6.18
		{8561116 * unit.KB, 16880 * unit.KB}, // published in 2018
	} {
		got := memory.PageTables(c.touched, small) + memory.ProcessPageTables
		if math.Abs(float64(got-c.vmPTE)) > 0.02*float64(c.vmPTE) {
			t.Errorf("%s touched: %s, measured %s", c.touched, got, c.vmPTE)
		}
	}
}

// TestPageTablesGrow: more memory or smaller pages of one kernel never take less.
func TestPageTablesGrow(t *testing.T) {
	kernels := map[unit.Bytes][]unit.Bytes{small: {small, large, unit.GB}, 64 * unit.KB: {64 * unit.KB, 512 * unit.MB}}
	rapid.Check(t, func(t *rapid.T) {
		a := unit.Bytes(rapid.Int64Range(0, int64(24*unit.TB)).Draw(t, "touched"))
		b := a + unit.Bytes(rapid.Int64Range(0, int64(unit.TB)).Draw(t, "more"))
		for table, pages := range kernels {
			for i, page := range pages {
				if memory.PageTables(a, page) > memory.PageTables(b, page) {
					t.Fatalf("%s take more than %s on pages of %s", a, b, page)
				}
				if i > 0 && memory.PageTables(a, page) > memory.PageTables(a, pages[i-1]) {
					t.Fatalf("%s take more on pages of %s than of %s", a, page, pages[i-1])
				}
				if got := memory.PageTables(a, page); got%table != 0 {
					t.Fatalf("%d bytes are no whole tables", got)
				}
			}
		}
	})
}
