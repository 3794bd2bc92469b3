package host

import (
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Process is one process of an instance, from /proc/PID in one pass.
type Process struct {
	PID         int             `json:"pid"`
	Parent      int             `json:"parent"`
	Name        string          `json:"name"`        // comm: postgres
	Title       string          `json:"title"`       // process title without "postgres: " and cluster name; for the postmaster its command line
	Kind        string          `json:"kind"`        // postmaster, backend, checkpointer, background writer, walwriter, autovacuum launcher, autovacuum worker, …; "" when the title tells nothing
	Size        unit.Bytes      `json:"size"`        // VmSize
	PageTables  unit.Bytes      `json:"pageTables"`  // VmPTE
	RSS         unit.Bytes      `json:"rss"`         // VmRSS
	Anon        unit.Bytes      `json:"anon"`        // RssAnon
	File        unit.Bytes      `json:"file"`        // RssFile
	Shmem       unit.Bytes      `json:"shmem"`       // RssShmem; without huge pages
	Swap        unit.Bytes      `json:"swap"`        // VmSwap
	Huge        unit.Bytes      `json:"huge"`        // HugetlbPages; page-table sharing makes sums of it meaningless
	UID         int             `json:"uid"`         // effective
	OOMScoreAdj known.Fact[int] `json:"oomScoreAdj"` // oom_score_adj
	OOMScore    known.Fact[int] `json:"oomScore"`    // oom_score; never compare across kernels
}

// Limits is /proc/PID/limits of a postmaster: soft limits; -1 is unlimited.
type Limits struct {
	NoFile  int64 `json:"noFile"`  // Max open files
	NProc   int64 `json:"nProc"`   // Max processes
	MemLock int64 `json:"memLock"` // Max locked memory, bytes
	Stack   int64 `json:"stack"`   // Max stack size, bytes
	AS      int64 `json:"as"`      // Max address space, bytes
	Core    int64 `json:"core"`    // Max core file size, bytes
}

// Unit is what systemd says of the unit that runs an instance
// (cmd/systemctl-show-NAME). What it says it set is not always in force: the
// kernel's files win.
type Unit struct {
	Name       string            `json:"name"`
	OOMPolicy  string            `json:"oomPolicy"` // stop, continue, kill; empty before 243
	Properties map[string]string `json:"properties"`
}

// ReadProcess reads proc/PID/status, cmdline and the oom files of one process.
func ReadProcess(fsys fs.FS, pid int) known.Fact[Process] { panic("ReadProcess: to be written") }

// ReadLimits reads proc/PID/limits.
func ReadLimits(fsys fs.FS, pid int) known.Fact[Limits] { panic("ReadLimits: to be written") }

// ReadUnit reads cmd/systemctl-show-NAME.
func ReadUnit(fsys fs.FS, name string) known.Fact[Unit] { panic("ReadUnit: to be written") }
