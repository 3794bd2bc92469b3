package host

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Process is one process of an instance, from /proc/PID in one pass.
type Process struct {
	PID    int    `json:"pid"`
	Parent int    `json:"parent"`
	Name   string `json:"name"` // comm: postgres
	// process title without "postgres: " and cluster name; for the postmaster its command line
	Title string `json:"title"`
	// postmaster, backend, checkpointer, background writer, walwriter, autovacuum launcher, autovacuum worker, …; "" if
	// the title does not show it
	Kind       string     `json:"kind"`
	Size       unit.Bytes `json:"size"`        // VmSize
	PageTables unit.Bytes `json:"page_tables"` // VmPTE
	RSS        unit.Bytes `json:"rss"`         // VmRSS
	Anon       unit.Bytes `json:"anon"`        // RssAnon
	File       unit.Bytes `json:"file"`        // RssFile
	Shmem      unit.Bytes `json:"shmem"`       // RssShmem; without huge pages
	Swap       unit.Bytes `json:"swap"`        // VmSwap
	Huge       unit.Bytes `json:"huge"`        // HugetlbPages; page-table sharing makes sums of it meaningless
	UID        int        `json:"uid"`         // effective
	// last of NSpid: its number as it sees itself, in the innermost process namespace
	Inner       int             `json:"inner"`
	OOMScoreAdj known.Fact[int] `json:"oom_score_adj"` // oom_score_adj
	OOMScore    known.Fact[int] `json:"oom_score"`     // oom_score; never compare across kernels

	// PSS is Pss of smaps_rollup: shared memory counts in equal parts for the processes that share it. Read only on
	// request.
	PSS known.Fact[unit.Bytes] `json:"pss"`
}

// ReadProcess reads proc/PID/status, cmdline and the oom files of one process. It is missing if status or cmdline is:
// half a process is none.
func ReadProcess(fsys fs.FS, pid int) known.Fact[Process] {
	dir := "proc/" + strconv.Itoa(pid) + "/"
	status := evidence.Read(fsys, dir+"status", ParseStatus)
	p, ok := status.Get()
	if !ok {
		return status
	}
	if p.PID != pid {
		return known.Missed[Process](known.Gap{Fact: dir + "status", Reason: "malformed: it is that of process " +
			strconv.Itoa(p.PID)})
	}
	cmd := evidence.Read(fsys, dir+"cmdline", ParseTitle)
	t, ok := cmd.Get()
	if !ok {
		return known.Without[Process](cmd.State(), cmd.Gap())
	}
	p.Title, p.Kind = t.Text, t.Kind
	p.OOMScoreAdj = evidence.Read(fsys, dir+"oom_score_adj", ParseOOM)
	p.OOMScore = evidence.Read(fsys, dir+"oom_score", ParseOOM)
	p.PSS = readPSS(fsys, dir)
	return known.Is(p)
}

// ParseStatus parses the text of /proc/PID/status: all fields of Process but the title, the kind and the oom files.
// Unknown lines are skipped. A text without Name, Pid, PPid and Uid is an error, and so is one without the memory
// lines, unless the process is a zombie, which has no memory any more.
func ParseStatus(b []byte) (Process, error) {
	var p Process
	var seen status
	for len(b) > 0 {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line, b = b[:i], b[i+1:]
		} else {
			b = nil
		}
		i := bytes.IndexByte(line, ':')
		if i < 0 {
			continue
		}
		if err := p.statusLine(string(line[:i]), bytes.TrimSpace(line[i+1:]), &seen); err != nil {
			return Process{}, fmt.Errorf("%s: %w", line[:min(i, 40)], err)
		}
	}
	if seen&sawIdentity != sawIdentity {
		return Process{}, errors.New("no Name, Pid, PPid or Uid")
	}
	if seen&sawZombie == 0 && seen&sawMemory != sawMemory {
		return Process{}, errors.New("no VmSize, VmRSS, RssAnon, VmPTE or VmSwap")
	}
	if p.Inner == 0 {
		p.Inner = p.PID // a kernel without process namespaces
	}
	return p, nil
}

// status is the set of the lines that were seen.
type status uint16

const (
	sawName status = 1 << iota
	sawPid
	sawParent
	sawUID
	sawSize
	sawPTE
	sawRSS
	sawAnon
	sawSwap
	sawZombie
	sawIdentity = sawName | sawPid | sawParent | sawUID
	sawMemory   = sawSize | sawPTE | sawRSS | sawAnon | sawSwap
)

func (p *Process) statusLine(key string, val []byte, seen *status) (err error) {
	switch key {
	case "Name":
		*seen |= sawName
		p.Name, err = ParseWord(val)
	case "State":
		if len(val) > 0 && (val[0] == 'Z' || val[0] == 'X') {
			*seen |= sawZombie
		}
	case "Pid":
		*seen |= sawPid
		p.PID, err = parseID(val)
	case "NSpid":
		if f := bytes.Fields(val); len(f) > 0 {
			p.Inner, err = parseID(f[len(f)-1])
		}
	case "PPid":
		*seen |= sawParent
		p.Parent, err = parseID(val)
	case "Uid": // real, effective, saved, filesystem
		*seen |= sawUID
		f := bytes.Fields(val)
		if len(f) != 4 {
			return errors.New("not four numbers")
		}
		p.UID, err = parseID(f[1])
	case "VmSize":
		*seen |= sawSize
		p.Size, err = parseStatusKB(val)
	case "VmPTE":
		*seen |= sawPTE
		p.PageTables, err = parseStatusKB(val)
	case "VmRSS":
		*seen |= sawRSS
		p.RSS, err = parseStatusKB(val)
	case "RssAnon":
		*seen |= sawAnon
		p.Anon, err = parseStatusKB(val)
	case "RssFile":
		p.File, err = parseStatusKB(val)
	case "RssShmem":
		p.Shmem, err = parseStatusKB(val)
	case "VmSwap":
		*seen |= sawSwap
		p.Swap, err = parseStatusKB(val)
	case "HugetlbPages":
		p.Huge, err = parseStatusKB(val)
	}
	return err
}

// parseID reads the number of a process or user: 32 bits, not negative.
func parseID(b []byte) (int, error) {
	s := string(b)
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil || !Digits(s) {
		return 0, fmt.Errorf("%q is not an id", Short(s))
	}
	return int(n), nil
}

func parseStatusKB(b []byte) (unit.Bytes, error) {
	num, ok := bytes.CutSuffix(b, []byte(" kB"))
	if !ok {
		return 0, fmt.Errorf("%q is not an amount in kB", Short(string(b)))
	}
	return parseKB(string(num))
}

// ParseOOM parses proc/PID/oom_score and oom_score_adj. The score runs to 2000
// and the adjustment from -1000 to 1000; anything beyond is an error.
func ParseOOM(b []byte) (int, error) {
	s := strings.TrimSpace(string(b))
	n, err := strconv.Atoi(s)
	if err != nil || !Digits(strings.TrimPrefix(s, "-")) || n < -1000 || n > 2000 {
		return 0, fmt.Errorf("%q is not an OOM score", Short(s))
	}
	return n, nil
}
