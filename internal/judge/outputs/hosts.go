package outputs

import (
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
)

const (
	// longWait is a request in milliseconds: a rotating disk needs ten.
	longWait = 20
	// queued: with less than one request on average none waited for another.
	queued = 1
	// busy is %util from which a device was always at work; idle is what is left of a host that
	// does nothing.
	busy, idle = 99, 95
	// swapped is kB a second from which pages are moved all the time.
	swapped = 64
	// waiting is the share of the time in which CPUs had nothing to do but wait for I/O.
	waiting = 20
)

func (j *judge) iostat(t *output.Iostat) {
	var list []output.Device
	boot := 0
	for _, s := range t.Samples {
		if s.SinceBoot {
			boot++
			continue
		}
		list = append(list, s.Devices...)
	}
	if boot > 0 && boot == len(t.Samples) {
		j.say("since_boot", Info,
			"This is the mean since boot, not the present load. Measure intervals with iostat -x 1 10, and ignore the "+
				"first report.")
		return
	}
	j.devices(list)
	steal := 0.0
	for _, s := range t.Samples {
		if s.CPU != nil && !s.SinceBoot {
			steal = max(steal, s.CPU.Steal)
		}
	}
	j.steal(steal)
}

// devices reports where requests wait.
func (j *judge) devices(list []output.Device) {
	type worst struct {
		ms, queue float64
		of        string
	}
	slow, full, stuck := map[string]worst{}, map[string]float64{}, map[string]float64{}
	for i := range list {
		d := &list[i]
		ms, of := d.Longest()
		if ms >= longWait && d.Queue != nil && *d.Queue >= queued && ms > slow[d.Name].ms {
			slow[d.Name] = worst{ms, *d.Queue, of}
		}
		if d.Util != nil && *d.Util >= busy {
			full[d.Name] = *d.Util
		}
		if none(d.Reads) && none(d.Writes) && d.Queue != nil && *d.Queue >= queued && d.Util != nil && *d.Util >= busy {
			stuck[d.Name] = max(stuck[d.Name], *d.Queue)
		}
	}
	for _, name := range sorted(stuck) {
		j.say("no_request_done", Warning, "{device}: it completed no read and no write in an interval, although on "+
			"average {queue} requests were queued or in progress. Look at the kernel log for errors of the disk, its "+
			"controller, or its network.", "device", name, "queue", Rate(stuck[name]))
	}
	told := 0
	for _, name := range sorted(slow) {
		w := slow[name]
		if told++; told > 8 {
			j.add("requests_wait_more", Warning, say.N(len(slow)-8, "{n} more device has waiting requests.",
				"{n} more devices have waiting requests."))
			break
		}
		j.say("requests_wait", Warning, longest(w.of), "device", name, "ms", lasting(w.ms/1000), "queue",
			Rate(w.queue))
	}
	for _, name := range sorted(full) {
		if _, ok := slow[name]; !ok && stuck[name] == 0 {
			j.say("util_is_no_limit", Info,
				"{device}: %util is {util}. It counts the time with at least one request in progress. A device that "+
					"serves several requests at once can do more: look at its latency and its queue.",
				"device", name, "util", say.Number(fmt.Sprintf("%.0f%%", full[name])))
		}
	}
}

// none says whether a count is known to be zero.
func none(n *float64) bool { return n != nil && *n == 0 }

// longest says which requests of a device took how long.
func longest(of string) say.Template {
	switch of {
	case "reads":
		return "{device}: reads took up to {ms}; on average {queue} requests were queued or in progress."
	case "writes":
		return "{device}: writes took up to {ms}; on average {queue} requests were queued or in progress."
	}
	return "{device}: requests took up to {ms}; on average {queue} requests were queued or in progress."
}

func (j *judge) vmstat(t *output.Vmstat) {
	list := t.Samples
	if len(list) == 1 && list[0].SinceBoot {
		j.say("since_boot", Info, "This line is the mean since boot, not the present load. Measure intervals with "+
			"vmstat 1 10, and ignore the first line.")
		return
	}
	var in, out, wait, quiet, steal, blocked int64
	n := int64(0)
	scale := max(map[string]int64{"MB": 1024}[t.Unit], 1) // si and so have the unit of memory
	for _, s := range list {
		if s.SinceBoot {
			continue
		}
		n++
		const most = 1 << 40 // a figure beyond it is none, and its multiple would overflow
		if s.SI != nil {
			in = max(in, scale*min(*s.SI, most))
		}
		if s.SO != nil {
			out = max(out, scale*min(*s.SO, most))
		}
		wait = max(wait, s.WA)
		blocked = max(blocked, s.B)
		if s.ST != nil {
			steal = max(steal, *s.ST)
		}
		if s.ID >= idle {
			quiet++
		}
	}
	if in+out >= swapped {
		j.say("swapping", Warning, "The host swaps: up to {in}/s in and {out}/s out. It has too little memory for "+
			"what runs on it.", "in", unit.Bytes(in)*unit.KB, "out", unit.Bytes(out)*unit.KB)
	}
	if wait >= waiting {
		var also say.Message
		if blocked > 0 {
			also = say.N(blocked, "Up to {n} process was blocked, waiting for I/O.",
				"Up to {n} processes were blocked, waiting for I/O.")
		}
		j.add("waits_for_disk", Warning, say.All(" ", say.M("The CPUs waited for the disk up to {share} of the time.",
			"share", say.Number(strconv.FormatInt(wait, 10)+"%")), also))
	}
	j.steal(float64(steal))
	if n > 0 && quiet == n {
		j.say("idle", Info, "The host was idle in every interval.")
	}
}

// stolen is the share of the time, in percent, from which a host is short of CPU.
const stolen = 5

// steal reports CPU time that the hypervisor gave to others.
func (j *judge) steal(most float64) {
	if most >= stolen {
		j.say("steal", Warning, "CPU steal is up to {share}: the hypervisor gave that time to other virtual machines.",
			"share", say.Number(strconv.FormatFloat(most, 'f', -1, 64)+"%"))
	}
}

func (j *judge) sar(t *output.Sar) {
	j.devices(t.Devices)
	wait, at, steal := 0.0, "", 0.0
	for _, c := range t.CPU {
		if c.Of == "all" {
			steal = max(steal, c.Steal)
		}
		if c.Of == "all" && c.IOWait > wait {
			wait, at = c.IOWait, c.At
		}
	}
	if wait >= waiting {
		j.say("waits_for_disk", Warning, "The CPUs waited for the disk up to {share} of the time (at {at}).", "share",
			say.Number(fmt.Sprintf("%.1f%%", wait)), "at", at)
	}
	j.steal(steal)
	j.tables(t)
}

// tables judges swapping and the run queue.
func (j *judge) tables(t *output.Sar) {
	const kb = 4 // of a page
	var in, out, load float64
	at := ""
	for i := range t.Tables {
		for _, r := range t.Tables[i].Rows {
			in, out = max(in, kb*r.Values["pswpin/s"]), max(out, kb*r.Values["pswpout/s"])
			if l := r.Values["ldavg-1"]; l > load {
				load, at = l, r.At
			}
		}
	}
	if in+out >= swapped && in+out < 1<<40 {
		j.say("swapping", Warning, "The host swaps: up to {in}/s in and {out}/s out. It has too little memory for "+
			"what runs on it.", "in", unit.Bytes(in)*unit.KB, "out", unit.Bytes(out)*unit.KB)
	}
	if t.CPUs > 0 && load > float64(t.CPUs) {
		j.add("load_above_cpus", Info, say.N(t.CPUs,
			"The load average was up to {load} (at {at}) on {n} CPU: processes waited for a CPU or for the disk.",
			"The load average was up to {load} (at {at}) on {n} CPUs: processes waited for a CPU or for the disk.",
			"load", Rate(load), "at", at))
	}
}

const (
	// writesMuch is bytes a second of one process that a disk notices.
	writesMuch = 4 * unit.MB
	// usesMuch is a share of one processor, in percent.
	usesMuch = 50
)

// pidstat names the processes that do most.
func (j *judge) pidstat(t *output.Pidstat) {
	bytes := func(b *unit.Bytes) float64 {
		if b == nil {
			return 0
		}
		return float64(*b)
	}
	for _, x := range t.Top(func(x *output.Task) float64 { return bytes(x.Written) }, 1) {
		if *x.Written >= writesMuch {
			j.say("writes_most", Info, "{command} (PID {pid}) wrote most: {speed}/s.", "command", x.Command, "pid",
				strconv.FormatInt(x.PID, 10), "speed", *x.Written)
		}
	}
	for _, x := range t.Top(func(x *output.Task) float64 { return bytes(x.Read) }, 1) {
		if *x.Read >= writesMuch {
			j.say("reads_most", Info, "{command} (PID {pid}) read most: {speed}/s.", "command", x.Command, "pid",
				strconv.FormatInt(x.PID, 10), "speed", *x.Read)
		}
	}
	share := func(x *output.Task) float64 {
		if x.CPU == nil {
			return 0
		}
		return *x.CPU
	}
	for _, x := range t.Top(share, 1) {
		if *x.CPU >= usesMuch {
			j.say("uses_most", Info, "{command} (PID {pid}) used most: {share} of one CPU.", "command", x.Command,
				"pid", strconv.FormatInt(x.PID, 10), "share", say.Number(fmt.Sprintf("%.0f%%", *x.CPU)))
		}
	}
}
