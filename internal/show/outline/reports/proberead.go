package reports

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// shownRows is how many rows of a table a person reads; all are in JSON.
const shownRows = 30

// outputs is each output of a file, with what it means.
func (p probeWords) outputs(o *outline.Outline, d *document.Probe) {
	for i := range d.Outputs {
		x := &d.Outputs[i]
		name := x.Program
		if x.Version != "" && x.Program == output.FioProgram {
			name = x.Version
		} else if x.Version != "" {
			name += " " + x.Version
		}
		head := []say.Message{say.Text(name)}
		if len(d.Outputs) > 1 || x.Line > 1 {
			head = append(head, say.M("from line {line}", "line", strconv.Itoa(x.Line)))
		}
		o.Part(p.Word(say.All(", ", append(head, say.Text(x.Of))...)))
		p.output(o, d, x)
		if x.Cut {
			o.Toned(outline.ToneNote, p.Say("The output is incomplete: its beginning or its end is not in the file."))
		}
		for _, v := range d.Verdicts {
			if v.Output == i {
				o.Toned(toneOf(v.Tone), p.Word(v.Text))
			}
		}
	}
	p.neighbors(o, d.Others)
	if len(d.Unread) == 0 {
		return
	}
	o.Part(p.Say("Not understood"))
	for _, u := range d.Unread {
		o.Toned(outline.ToneNote, p.Many(u.Count,
			"{n} line with {text} could not be read. The first is line {line}: {first}",
			"{n} lines with {text} could not be read. The first is line {line}: {first}",
			"text", say.Quoted(u.What), "line", strconv.Itoa(u.Line), "first", u.Told()))
	}
}

// neighbors are the results of other programs.
func (p probeWords) neighbors(o *outline.Outline, list []output.Neighbor) {
	if len(list) == 0 {
		return
	}
	o.Part(p.Say("Results of other programs"))
	for _, x := range list {
		o.Para(p.Say("{program}, line {line}: {text}", "program", x.Program, "line", strconv.Itoa(x.Line), "text",
			x.Text))
		if v := x.Flushed; v > 0 {
			o.Para(p.Say("Each write of dd was flushed: {rate} per second, {time} each.", "rate", outputs.Rate(v),
				"time",
				coarse(1/v)))
		}
		if x.Cached {
			o.Toned(outline.ToneNote, p.Say("dd did not wait for the disk: this is the speed of the page cache. "+
				"Use oflag=direct or conv=fdatasync."))
		}
	}
}

func toneOf(t outputs.Tone) outline.Tone {
	return map[outputs.Tone]outline.Tone{outputs.Good: outline.ToneGood, outputs.Info: outline.ToneInfo,
		outputs.Warning: outline.ToneMind, outputs.Critical: outline.ToneBad}[t]
}

// findings are those of a probe. Of a file with several outputs each is of one of them, by its line.
func (p probeWords) findings(d *document.Probe) []check.Finding {
	if d.From == "" {
		return d.Findings
	}
	list := slices.Clone(d.Findings)
	for i := range list {
		if line, ok := strings.CutPrefix(list[i].Instance, d.From+", line "); ok {
			list[i].Instance = p.Say("{file}, line {line}", "file", d.From, "line", line)
		}
	}
	return list
}

func (p probeWords) output(o *outline.Outline, d *document.Probe, x *output.Output) {
	switch {
	case x.Fsync != nil:
		k := &measured.Disk{Roles: []string{}, Flush: &measured.Flush{By: output.TestFsync, Fsync: *x.Fsync}}
		p.flushedWrites(o, d, k)
	case x.Timing != nil:
		p.clock(o, d, &measured.TimingRun{By: output.TestTiming, Timing: *x.Timing})
	case x.Fio != nil:
		p.fio(o, x.Fio)
	case x.Pgbench != nil || x.Progress != nil:
		p.pgbench(o, x)
	case x.Log != nil:
		p.pgbenchLog(o, x.Log)
	case x.Sysbench != nil:
		p.sysbench(o, x.Sysbench)
	case x.Iostat != nil:
		p.iostat(o, x.Iostat)
	case x.Vmstat != nil:
		p.vmstat(o, x.Vmstat)
	case x.Sar != nil:
		p.sar(o, x.Sar)
	case x.Pidstat != nil:
		p.pidstat(o, x.Pidstat)
	}
}

// facts is what an output says, one clause each, as a sentence.
func (p probeWords) facts(list []say.Message) string {
	if len(list) == 0 {
		return ""
	}
	return p.Word(say.All("; ", list...)) + "."
}

// progress is the range of a rate in lines of progress.
func (p probeWords) progress(n int, low, high float64) string {
	if n == 1 {
		return p.Say("Progress: one line, {rate} tps.", "rate", outputs.Rate(low))
	}
	return p.Many(n, "Progress: {n} lines, {low} to {high} tps.", "Progress: {n} lines, {low} to {high} tps.", "low",
		outputs.Rate(low), "high", outputs.Rate(high))
}

// moreRows says how many rows of a table are omitted.
func (p probeWords) moreRows(n int) string {
	return p.Many(n, "{n} more rows: use --format json.", "{n} more rows: use --format json.")
}
