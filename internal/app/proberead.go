package app

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
)

// readMost bounds a file of --read; the outputs that are meant are some kilobytes.
const readMost = 4 << 20

// ReadProbe reads and judges what measuring programs have said elsewhere. file may be "-"; storage is the kind of disk,
// "" if it is not known.
func (h *Host) ReadProbe(file, storage string) (*Probed, error) {
	b, name, err := h.readMeasured(file)
	if err != nil {
		return nil, err
	}
	r, err := output.Read(b)
	if err != nil {
		p := &say.Problem{Message: say.M("{name} contains no output of pg_test_fsync, pg_test_timing, fio, pgbench, "+
			"sysbench, iostat, vmstat, sar or pidstat", "name", name), Detail: say.OfError(err), Code: say.CodeError}
		if len(r.Unread) > 0 {
			p.Hint = say.M("Line {line} looks like such an output but could not be parsed: {first}", "line",
				strconv.Itoa(r.Unread[0].Line), "first", r.Unread[0].First)
		}
		return nil, p
	}
	spec := "ram=16GB"
	if storage != "" {
		spec += ",storage=" + storage
	}
	d := &Probed{Outputs: r.Outputs, Unread: r.Unread, Others: r.Others, Verdicts: outputs.Judge(r.Outputs)}
	runs := 0
	for i := range r.Outputs {
		if r.Outputs[i].Fsync != nil {
			runs++
		}
	}
	for i := range r.Outputs {
		o := &r.Outputs[i]
		if o.Fsync == nil && o.Timing == nil && o.Fio == nil {
			continue
		}
		// each on a separate host: two runs in a file may well be of two disks
		s, err := h.Describe(spec)
		if err != nil {
			return nil, err
		}
		p := probeOf(o, s.Snapshot)
		one := whatFollows(s.Snapshot, p)
		at := file
		if runs > 1 {
			at = file + ", line " + strconv.Itoa(o.Line) // the name of an instance, which is no text
		}
		for k := range one.Findings {
			one.Findings[k].Instance = at
		}
		d.Findings = append(d.Findings, one.Findings...)
		d.join(one)
	}
	if d.Snapshot == nil {
		s, err := h.Describe(spec)
		if err != nil {
			return nil, err
		}
		d.Snapshot = s.Snapshot
		d.Measured = measured.Probe{Schema: measured.Schema, TakenAt: max(s.Snapshot.TakenAt, 1),
			Disks: []measured.Disk{}, Missing: []known.Gap{}}
	}
	if storage == "" && slices.ContainsFunc(d.Measured.Disks, func(k measured.Disk) bool { return k.Flush != nil }) {
		h.Tell("note", say.M("limits of the disk are not checked; to check them, add --storage nvme|ssd|hdd|san"))
	}
	return d, nil
}

// join adds what another output measured; the first of each kind counts.
func (d *Probed) join(o *Probed) {
	if d.Snapshot == nil {
		d.Snapshot, d.Measured = o.Snapshot, o.Measured
		return
	}
	m := &d.Measured
	m.Disks = append(m.Disks, o.Measured.Disks...)
	if m.Timing == nil {
		m.Timing = o.Measured.Timing
	}
	if m.Seconds == 0 {
		m.Seconds = o.Measured.Seconds
	}
}

func (h *Host) readMeasured(file string) (b []byte, name any, err error) {
	name = "stdin"
	r := h.Input
	if file != "-" {
		name = say.Quoted(file)
		f, err := os.Open(file)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil, name, &say.Problem{Message: say.M("could not open {name}: permission denied", "name", name),
				Hint: say.M("Run pgfettle as its owner."),
				Code: say.CodeNoAccess}
		case err != nil:
			return nil, name, say.Usage(say.M("--read: file {name} does not exist", "name", name),
				say.M("Name a file, or - for stdin."))
		}
		defer f.Close()
		if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
			return nil, name, say.Usage(say.M("--read: {name} is not a regular file", "name", name),
				say.M("Name a file, or - for stdin."))
		}
		r = f
	}
	b, err = io.ReadAll(io.LimitReader(r, readMost+1))
	if err == nil && len(b) > readMost {
		err = say.Err("{name}: larger than {n} bytes", "name", name, "n", strconv.Itoa(readMost))
	}
	return b, name, err
}

// probeOf makes a probe of one output, on the disk of a described host.
func probeOf(o *output.Output, s *snapshot.Snapshot) *measured.Probe {
	p := &measured.Probe{Schema: measured.Schema, TakenAt: max(s.TakenAt, 1), Disks: []measured.Disk{},
		Missing: []known.Gap{}}
	if c, ok := s.Host.Clock.Get(); ok {
		p.Clock = c.Current
	}
	places, _ := s.Instances[0].Places.Get()
	disk := measured.Disk{Name: "that was measured", Roles: []string{}}
	if len(places) > 0 {
		disk.Device = places[0].Device
	}
	if blocks, ok := s.Host.Blocks.Get(); ok && len(blocks) > 0 {
		blocks = append([]host.Block{}, blocks...)
		blocks[0].DMName = measured.UnnamedDisk
		if blocks[0].Name == "sda" {
			blocks[0].Driver = "sd"
		}
		// A stated kind of disk refers to the disk itself, whatever is in between.
		s.Host.Blocks, s.Host.Virt = known.Is(blocks), known.Is(host.Virt{Kind: "none"})
	}
	switch {
	case o.Fsync != nil:
		p.Seconds = o.Fsync.Seconds
		disk.Flush = &measured.Flush{By: output.TestFsync, Fsync: *o.Fsync}
	case o.Timing != nil:
		p.Seconds = o.Timing.Seconds
		p.Timing = &measured.TimingRun{By: output.TestTiming, Timing: *o.Timing}
	case o.Fio != nil:
		fioDisk(o, &disk)
	}
	if disk.Flush != nil || disk.Reads != nil || disk.FioFlush != nil {
		p.Disks = append(p.Disks, disk)
	}
	return p
}

// page is what the server reads at once.
const page = 8 * unit.KB

// fioDisk is what fio reported about random reads and flushes after each write.
func fioDisk(o *output.Output, disk *measured.Disk) {
	by := o.Version
	if by == "" {
		by = output.FioProgram
	}
	r := &measured.Reads{By: by, Random: []measured.Random{}, Access: "unknown"}
	for i := range o.Fio.Jobs {
		j := &o.Fio.Jobs[i]
		if j.Sum {
			continue
		}
		if random, ok := j.Random(); j.Read != nil && ok {
			switch {
			case o.Fio.FromCache(j):
				r.Access = "buffered"
			case j.Direct != nil:
				r.Access = map[bool]string{true: "", false: "buffered"}[*j.Direct]
			}
			if j.BlockSize != page {
				r.Block = j.BlockSize
			}
			switch {
			case !random:
				r.Sequential = max(r.Sequential, j.Read.Speed)
			case j.AtOnce() > 0 && j.Read.PerSecond > 0:
				r.Random = append(r.Random, measured.Random{Depth: j.AtOnce(), PerSecond: j.Read.PerSecond,
					Mean: j.Read.Mean, P99: j.Read.P99})
			}
		}
		if s := j.Sync; s != nil {
			f := measured.FioSide{Count: s.Count, PerSecond: s.PerSecond, Mean: s.Mean, P50: s.P50, P99: s.P99}
			switch {
			case j.Write != nil && (s.Count == 0 || j.EachFlushed()):
				f.PerSecond = j.Write.PerSecond // each write waited for its flush
			case s.Count > 0 && j.Seconds > 0:
				f.PerSecond = float64(s.Count) / j.Seconds
			}
			disk.FioFlush = &f
		}
	}
	if len(r.Random) > 0 || r.Sequential > 0 {
		disk.Reads = r
	}
}
