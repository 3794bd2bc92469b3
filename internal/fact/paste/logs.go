package paste

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/database"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/prompt"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
	"github.com/pgfettle/pgfettle/internal/fact/paste/usage"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

var (
	reDmesg   = regex.New(`^(?:<\d{1,3}>)?\[ {0,7}\d{1,10}\.\d{3,9}\] `)
	reDmesgT  = regex.New(`^\[\p{L}{2,5}\.? \p{L}{2,6}\.? {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4}\] `)
	reJournal = wrappers[0].re
	reISOLog  = regex.New(
		`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S* ([\w.-]{1,255}) [\w@.()/-]{1,64}(?:\[\d{1,10}\])?: `)
	reOOM = regex.New(
		`invoked oom-killer|[Oo]ut of memory: Kill|Killed process \d+|oom-kill:\s?constraint|oom_reaper: reaped|` +
			`killed by the OOM killer|result 'oom-kill'|Memory cgroup out of memory|page allocation failure`)
	// the first message of a server
	reStarting = regex.New(`\bstarting PostgreSQL (\d{1,2}(?:\.\d{1,2}){1,2}) `)
	// WARNING with one blank: of another program, as apt
	reOtherWarning = regex.New(`^WARNING: \S`)
	reKernel       = regex.New(`\bkernel: `)
	// what a server says to a client alone, and what it may say to a client: no time stands before it
	reToClient    = regex.New(`^(?:NOTICE|INFO|HINWEIS|ЗАМЕЧАНИЕ|ИНФОРМАЦИЯ):\s`)
	reBareMessage = regex.New(`^(?:\p{Lu}{4,16}|LINE \d{1,5}):\s|^\^$`)
)

// logs reads lines of the kernel, of the journal and of servers, which stand together in a
// journal and are told apart by what they say.
func logs(w *part.Window) (part.Found, bool) {
	t := w.Text(0)
	headed := func(t string) bool {
		return reDmesg.MatchString(t) || reDmesgT.MatchString(t) || reJournal.MatchString(t) || reISOLog.MatchString(t)
	}
	if rePatroni.MatchString(t) {
		return patroni(w), true
	}
	var sink entries
	feed := pglog.NewFeed(&sink)
	oom := reOOM.MatchString(t)
	taken, _ := feed.Line([]byte(t), 0)
	if !headed(t) && !oom && (!taken || reToClient.MatchString(t) ||
		reBareMessage.MatchString(t) && prompt.Asks(w.Command)) {
		return part.Found{}, false
	}
	var f part.Found
	kernel, own, bare := 0, 0, !headed(t) && oom
	for i := 0; i < len(w.Lines); i++ {
		l := w.Lines[i]
		t := l.Text
		if l.Is == part.Elided {
			continue
		}
		if l.Is == part.Blank {
			if i+1 < len(w.Lines) && headed(w.Text(i+1)) { // a gap in a log
				continue
			}
			break
		}
		is := headed(t)
		if !is && i > 0 && within(w, i) {
			break
		}
		begun := false
		if i == 0 {
			begun = taken
			is = is || taken
		} else {
			var ours bool
			ours, begun = feed.Line([]byte(strings.TrimLeft(l.Indented, " ")), 0)
			is = is || ours
		}
		if !is && !bare && !reOOM.MatchString(t) && l.Indented == l.Text { // no line of a log, and none that goes on
			break
		}
		if !is && !bare && l.Indented != l.Text && !begun && i > 0 && !headed(w.Text(i-1)) && own == 0 && kernel == 0 {
			break
		}
		if reDmesg.MatchString(t) || reDmesgT.MatchString(t) || reKernel.MatchString(t) || reOOM.MatchString(t) {
			kernel++
		}
		if begun {
			own++
		}
		f.N = i + 1
	}
	feed.End()
	if f.N == 0 {
		return part.Found{}, false
	}
	text := part.Block(w, f.N)
	units(&f, w)
	for _, l := range w.Lines[:f.N] {
		if m := reStarting.FindStringSubmatch(l.Text); m != nil {
			if v, ok := setting.Version(m[1]); ok {
				f.Add(v)
				break
			}
		}
	}
	f.Kind, f.Sure = part.Journal, part.Likely
	if m := reJournal.FindStringSubmatch(t); m != nil {
		f.Host = hostOf(m[1])
	} else if m := reISOLog.FindStringSubmatch(t); m != nil {
		f.Host = m[1]
	}
	if kernel > 0 {
		f.Kind = part.KernelLog
		kernelFacts(&f, text)
	}
	if bare && own == 0 && len(f.Facts) == 0 { // a sentence of a person about it
		return part.Found{}, false
	}
	if own == 1 && reOtherWarning.MatchString(t) {
		return part.Found{}, false
	}
	if own > 0 {
		if kernel == 0 {
			f.Kind = part.ServerLog
		}
		f.Add(part.Count("log.entries", "", sink.n), part.Count("log.errors", "", sink.errors))
		if sink.panics > 0 {
			f.Add(part.Count("log.panics", "", sink.panics))
		}
		if headed(t) || own > 1 {
			f.Sure = part.Certain
		}
	}
	return f, true
}

// rePatroni is a line of Patroni, which logs as programs in Python do.
var rePatroni = regex.New(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (DEBUG|INFO|WARNING|ERROR|CRITICAL): `)

// patroni counts such lines, without what stands between them.
func patroni(w *part.Window) (f part.Found) {
	f.Kind, f.Sure = part.PatroniLog, part.Likely
	lines, errors := int64(0), int64(0)
	for ; f.N < len(w.Lines); f.N++ {
		m := rePatroni.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		lines++
		if m[1] == "ERROR" || m[1] == "CRITICAL" {
			errors++
		}
	}
	f.Add(part.Count("log.entries", "", lines), part.Count("log.errors", "", errors))
	return f
}

// reZone is a zone that stands behind a time: servers log it where syslog has a host.
var reZone = regex.New(`^(?:[A-Z]{1,5}|-\d{2,4})$`)

// hostOf is the host of a line of a journal; "" where a zone stands there.
func hostOf(s string) string {
	if reZone.MatchString(s) {
		return ""
	}
	return s
}

var (
	// what systemd logs of a unit when it ends
	reUnitUsed   = regex.New(`: ([\w@.\\:-]{1,200}\.(?:service|scope|slice)): Consumed (.{1,200})$`)
	reUnitPeak   = regex.New(`([\d.]+[BKMGT]) memory peak`)
	reUnitResult = regex.New(`: ([\w@.\\:-]{1,200}\.(?:service|scope|slice)): Failed with result '([\w-]{1,40})'`)
)

// units adds what systemd said of units.
func units(f *part.Found, w *part.Window) {
	for _, l := range w.Lines[:f.N] {
		if m := reUnitResult.FindStringSubmatch(l.Text); m != nil {
			f.Add(part.Word("unit.result", m[1], m[2]))
		}
		m := reUnitUsed.FindStringSubmatch(l.Text)
		if m == nil {
			continue
		}
		if p := reUnitPeak.FindStringSubmatch(m[2]); p != nil {
			if a, ok := amount.Of(p[1], 1); ok {
				f.Add(a.Fact("unit.memory_peak", m[1]))
			}
		}
	}
}

// within are kinds whose outputs stand between the lines of a log, set in or not, where one was logged.
func within(w *part.Window, i int) bool {
	t := w.Text(i)
	if _, _, ok := database.ControlLine(t); ok {
		_, _, next := database.ControlLine(w.Text(i + 1))
		return next
	}
	return usage.Begins(w, i)
}

// entries counts what a server logged.
type entries struct{ n, errors, panics int64 }

// Entry implements pglog.Sink.
func (s *entries) Entry(e *pglog.Entry) {
	s.n++
	if e.Severity >= pglog.Error {
		s.errors++
	}
	if e.Severity == pglog.Panic {
		s.panics++
	}
}

// Dump implements pglog.Sink.
func (s *entries) Dump(*pglog.Dump) {}

func kernelFacts(f *part.Found, text []byte) {
	l, err := kernlog.Read(bytes.NewReader(text))
	if err != nil {
		return
	}
	kills := int64(0)
	var victims []part.Fact
	for _, r := range l.Reports {
		kills += int64(len(r.Victims))
		for _, v := range r.Victims {
			victims = append(victims, part.Word("oom.victim", strconv.Itoa(v.PID), v.Name))
		}
	}
	if len(l.Reports) > 0 {
		f.Add(part.Count("oom.reports", "", int64(len(l.Reports))), part.Count("oom.kills", "", kills))
		f.Sure = part.Certain
	}
	f.Add(victims...)
	for _, o := range l.Other {
		f.Sure = part.Certain
		f.Add(part.Word("oom.note", o.Name, string(o.Kind)))
	}
}
