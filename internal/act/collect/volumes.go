package collect

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// volumeTimeout bounds each question about storage. All answer from memory or
// from one block in milliseconds; a device that hangs must not hold us up.
const volumeTimeout = 3 * time.Second

// maxAsked bounds the devices, disks and directories that a command is run for, each taking its time: an instance with
// more tablespaces than this is rare.
const maxAsked = 64

// volumes asks the programs of device mapper, ext4, ZFS, btrfs and SATA disks what the files of the kernel do not
// report, each only if a place is on such a device. chain lists the devices under all places. None of them changes
// anything or wakes a disk.
func (c *collector) volumes(ctx context.Context, found []*instance, chain []block) {
	var exts, datasets, btrfs []string
	add := func(to *[]string, s string) {
		if !slices.Contains(*to, s) && len(*to) < maxAsked {
			*to = append(*to, s)
		}
	}
	for _, in := range found {
		for i, p := range in.places {
			m, ok := c.tableOf(in).of(in.inner[i])
			switch {
			case !ok:
			case m.FSType == "ext3" || m.FSType == "ext4":
				add(&exts, p.Device)
			case m.FSType == "zfs" && !strings.HasPrefix(m.Source, "-"):
				add(&datasets, m.Source)
			case m.FSType == "btrfs" && (!in.inside || p.Path != in.inner[i]):
				add(&btrfs, p.Path)
			}
		}
	}
	if slices.ContainsFunc(chain, func(b block) bool { return b.Kind == "dm" }) {
		c.rootOutputOf(ctx, host.MappedStatus, "dmsetup", "status")
		c.rootOutputOf(ctx, host.MappedTable, "dmsetup", "table", "--target", "snapshot")
	}
	if len(exts) > 0 {
		c.outputsOf(ctx, host.Exts, exts, features, func(device string) []string {
			at, err := c.t.Resolve("sys/dev/block/" + device)
			if err != nil {
				return nil
			}
			dev := node(path.Base(at))
			if _, err := c.t.Stat(dev); err != nil {
				return nil // in a container, which has no devices
			}
			return []string{"tune2fs", "-l", dev}
		})
	}
	if disks := sataOfArrays(chain); len(disks) > 0 {
		c.outputsOf(ctx, host.ERCs, disks, nil, func(disk string) []string {
			return []string{"smartctl", "-n", "standby", "-l", "scterc", node(disk)}
		})
	}
	if len(datasets) > 0 {
		c.outputOf(ctx, host.Datasets, append([]string{"zfs", "get", "-Hp", "-o", "name,property,value",
			host.DatasetProperties}, datasets...)...)
	}
	if len(btrfs) > 0 {
		c.outputOf(ctx, host.LsAttr, append([]string{"lsattr", "-d", "--"}, btrfs...)...)
	}
}

// node returns the device node of a kernel name, in which / is written !.
func node(name string) string { return "/dev/" + strings.ReplaceAll(name, "!", "/") }

// sataOfArrays returns the disks with a SCSI driver below md arrays. Disks of
// other buses have no error recovery control.
func sataOfArrays(chain []block) []string {
	byName := map[string]block{}
	var next []string
	for _, b := range chain {
		byName[b.Name] = b
		if b.Kind == "md" {
			next = append(next, b.Below...)
		}
	}
	out, seen := []string{}, map[string]bool{}
	for len(next) > 0 {
		b, ok := byName[next[0]]
		next = next[1:]
		if !ok || seen[b.Name] {
			continue
		}
		seen[b.Name] = true
		next = append(next, b.Below...)
		if b.Kind == "disk" && b.Driver == "sd" && len(out) < maxAsked {
			out = append(out, b.Name)
		}
	}
	return out
}

// rootOutputOf runs a command that needs root and keeps its output.
func (c *collector) rootOutputOf(ctx context.Context, name string, argv ...string) {
	if !c.root {
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Forbidden, Reason: "only root may run " + argv[0],
			Reveal: asRoot})
		return
	}
	c.outputOf(ctx, name, argv...)
}

// outputOf runs a command that anybody may run and keeps its output.
func (c *collector) outputOf(ctx context.Context, name string, argv ...string) {
	out, problem := c.output(ctx, argv)
	if problem.reason != "" {
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: problem.reason,
			Reveal: problem.reveal})
		return
	}
	c.add(name, out)
}

// outputsOf runs a command that needs root for each of some things, and keeps
// the outputs one after another, each under a line «# NAME». One that fails
// leaves only that line; where all fail the first reason is noted.
func (c *collector) outputsOf(ctx context.Context, name string, things []string, keep func([]byte) []byte,
	argv func(string) []string) {
	program := ""
	var all bytes.Buffer
	var first failure
	got := 0
	for _, th := range things {
		args := argv(th)
		if args == nil {
			continue
		}
		program = args[0]
		if !c.root {
			break
		}
		out, problem := c.output(ctx, args)
		if problem.reason != "" {
			if first.reason == "" {
				first = problem
			}
			continue
		}
		if keep != nil {
			out = keep(out)
		}
		got++
		all.WriteString("# " + th + "\n")
		all.Write(bytes.TrimSpace(out))
		all.WriteString("\n")
	}
	switch {
	case got > 0:
		c.add(name, all.Bytes())
	case program == "": // none of the things has a device to ask
	case !c.root:
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Forbidden, Reason: "only root may run " + program,
			Reveal: asRoot})
	default:
		c.a.AddMissing(evidence.Missing{Name: name, State: known.Unread, Reason: first.reason, Reveal: first.reveal})
	}
}

// failure is why there is no output of a program, and what would reveal it.
type failure struct{ reason, reveal string }

// output runs a command. smartctl sets bits of its exit status for what it has
// to say of a disk, and only the lowest two mean that there is no answer.
func (c *collector) output(ctx context.Context, argv []string) (out []byte, problem failure) {
	o, err := c.t.Run(ctx, target.Command{Argv: argv, Timeout: volumeTimeout})
	program := argv[0]
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, failure{err.Error(), "install " + program}
	case err != nil:
		return nil, failure{err.Error(), "run " + program + " manually to see why it fails"}
	case o.Code != 0 && (program != "smartctl" || o.Code&3 != 0):
		return nil, failure{program + ": " + firstLine(program, o.Stderr, o.Stdout),
			"run " + program + " manually to see why it fails"}
	}
	return bytes.ToValidUTF8(o.Stdout, []byte("?")), failure{}
}

// firstLine returns the first line of the first text that has one, without the name of the
// program that some begin each line with, and tune2fs even twice.
func firstLine(program string, texts ...[]byte) string {
	for _, t := range texts {
		line, _, _ := bytes.Cut(bytes.TrimSpace(t), []byte("\n"))
		for again := true; again; {
			line, again = bytes.CutPrefix(bytes.TrimSpace(line), []byte(program+":"))
		}
		if len(line) > 0 {
			return string(bytes.ToValidUTF8(line, nil))
		}
	}
	return "no answer"
}

// features keeps the one line of tune2fs -l that is wanted: the others hold the names of the volume and of the
// directory it was last mounted at.
func features(out []byte) []byte {
	for line := range bytes.Lines(out) {
		if bytes.HasPrefix(line, []byte(host.ExtFeatures)) {
			return line
		}
	}
	return nil
}
