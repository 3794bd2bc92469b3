// Package outputs says what an output of a measuring program means by itself: whether its numbers can be those of a
// disk that keeps what it was asked to keep, whether they are good, and what they cannot show. All it knows about the
// host is what the output contains.
package outputs

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
)

// Tone is what a verdict means.
type Tone string

// The tones.
const (
	Good     Tone = "good"
	Info     Tone = "info" // neither good nor bad
	Warning  Tone = "warning"
	Critical Tone = "critical" // data would be lost
)

// Verdict is one sentence on an output.
type Verdict struct {
	ID     string      `json:"id"`
	Tone   Tone        `json:"tone"`
	Output int         `json:"output"` // index of what it is about; of several the first
	Text   say.Message `json:"text"`
}

// Judge judges all outputs of a file.
func Judge(list []output.Output) []Verdict {
	var j judge
	for i := range list {
		o := &list[i]
		j.at = i
		switch {
		case o.Fsync != nil:
			j.fsync(o.Fsync)
		case o.Timing != nil:
			j.timing(o.Timing)
		case o.Fio != nil:
			j.fio(o.Fio)
		case o.Pgbench != nil:
			j.pgbench(o.Pgbench)
			j.progress(output.PgbenchRun, o.Progress)
		case o.Progress != nil:
			j.progress(output.PgbenchRun, o.Progress)
		case o.Log != nil:
			j.log(o.Log)
		case o.Sysbench != nil:
			j.sysbench(o.Sysbench)
		case o.Iostat != nil:
			j.iostat(o.Iostat)
		case o.Vmstat != nil:
			j.vmstat(o.Vmstat)
		case o.Sar != nil:
			j.sar(o.Sar)
		case o.Pidstat != nil:
			j.pidstat(o.Pidstat)
		}
	}
	j.runs(list)
	return j.list
}

type judge struct {
	at   int
	list []Verdict
}

func (j *judge) say(id string, t Tone, text say.Template, pairs ...any) {
	j.add(id, t, say.M(text, pairs...))
}

func (j *judge) add(id string, t Tone, m say.Message) {
	j.list = append(j.list, Verdict{ID: id, Tone: t, Output: j.at, Text: m})
}
