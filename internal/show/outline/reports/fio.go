package reports

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// fio is a row for the reads, the writes and the flushes of each job.
func (p probeWords) fio(o *outline.Outline, f *output.Fio) {
	rows := [][]string{p.columns("job | operation | per second | bytes per second | mean | p99")}
	for i := range f.Jobs {
		j := &f.Jobs[i]
		name := say.Text(j.Name)
		if j.Host != "" {
			name = say.M("{job} on {host}", "job", name, "host", j.Host)
		}
		if j.Error != 0 {
			name = say.M("{job} (stopped by error {n})", "job", name, "n", strconv.Itoa(j.Error))
			p.fioFailed(o, j)
		}
		for _, s := range []struct {
			what say.Message
			side *output.Side
		}{{fioReads(j), j.Read}, {fioWrites(j), j.Write}, {say.M("flushes"), j.Sync}} {
			if s.side == nil || len(rows) > shownRows {
				continue
			}
			rows = append(rows, p.row(name, s.what, rateOr(s.side.PerSecond), sizeOr(s.side.Speed),
				coarse(s.side.Mean), coarse(s.side.P99)))
			name = say.Message{}
		}
		if j.Direct != nil && !*j.Direct && j.Read != nil {
			o.Toned(outline.ToneNote, p.Say("Job {job} read through the page cache (no direct I/O).", "job", j.Name))
		}
	}
	if len(rows) > 1 {
		o.Add(outline.TableOf(p.Say("fio jobs"), rows, 2))
	}
	if x := f.Progress; x != nil {
		o.Para(p.Say("The run is not finished: {done} done. Current rate: {rates}.", "done", percent(x.Done), "rates",
			say.All(", ", fioNow(x.Reads, x.ReadSpeed, "{rate} reads per second ({speed})",
				"reads per second ({speed})"),
				fioNow(x.Writes, x.WriteSpeed, "{rate} writes per second ({speed})", "writes per second ({speed})"))))
	}
	for i, k := range f.Disks {
		if i < 8 {
			o.Para(p.Say("Underlying disk {name}: {reads} reads, {writes} writes, {util} utilization.", "name", k.Name,
				"reads", k.Reads, "writes", k.Writes, "util", percent(k.Util)))
		}
	}
}

// fioNow is a rate of a run that has not ended; nothing if there is none.
func fioNow(v float64, speed unit.Bytes, both, speedAlone say.Template) say.Message {
	switch {
	case v > 0:
		return say.M(both, "rate", outputs.Rate(v), "speed", each(speed))
	case speed > 0:
		return say.M(speedAlone, "speed", each(speed))
	}
	return say.Message{}
}

// fioFailed says with which error a job ended.
func (p probeWords) fioFailed(o *outline.Outline, j *output.Job) {
	if j.Read == nil && j.Write == nil && j.Sync == nil {
		o.Toned(outline.ToneMind, p.Say("Job {job} failed with error {error} and measured nothing.", "job", j.Name,
			"error", errno(j.Error)))
		return
	}
	o.Toned(outline.ToneMind, p.Say("Job {job} ended early, with error {error}.", "job", j.Name, "error",
		errno(j.Error)))
}

// errno is an error of Linux, with its name and meaning where a disk or its options cause it.
func errno(n int) say.Message {
	switch n {
	case 1:
		return say.Text("1 (EPERM)")
	case 2:
		return say.M("2 (ENOENT, no such file)")
	case 5:
		return say.M("5 (EIO, input/output error)")
	case 12:
		return say.Text("12 (ENOMEM)")
	case 13:
		return say.M("13 (EACCES, permission denied)")
	case 22:
		return say.M("22 (EINVAL, invalid argument)")
	case 28:
		return say.M("28 (ENOSPC, no space left on device)")
	case 30:
		return say.M("30 (EROFS, read-only filesystem)")
	case 95:
		return say.Text("95 (EOPNOTSUPP)")
	case 110:
		return say.M("110 (ETIMEDOUT, timed out)")
	case 121:
		return say.M("121 (EREMOTEIO, remote I/O error)")
	case 122:
		return say.M("122 (EDQUOT, disk quota exceeded)")
	}
	return say.Text(strconv.Itoa(n))
}

func fioReads(j *output.Job) say.Message {
	if j.BlockSize > 0 {
		return fioHow(j, say.M("reads of {size}", "size", j.BlockSize))
	}
	return fioHow(j, say.M("reads"))
}

func fioWrites(j *output.Job) say.Message {
	if j.BlockSize > 0 {
		return fioHow(j, say.M("writes of {size}", "size", j.BlockSize))
	}
	return fioHow(j, say.M("writes"))
}

// fioHow is "reads of 4 kB, random, queue depth 16 (libaio)".
func fioHow(j *output.Job, what say.Message) say.Message {
	of := []say.Message{what}
	if random, ok := j.Random(); ok {
		if random {
			of = append(of, say.M("random"))
		} else {
			of = append(of, say.M("sequential"))
		}
	}
	if n := j.AtOnce(); n > 0 {
		of = append(of, say.M("queue depth {depth}", "depth", strconv.Itoa(n)))
	}
	if j.Engine != "" {
		return say.M("{what} ({engine})", "what", say.All(", ", of...), "engine", j.Engine)
	}
	return say.All(", ", of...)
}

// sizeOr spells bytes; "" for none.
func sizeOr(v unit.Bytes) any {
	if v <= 0 {
		return ""
	}
	return v
}
