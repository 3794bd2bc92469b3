package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// readMost bounds a file of --read; the outputs that are meant are some kilobytes.
const readMost = 4 << 20

// ReadProbe reads and judges what a measuring program has said elsewhere. file may be
// "-"; storage is the kind of disk, "" where it is not known.
func (h *Host) ReadProbe(file, storage string) (*Probed, error) {
	b, name, err := h.readMeasured(file)
	if err != nil {
		return nil, err
	}
	spec := "ram=16GB"
	if storage != "" {
		spec += ",storage=" + storage
	}
	s, err := h.Describe(spec)
	if err != nil {
		return nil, err
	}
	p, err := probeOf(b, s.Snapshot)
	if err != nil {
		return nil, &say.Problem{Message: name +
			" is no output of pg_test_fsync, pg_test_timing or fio --output-format=json",
			Detail: err.Error(), Code: say.CodeError}
	}
	d := whatFollows(s.Snapshot, p)
	d.Methods, d.Follows = nil, nil // nothing else is known of where it was measured
	for i := range d.Findings {
		d.Findings[i].Instance = file
	}
	if storage == "" && len(p.Disks) > 0 {
		h.Tell("note", "what such a disk can do at most is not judged without --storage nvme|ssd|hdd|san")
	}
	return d, nil
}

func (h *Host) readMeasured(file string) (b []byte, name string, err error) {
	name = "stdin"
	r := h.Input
	if file != "-" {
		name = fmt.Sprintf("%q", file)
		f, err := os.Open(file)
		switch {
		case errors.Is(err, fs.ErrPermission):
			return nil, name, &say.Problem{Message: name + ": permission denied", Hint: "run pgfettle as its owner",
				Code: say.CodeNoAccess}
		case err != nil:
			return nil, name, say.Usage(fmt.Sprintf("--read: no such file: %s", name), "name a file, or - for stdin")
		}
		defer f.Close()
		if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
			return nil, name, say.Usage(fmt.Sprintf("--read: %s is no regular file", name),
				"name a file, or - for stdin")
		}
		r = f
	}
	b, err = io.ReadAll(io.LimitReader(r, readMost+1))
	if err == nil && len(b) > readMost {
		err = fmt.Errorf("%s: larger than %d bytes", name, readMost)
	}
	return b, name, err
}

// probeOf makes a probe of one program's output, on the disk of a described host.
func probeOf(b []byte, s *snapshot.Snapshot) (*measured.Probe, error) {
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
		blocks[0].DMName = "the disk" // its name there is not known
		if blocks[0].Name == "sda" {
			blocks[0].Driver = "sd"
		}
		// Who says what kind of disk it is means the disk, whatever is between.
		s.Host.Blocks, s.Host.Virt = known.Is(blocks), known.Is(host.Virt{Kind: "none"})
	}
	f, err1 := measured.ParseFsync(b)
	if err1 == nil {
		p.Seconds = f.Seconds
		disk.Flush = &measured.Flush{By: "pg_test_fsync", Fsync: *f}
		p.Disks = append(p.Disks, disk)
		return p, nil
	}
	t, err2 := measured.ParseTiming(b)
	if err2 == nil {
		p.Seconds = t.Seconds
		p.Timing = &measured.TimingRun{By: "pg_test_timing", Timing: *t}
		return p, nil
	}
	fio, err3 := measured.ParseFio(b)
	if err3 != nil {
		return nil, fmt.Errorf("%w; %w; %w", err1, err2, err3)
	}
	r := &measured.Reads{By: fio.Version, Random: []measured.Random{}}
	for _, j := range fio.Jobs {
		if j.Read.PerSecond > 0 {
			r.Random = append(r.Random, measured.Random{Depth: j.Depth, PerSecond: j.Read.PerSecond, Mean: j.Read.Mean,
				P99: j.Read.P99})
		}
		if j.Sync.Count > 0 {
			sync := j.Sync
			if j.Write.PerSecond > 0 {
				sync.PerSecond = j.Write.PerSecond
			}
			disk.FioFlush = &sync
		}
	}
	if len(r.Random) > 0 {
		disk.Reads = r
	}
	if disk.Reads == nil && disk.FioFlush == nil {
		return nil, errors.New("fio read nothing and flushed nothing")
	}
	p.Disks = append(p.Disks, disk)
	return p, nil
}
