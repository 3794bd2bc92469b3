// Package memory is the arithmetic of a database host's memory: page tables, shared memory, huge pages, the commit
// limit, the memory of backends, and the budget that adds them up. It is pure, and it is the only place that computes
// these numbers: checks, rules and diagnosis all use it.
package memory

import "github.com/pgfettle/pgfettle/internal/base/unit"

// entry is the size of one page-table entry on every 64-bit architecture that
// PostgreSQL runs on.
const entry = 8

// tableOf returns the size of one page table on a kernel that maps pages of the given size: a table is one ordinary
// page. 16 kB and 64 kB are regular pages of arm64 (64 kB of ppc64le too), and 32 MB and 512 MB the huge pages that go
// with them; those of 2 MB and 1 GB go with 4 kB.
func tableOf(page unit.Bytes) unit.Bytes {
	switch page {
	case 16 * unit.KB, 32 * unit.MB:
		return 16 * unit.KB
	case 64 * unit.KB, 512 * unit.MB:
		return 64 * unit.KB
	}
	return 4 * unit.KB
}

// ProcessPageTables is what the page tables of an idle backend take before it
// touches shared buffers: its binary, libraries, heap and stack. Measured on
// kernel 6.18 with pages of 4 kB: 136 to 148 kB for builds with few libraries (13,
// 17), 150 to 180 kB for Debian's 15.
const ProcessPageTables = 150 * unit.KB

// PageTables returns the page tables, in bytes, that one process needs to map touched bytes of shared memory with pages
// of the given size, on top of ProcessPageTables. With 4 kB pages that is touched/512 in whole tables plus the tables
// above them (with 64 kB pages touched/8192, in tables of 64 kB); with 2 MB pages the entries are one level higher, in
// tables that processes share for whole gigabytes if the architecture supports it (they are still counted here: this is
// the worst case).
func PageTables(touched, page unit.Bytes) unit.Bytes {
	if touched <= 0 || page <= 0 {
		return 0
	}
	var sum unit.Bytes
	table := tableOf(page)
	for entries := touched.Pages(page); ; {
		tables := unit.Bytes(entries * entry).Pages(table)
		sum += unit.Bytes(tables) * table
		if tables <= 1 {
			return sum
		}
		entries = tables
	}
}

// PageTablesOfAll returns the page tables of all processes in the worst case:
// each of them has touched the whole of the shared memory.
func PageTablesOfAll(shared, page unit.Bytes, processes int) unit.Bytes {
	return unit.Bytes(processes) * (PageTables(shared, page) + ProcessPageTables)
}

// Touched returns how much of the shared memory a backend has touched that has touched all of shared_buffers: in
// addition to the buffers, their descriptors (64 B each) and the table that finds them (about 56 B each), and some 2 MB
// of locks, processes and statistics. WAL buffers, the checkpointer's arrays and most of the rest of the segment belong
// to other processes. Measured on 13 and 17: 1,054,964 kB touched when all but 12 MB of 1 GB of buffers were read.
func Touched(buffers unit.Bytes) unit.Bytes {
	if buffers <= 0 {
		return 0
	}
	return buffers + unit.Bytes(buffers.Pages(8*unit.KB))*(64+56) + 2*unit.MB
}

// PageTablesOfBackend returns the page tables (VmPTE) of a backend that has
// touched all of shared_buffers, within 2 % of what is measured for
// shared_buffers of 1 GB and more. A build that loads large libraries (LLVM for
// JIT) has up to 250 kB more.
func PageTablesOfBackend(buffers, page unit.Bytes) unit.Bytes {
	return PageTables(Touched(buffers), page) + ProcessPageTables
}
