package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

// Bounds of what is kept of probes.
const (
	// measuredDays is how long a probe speaks for a machine: within a quarter disks age, volumes are resized, and
	// neighbors come.
	measuredDays = 90
	// maxProbes limits the probes that are read, the latest first: each may have measured a part.
	maxProbes = 16
	// maxProbe bounds one of them; that of ten disks is 50 kB.
	maxProbe = 1 << 20
	// maxUnder bounds the devices under one, as lvm over md over disks.
	maxUnder = 64
)

// measured puts into the evidence what probes have measured on the devices that
// are there now: of each part the latest.
func (c *collector) measured(found []*instance) {
	p := c.latest()
	if p == nil {
		return
	}
	wanted := map[string]bool{}
	for _, in := range found {
		for _, at := range in.places {
			wanted[at.Device] = true
		}
	}
	p.Disks = slices.DeleteFunc(p.Disks, func(d measured.Disk) bool { return !wanted[d.Device] })
	p.Missing = []known.Gap{} // of that run, with paths in it
	c.json(measured.File, p)
}

// latest merges the probes that still belong to this machine; nil: none does.
func (c *collector) latest() *measured.Probe {
	release, err := unit.ParseKernel(text(c.t, "proc/sys/kernel/osrelease"))
	if err != nil {
		return nil
	}
	clock := text(c.t, "sys/devices/system/clocksource/clocksource0/current_clocksource")
	identities := map[string]string{}
	var out *measured.Probe
	for _, file := range c.probes() {
		b, err := c.t.ReadFile(file, maxProbe)
		if err != nil {
			continue
		}
		p, err := measured.Parse(b)
		if err != nil {
			c.say("%s is no probe: %v", file, err)
			continue
		}
		age := c.t.Now().Sub(time.Unix(p.TakenAt, 0))
		then, err := unit.ParseKernel(p.Kernel)
		if err != nil || age > measuredDays*24*time.Hour || age < -24*time.Hour || then.Major != release.Major ||
			then.Minor != release.Minor {
			continue // another kernel schedules and flushes otherwise
		}
		p.Disks = slices.DeleteFunc(p.Disks, func(d measured.Disk) bool {
			id, ok := identities[d.Device]
			if !ok {
				_, id = Identity(c.t, d.Device)
				identities[d.Device] = id
			}
			return id == "" || id != d.Identity
		})
		for i := range p.Disks {
			p.Disks[i].Places = nil
		}
		if p.Clock != clock {
			p.Timing = nil
		}
		if out == nil {
			p.Clock = clock
			out = &p
			continue
		}
		fill(out, &p)
	}
	return out
}

// fill takes what an older probe has and a later one has not.
func fill(to, from *measured.Probe) {
	if to.Timing == nil {
		to.Timing = from.Timing
	}
	if to.Memory == nil {
		to.Memory = from.Memory
	}
	for _, d := range from.Disks {
		have, ok := to.On(d.Device)
		if !ok {
			to.Disks = append(to.Disks, d)
			continue
		}
		if have.Flush == nil {
			have.Flush = d.Flush
		}
		if have.Reads == nil {
			have.Reads = d.Reads
		}
		if have.FioFlush == nil {
			have.FioFlush = d.FioFlush
		}
	}
}

// probes returns the files that are read, the latest first: their names are times.
func (c *collector) probes() []string {
	var out []string
	for _, dir := range c.req.Measured {
		names, err := c.t.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, n := range names {
			if strings.HasSuffix(n, ".json") && !strings.HasPrefix(n, ".") {
				out = append(out, path.Join(dir, n))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(path.Base(b), path.Base(a)) })
	return out[:min(len(out), maxProbes)]
}

// Identity returns the kernel's name of a block device and a digest of what distinguishes it from another that has its
// number later: sizes, serial numbers and names that volumes were given, of itself and of the devices below. Both are
// empty if there is no such device.
func Identity(t target.Target, device string) (name, digest string) {
	if strings.HasPrefix(device, "0:") || device == "" || strings.ContainsAny(device, "/.") {
		return "", "" // numbers of filesystems without a device change with every boot
	}
	at, err := t.Resolve("sys/dev/block/" + device)
	if err != nil {
		return "", ""
	}
	var b strings.Builder
	queue, seen := []string{at}, map[string]bool{}
	for len(queue) > 0 && len(seen) < maxUnder {
		dir := queue[0]
		queue = queue[1:]
		if seen[dir] {
			continue
		}
		seen[dir] = true
		for _, f := range []string{"size", "start", "partition", "dm/uuid", "md/uuid", "serial", "wwid", "device/wwid",
			"device/serial", "device/model"} {
			if v := text(t, dir+"/"+f); v != "" {
				b.WriteString(f + "=" + v + "\n")
			}
		}
		if _, err := t.Stat(dir + "/partition"); err == nil {
			queue = append(queue, path.Dir(dir))
		}
		slaves, _ := t.ReadDir(dir + "/slaves")
		slices.Sort(slaves)
		for _, s := range slaves {
			if to, err := t.Resolve(dir + "/slaves/" + s); err == nil {
				queue = append(queue, to)
			}
		}
	}
	if b.Len() == 0 {
		return path.Base(at), ""
	}
	sum := sha256.Sum256([]byte(b.String()))
	return path.Base(at), hex.EncodeToString(sum[:16]) // half of it distinguishes disks
}
