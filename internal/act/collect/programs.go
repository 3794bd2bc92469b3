package collect

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Bounds of the census of other programs.
const (
	// mostPrograms is how many of the largest are kept: what holds a share of a
	// machine that anybody would act on is among the first few.
	mostPrograms = 20
	// largeProgram is from how much resident memory on the shared part of a
	// program is taken off, a read for each of its processes: less than this is
	// no share of a database host.
	largeProgram = int64(256 * unit.MB)
	// mostStatm bounds these reads: 1,024 take some 5 ms.
	mostStatm = 1024
	// Of a scanner's processes the first few are examined, and of their files as many as a process opens by default:
	// marks are made at its start.
	mostScanners, mostFDs, mostMarks = 8, 1024, 256
)

// program is an entry of programs.json.
type program struct {
	Name      string    `json:"name"`
	Processes int       `json:"processes"`
	RSS       int64     `json:"rss"`
	Private   *int64    `json:"private"`
	Ticks     int64     `json:"ticks"`
	Start     int64     `json:"start"`
	Marks     *[]string `json:"marks,omitempty"`
	pids      []int
}

// census gathers what runs beside the servers, by name.
type census struct {
	programs map[string]*program
	all      []serverProc // servers too
	page     int64
}

// note counts a process. What holds no memory is a thread of the kernel, or has ended.
func (s *census) note(p serverProc, name []byte) {
	if p.pages <= 0 {
		return
	}
	prog := s.programs[string(name)]
	if prog == nil {
		prog = &program{Name: strings.ToValidUTF8(string(name), "?"), Start: p.start}
		s.programs[string(name)] = prog
	}
	prog.Processes++
	prog.RSS += p.pages * s.page
	prog.Ticks += p.ticks
	prog.Start = min(prog.Start, p.start)
	prog.pids = append(prog.pids, p.pid)
}

// programs writes programs.json: the largest programs other than the servers, and those whose name alone is of
// interest.
func (c *collector) programs() {
	if c.census.programs == nil {
		c.a.AddMissing(evidence.Missing{Name: "programs.json", State: known.Unread,
			Reason: "the processes could not be listed"})
		return
	}
	if c.hidden() {
		c.a.AddMissing(evidence.Missing{Name: "programs.json", State: known.Forbidden,
			Reason: "/proc is mounted with hidepid: processes of other users are hidden", Reveal: asRoot})
		return
	}
	list := slices.SortedFunc(maps.Values(c.census.programs), func(a, b *program) int {
		return cmp.Or(cmp.Compare(b.RSS, a.RSS), strings.Compare(a.Name, b.Name))
	})
	kept, left := []*program{}, mostStatm
	for i, p := range list {
		if i >= mostPrograms && !host.IsKept(p.Name) {
			continue
		}
		if p.RSS >= largeProgram && len(p.pids) <= left {
			left -= len(p.pids)
			p.Private = c.private(p)
		}
		if host.ScannerNames[p.Name] != "" {
			p.Marks = c.marks(p.pids)
		}
		kept = append(kept, p)
	}
	c.json("programs.json", kept)
}

// private sums the resident pages that are neither shared nor of a file
// (statm: resident less shared). A process that ended meanwhile has none.
func (c *collector) private(p *program) *int64 {
	var sum int64
	for _, pid := range p.pids {
		b, err := c.t.ReadFile("proc/"+strconv.Itoa(pid)+"/statm", maxFile)
		if gone(err) {
			continue
		}
		f := bytes.Fields(b)
		if err != nil || len(f) < 3 {
			return nil
		}
		resident, err1 := strconv.ParseInt(string(f[1]), 10, 64)
		shared, err2 := strconv.ParseInt(string(f[2]), 10, 64)
		if err1 != nil || err2 != nil {
			return nil
		}
		sum += max(resident-shared, 0) * c.census.page
	}
	sum = min(sum, p.RSS) // it may have grown since
	return &sum
}

// marks returns the lines on fanotify of the files that a scanner has open; nil if they are closed to us. What is more
// than the bounds is omitted.
func (c *collector) marks(pids []int) *[]string {
	out := []string{}
	for _, pid := range pids[:min(len(pids), mostScanners)] {
		dir := "proc/" + strconv.Itoa(pid) + "/fdinfo"
		fds, err := c.t.ReadDir(dir)
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		for _, fd := range fds[:min(len(fds), mostFDs)] {
			b, err := c.t.ReadFile(dir+"/"+fd, maxFile)
			if err != nil {
				if errors.Is(err, fs.ErrPermission) {
					return nil
				}
				continue
			}
			for line := range strings.Lines(string(b)) {
				if strings.HasPrefix(line, "fanotify ") && len(out) < mostMarks && len(line) < 512 {
					out = append(out, strings.TrimSpace(line))
				}
			}
		}
	}
	return &out
}

// hidden reports whether processes of other users cannot be seen.
func (c *collector) hidden() bool {
	if c.root {
		return false
	}
	for _, m := range c.ourMounts() {
		if m.Point == "/proc" {
			for _, o := range m.Options {
				if v, ok := strings.CutPrefix(o, "hidepid="); ok && v != "0" && v != "off" {
					return true
				}
			}
		}
	}
	return false
}
