package memory

import "github.com/pgfettle/pgfettle/internal/base/unit"

// Commit is what the kernel's commit limit is made of (mm/util.c
// vm_commit_limit, the same from 4.18 to 6.18).
type Commit struct {
	Total   unit.Bytes // MemTotal
	Hugetlb unit.Bytes // huge pages of all sizes, surplus included
	Swap    unit.Bytes // SwapTotal
	Ratio   int64      // vm.overcommit_ratio, percent; no upper bound
	KBytes  unit.Bytes // vm.overcommit_kbytes in bytes; 0: the ratio rules
}

// Limit returns the CommitLimit that the kernel will show. With
// overcommit_kbytes the huge pages are not subtracted: that is the kernel's own
// asymmetry, not an error here.
func (c Commit) Limit() unit.Bytes {
	if c.KBytes > 0 {
		return c.KBytes + c.Swap
	}
	// The kernel computes in pages of 4 kB and rounds down once.
	pages := int64((c.Total - c.Hugetlb) / (4 * unit.KB))
	return unit.Bytes(pages*c.Ratio/100)*4*unit.KB + c.Swap
}

// Strict overcommit (mode 2) keeps these back from processes without
// CAP_SYS_ADMIN, so a server meets its limit that much below CommitLimit:
// min(process size/32, user_reserve) is the whole user reserve for a backend,
// whose size includes the shared memory.
func (c Commit) Usable(adminReserve, userReserve unit.Bytes) unit.Bytes {
	return max(c.Limit()-adminReserve-userReserve, 0)
}

// commitBackend is the address space that a process of the server may claim in addition to its sorts and hashes: strict
// overcommit counts what is mapped, not what is touched, so it is twice the memory that a warm session holds.
const commitBackend = 2 * BackendBase

// Commits returns what an instance may have committed at its peak. Page tables are not counted by the kernel. Shared
// memory on regular pages counts in full when it is mapped; huge pages count by themselves (Commit.Hugetlb): if it is
// in them, shared is false.
func (i Instance) Commits(shared bool) unit.Bytes {
	p := i.Parts()
	sum := unit.Bytes(i.Connections+i.Processes)*commitBackend + i.temporary() + p.Work + p.Maintenance
	if shared {
		sum += p.Shared
	}
	return sum
}

// CommitShare is the share of the memory that a commit limit should not
// exceed, so that a fifth stays for the page cache and the kernel (the rule of
// the training module this project was founded on).
const CommitShare = 0.8

// KBytesFor returns the vm.overcommit_kbytes (in bytes) that makes the limit CommitShare of the memory: huge pages are
// taken off manually, as the kernel does not do it in this mode. It is never below zero.
func (c Commit) KBytesFor() unit.Bytes {
	return max(c.Total.Scale(CommitShare)-c.Hugetlb-c.Swap, 0).RoundDown(unit.MB)
}

// RatioFor returns the vm.overcommit_ratio, rounded down, that does the same.
func (c Commit) RatioFor() int64 {
	rest := c.Total - c.Hugetlb
	if rest <= 0 {
		return 0
	}
	// In whole numbers: in floating point exactly 65 % may come out as 64.
	return max(int64((c.Total*80-(c.Hugetlb+c.Swap)*100)/rest), 0)
}
