package oomdemo

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// maxLog bounds what is read of the server's log: a dump of memory contexts is
// 15 kB, and a round logs one or two.
const maxLog = 1 << 20

// serverLog is what a server's log says about a round.
type serverLog struct {
	crash     []string // from the death of a process to the readiness after it
	refusal   []string // the error, with the contexts that held the most
	deaths    []uint32 // processes that signal 9 ended
	restarted bool     // all sessions were ended
	ready     bool     // and the server takes connections again
}

// maxCrash bounds what is shown of a crash: eight lines, and a few for others
// that died with it.
const maxCrash = 20

// picker takes the lines that are shown out of a log, by what its reader says they are.
type picker struct {
	serverLog
	all     []string
	dump    []string // lines of the last dump of memory contexts
	refused bool
}

// readServerLog picks what matters out of the log.
func readServerLog(text string) serverLog {
	p := &picker{}
	feed := pglog.NewFeed(p)
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		p.all = append(p.all, line)
		feed.Line([]byte(line), 0)
	}
	feed.End()
	return p.serverLog
}

// Entry implements pglog.Sink. A recovery at the start is another story, and the lines of the processes that are ended
// by a crash are omitted, being many.
func (p *picker) Entry(e *pglog.Entry) {
	k := e.Kind()
	switch k {
	case pglog.ChildDied:
		d, ok := e.Death()
		if !ok || d.Signal == 0 {
			return
		}
		if d.Signal == 9 && d.PID <= math.MaxUint32 {
			p.deaths = append(p.deaths, uint32(d.PID))
		}
		p.show(append([]string{p.line(e)}, p.below(e, "DETAIL:")...)...)
	case pglog.Reinit, pglog.EndingAll, pglog.Interrupted, pglog.NotShutDown, pglog.RedoStart, pglog.RedoDone:
		p.restarted = p.restarted || k == pglog.Reinit
		if len(p.crash) > 0 {
			p.show(p.line(e))
		}
	case pglog.Ready:
		if p.restarted && !p.ready {
			p.crash, p.ready = append(p.crash, p.line(e)), true
		}
	case pglog.OutOfMemory:
		if e.Severity >= pglog.Error && !p.refused { // once is enough
			p.refused = true
			p.refusal = append(append(p.dump, p.line(e)), p.below(e, "DETAIL:", "STATEMENT:")...)
		}
	}
}

func (p *picker) show(lines ...string) {
	for _, l := range lines {
		if len(p.crash) < maxCrash-1 {
			p.crash = append(p.crash, l)
		}
	}
}

func (p *picker) line(e *pglog.Entry) string { return p.all[e.Line-1] }

// below returns the lines of an entry's parts with these labels, the first of each.
func (p *picker) below(e *pglog.Entry, labels ...string) (out []string) {
	const parts = 8 // a message has fewer
	for _, l := range p.all[e.Line:min(int(e.Line)+parts, len(p.all))] {
		if len(labels) > 0 && strings.Contains(l, labels[0]+"  ") {
			out, labels = append(out, l), labels[1:]
		}
	}
	return out
}

// Dump implements pglog.Sink: of the contexts the state of the executor, the one
// that holds the most, and the sum.
func (p *picker) Dump(d *pglog.Dump) {
	if d.Asked || p.refused {
		return
	}
	var state, largest *pglog.Context
	for i := range d.Contexts {
		c := &d.Contexts[i]
		if c.Name == "ExecutorState" {
			state = c
		}
		if largest == nil || c.Total > largest.Total {
			largest = c
		}
	}
	p.dump = nil
	for _, c := range []*pglog.Context{state, largest} {
		if c != nil && (c != state || len(p.dump) == 0) {
			p.verbatim(c.Name, c.Total)
		}
	}
	p.verbatim("Grand total", d.Total)
}

// verbatim takes the last line of a context.
func (p *picker) verbatim(name string, total int64) {
	for i := len(p.all) - 1; i >= 0; i-- {
		l := strings.TrimSpace(p.all[i])
		if strings.HasPrefix(l, name+": "+strconv.FormatInt(total, 10)+" ") {
			p.dump = append(p.dump, l)
			return
		}
	}
}

// maxRefusal is three contexts, the error and its detail.
const maxRefusal = 5

// killed reports whether a process ended by signal 9.
func (s serverLog) killed(pid uint32) bool {
	for _, p := range s.deaths {
		if p == pid {
			return true
		}
	}
	return false
}

// lines are those to show.
func (s serverLog) lines(refused bool) []string {
	out := []string{}
	if refused {
		out = append(out, s.refusal...)
	}
	return append(out, s.crash...)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
