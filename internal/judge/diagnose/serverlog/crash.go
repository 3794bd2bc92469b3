package serverlog

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// The kinds of crashes.
const (
	processDied    = "process_died"
	postmasterGone = "postmaster_gone"
	uncleanEnd     = "unclean_end"
	immediate      = "immediate_shutdown"
)

// maxCrashes is how many crashes are told one by one: who has more has one cause.
const maxCrashes = 50

// crashes follows the server from the death of a process, or from a start that
// finds no clean end, to the moment that it accepts connections again.
type crashes struct {
	list  []Crash
	count int64
	open  *Crash
	from  stamp // the last sign of life before the one that is open
	redo  stamp
	first stamp
	last  stamp

	aliveAt  stamp  // of the last entry of a server that does not start
	phase    bool   // it starts
	stopping bool   // a shutdown was asked for
	how      string // which, until the next start
	askedAt  stamp
	stopped  bool   // it was complete, and none is open since
	ending   bool   // the postmaster ends all processes
	doubted  *Crash // what a restored backup looks like too, and was taken for one
	doubtAt  stamp
	panicked string // the last PANIC
	panicPID int
}

// alive notes that the server lives: the last entry before it starts.
func (s *crashes) alive(e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.Starting, pglog.StartPhase, pglog.WasShutDown, pglog.Interrupted, pglog.NotShutDown:
		s.phase = true
		return
	case pglog.NotAccepting:
		if bytes.HasSuffix(e.Message, []byte("starting up")) {
			s.phase = true
			return
		}
	case pglog.Ready:
		s.phase = false
	}
	if !s.phase && at.ok {
		s.aliveAt = at
	}
}

func (s *crashes) take(c *Collector, e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.ChildDied:
		s.died(c, e, at)
	case pglog.EndingAll:
		s.ending = true
	case pglog.CrashNotice:
		s.unseen(at)
		s.open.ProcessesEnded++
	case pglog.Reinit:
		s.unseen(at)
		s.ending = false
	case pglog.PostmasterGone:
		if s.open == nil {
			s.begin(at, at, &Crash{Kind: postmasterGone, ExitCode: -1, Cause: "the postmaster ended or was killed " +
				"without ending its sessions first, which found that it was gone"})
		}
		s.open.ProcessesEnded++
	case pglog.Interrupted:
		s.interrupted(e, at)
	case pglog.NotShutDown:
		if s.undoubt() {
			s.open.Cause += asStandby
		}
		if s.open == nil && !s.stopped {
			s.unclean(e, at)
		}
	case pglog.Restoring:
		s.restoring(e)
	case pglog.RedoStart:
		s.redo = at
	case pglog.RedoDone:
		if s.open != nil {
			if v, ok := at.since(s.redo); ok {
				s.open.RecoverySeconds = v
			}
		}
	case pglog.NotAccepting:
		if s.open != nil {
			s.open.Refused++
		} else if s.doubted != nil {
			s.doubted.Refused++
		}
	case pglog.Starting:
		s.stopping, s.ending = false, false
		if s.open != nil && s.open.Kind == processDied && s.open.Process != "" {
			// The server did not start over by itself: what ends now is the wait
			// for somebody who started it.
			s.open.Cause += "; the server did not start over by itself"
		}
	case pglog.ShutdownAsked:
		s.stopping, s.askedAt, s.how = true, at, howOf(e)
	case pglog.ShutDown:
		s.stopping = false
		s.stopped = s.stopped || s.how != "" && s.how != "immediate"
	case pglog.Ready:
		s.stopping, s.how, s.stopped, s.ending, s.doubted, s.panicked = false, "", false, false, nil, ""
		if s.open != nil {
			s.open.Recovered = true
		}
		s.close(at)
	}
}

// howOf reads «received fast shutdown request».
func howOf(e *pglog.Entry) string {
	for _, how := range []string{"fast", "smart", "immediate"} {
		if bytes.HasPrefix(e.Message, []byte("received "+how)) {
			return how
		}
	}
	return ""
}

// died takes the end of a process.
func (s *crashes) died(c *Collector, e *pglog.Entry, at stamp) {
	d, ok := e.Death()
	if !ok {
		return
	}
	if d.What == "startup process" {
		if s.open != nil {
			s.open.Cause += "; its recovery then failed, as the startup process " + endOf(d)
			if s.open.Process == "" && d.Crash() { // no other death is told
				s.open.Process, s.open.PID, s.open.Signal, s.open.Exception = d.What, d.PID, d.Signal, d.Raised
				if d.Signal == 0 {
					s.open.ExitCode = d.Exit
				}
			}
			return
		}
		if !d.Crash() { // it gave up in order, and said why: the server did not start
			return
		}
	}
	if !d.Crash() || s.stopping && (d.Signal == 0 || s.how == "immediate") {
		return
	}
	if s.open != nil && s.ending { // the postmaster ended it
		s.open.ProcessesEnded++
		return
	}
	if d.What == "" { // the message is in another language
		d.What = "a process of the server"
	}
	s.close(stamp{})
	x := &Crash{Kind: processDied, Process: d.What, PID: d.PID, Signal: d.Signal, ExitCode: d.Exit,
		Exception: d.Raised, Statement: c.normal(e.Running()), Cause: s.deathOf(d)}
	if d.Signal != 0 {
		x.ExitCode = -1
	}
	s.begin(at, at, x)
}

// unseen begins a crash whose first death is not in the log.
func (s *crashes) unseen(at stamp) {
	if s.open == nil && s.stopping && s.how == "immediate" { // its sessions say that another process crashed
		s.begin(s.askedAt, s.askedAt, &Crash{Kind: immediate, ExitCode: -1, Cause: atOnce})
		return
	}
	if s.open == nil {
		s.begin(at, at, &Crash{Kind: processDied, ExitCode: -1,
			Cause: "a process of the server crashed; the line of its death is not in the log"})
	}
}

// interrupted takes a start that finds no clean end.
func (s *crashes) interrupted(e *pglog.Entry, at stamp) {
	us, zone, told := e.LastUp()
	if s.open != nil {
		if told && s.open.LastAlive == "" {
			s.open.LastAlive = stamp{us: us, zone: string(zone), ok: true}.String()
		}
		return
	}
	if s.stopped { // somebody put other files in the place of those of a server that ended well
		return
	}
	s.unclean(e, at)
}

func (s *crashes) unclean(e *pglog.Entry, at stamp) {
	x := &Crash{Kind: uncleanEnd, ExitCode: -1, Cause: "the server ended without a word in the log: the postmaster " +
		"was killed, or the host lost power or was reset"}
	from := s.aliveAt
	switch us, zone, told := e.LastUp(); {
	case s.how == "immediate":
		from = s.askedAt
		x.Kind, x.Cause = immediate, atOnce
	case told && (!from.ok || from.zone == string(zone) && us > from.us):
		from = stamp{us: us, zone: string(zone), ok: true}
	}
	x.DownAtMost = x.Kind == uncleanEnd
	s.begin(at, from, x)
	if from.zone != at.zone { // their clocks differ by what nobody told
		s.from = stamp{}
	}
}

// atOnce is the cause of what an immediate shutdown leaves.
const atOnce = "an immediate shutdown (pg_ctl stop -m immediate, or SIGQUIT to the postmaster): it is a crash on " +
	"purpose"

// restoring: a backup that is restored looks like a crash, and a standby that comes
// up too: neither is one. A standby that was up and ended without a shutdown is, and
// so is a primary that comes up as a standby: that recovers before.
func (s *crashes) restoring(e *pglog.Entry) {
	if s.open == nil || s.open.Kind != uncleanEnd {
		return
	}
	if bytes.HasPrefix(e.Message, []byte("entering standby")) && s.aliveAt.ok {
		s.open.Cause += asStandby
		return
	}
	s.doubted, s.doubtAt, s.open, s.redo = s.open, s.from, nil, stamp{}
}

// asStandby is what became of it.
const asStandby = "; it came up again as a standby"

// undoubt takes back that what was found is a backup.
func (s *crashes) undoubt() bool {
	back := s.open == nil && s.doubted != nil
	if back {
		s.open, s.from = s.doubted, s.doubtAt
	}
	s.doubted = nil
	return back
}

// begin opens a crash that was found at one time, and the last sign of life before which
// may be of another.
func (s *crashes) begin(at, from stamp, crash *Crash) {
	crash.Time, crash.DownSeconds, crash.RecoverySeconds = at.String(), -1, -1
	crash.LastAlive = from.String()
	s.open, s.from, s.redo, s.doubted = crash, from, stamp{}, nil
	if s.count == 0 {
		s.first = at
	}
	s.last = at
}

// close ends the crash that is being followed; without a time, by the next one or
// by the end of the log.
func (s *crashes) close(at stamp) {
	if s.open == nil {
		return
	}
	if v, ok := at.since(s.from); ok {
		s.open.DownSeconds = v
	} else {
		s.open.DownAtMost = false
	}
	if s.open.Recovered {
		s.open.Ready = at.String()
	}
	s.count++
	if len(s.list) < maxCrashes {
		s.list = append(s.list, *s.open)
	}
	s.open = nil
}

// busError says whether a signal is SIGBUS, whose number differs by system.
func busError(d pglog.Death) bool { return d.Signal == 7 || strings.HasPrefix(d.Name, "Bus error") }

// exceptions are Windows' that a person meets.
var exceptions = map[string]string{
	"0xC0000005": "access violation: a fault in the server or an extension",
	"0xC000013A": "the program was ended by Ctrl+C, or its console was closed",
	"0xC0000142": "a DLL could not be initialized: the desktop heap of a service is small",
	"0xC00000FD": "stack overflow",
	"0xC0000409": "stack buffer overrun",
	"0xC0000374": "heap corruption",
}

// endOf says how a process ended.
func endOf(d pglog.Death) string {
	switch {
	case d.Signal != 0 && d.Name != "":
		return fmt.Sprintf("was ended by signal %d (%s)", d.Signal, d.Name)
	case d.Signal != 0:
		return fmt.Sprintf("was ended by signal %d", d.Signal)
	case d.Raised != "":
		return "was ended by exception " + d.Raised
	}
	return fmt.Sprintf("exited with code %d", d.Exit)
}

func (s *crashes) deathOf(d pglog.Death) string {
	who := fmt.Sprintf("%s (PID %d) ", d.What, d.PID)
	switch {
	case d.Signal == 9:
		return who + "was killed by signal 9: by the kernel for want of memory, or by somebody with kill -9; the " +
			"server's log cannot tell which"
	case busError(d):
		return who + fmt.Sprintf("met a bus error (signal %d, SIGBUS): memory that is mapped could not be had. It "+
			"is mostly a limit of huge pages of its control group, or a full /dev/shm; rarely a file that was cut, "+
			"or the hardware", d.Signal)
	case d.Signal == 13:
		return who + "was ended by signal 13 (SIGPIPE, broken pipe): PostgreSQL's own processes ignore it, so it " +
			"is one that the postmaster did not make. Where the postmaster is PID 1 of a container it becomes the " +
			"parent of what docker exec or kubectl exec leaves behind"
	case d.Signal == 11 || d.Signal == 4 || d.Signal == 8 || d.Signal == 10:
		return who + fmt.Sprintf("crashed by signal %d: a fault in the server or an extension, or in the hardware",
			d.Signal)
	case d.Signal == 6 && s.panicked != "" && (s.panicPID == d.PID || s.panicPID == 0):
		return who + "aborted (signal 6) after its PANIC: " + s.panicked
	case d.Signal == 6:
		return who + "aborted (signal 6): after a PANIC, which stands before it, or a failed assertion"
	case d.Signal != 0:
		return who + endOf(d)
	case d.Raised != "":
		if why := exceptions[d.Raised]; why != "" {
			return who + "was ended by exception " + d.Raised + ": " + why
		}
		return who + "was ended by exception " + d.Raised + ", which ntstatus.h names"
	case d.Exit > 128 && d.Exit <= 128+31:
		return who + fmt.Sprintf("exited with code %d: 128 + %d, which a shell reports of a command that signal %d "+
			"ended", d.Exit, d.Exit-128, d.Exit-128)
	case d.Exit < 0:
		return who + "ended in a way that this program does not know"
	}
	return who + fmt.Sprintf("exited with code %d", d.Exit)
}

// crashed is the finding of all crashes.
func (c *Collector) crashed(r *Report) (Finding, bool) {
	s := &c.crashes
	if s.count == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "crash", Severity: Critical, Count: s.count, First: s.first.String(), Last: s.last.String(),
		Verdict: "the server crashed " + times(s.count) + c.outage(r)}
	if !slices.ContainsFunc(r.Crashes, func(x Crash) bool { return x.Kind != immediate }) {
		f.Verdict = "the server was shut down immediately, which is a crash on purpose, " + times(s.count) + c.outage(r)
	}
	var lost, gone int64
	for _, x := range r.Crashes {
		if x.Kind == postmasterGone {
			gone += x.ProcessesEnded
		} else {
			lost += x.ProcessesEnded
		}
		if x.Kind == uncleanEnd && x.LastAlive != "" {
			f.Evidence = append(f.Evidence, "the last sign of life before "+x.Time+" is of "+x.LastAlive)
		}
	}
	f.Evidence = f.Evidence[:min(len(f.Evidence), maxSamples)]
	if lost > 0 {
		f.Evidence = append(f.Evidence, Things(lost, "other process was ended", "other processes were ended")+
			" because of it; a session lost its open transaction")
	}
	if !c.o.Redact {
		for _, src := range c.sources {
			for _, line := range src.Killed[:min(len(src.Killed), max(maxSamples-len(f.Evidence), 0))] {
				f.Evidence = append(f.Evidence, "another program in the same file: "+line)
			}
		}
	}
	if gone > 0 {
		f.Evidence = append(f.Evidence, Things(gone, "process", "processes")+
			" found that the postmaster was gone and ended; a session lost its open transaction")
	}
	f.Do = c.afterCrash(r)
	return f, true
}

// outage says for how long the server was down.
func (c *Collector) outage(r *Report) string {
	var down float64
	known, most := 0, ""
	for _, x := range r.Crashes {
		if x.DownSeconds >= 0 {
			down += x.DownSeconds
			known++
		}
		if x.DownAtMost {
			most = "at most "
		}
	}
	for _, x := range r.Crashes[min(len(r.Crashes), 1):] {
		if x.DownSeconds >= 0 && x.DownAtMost != r.Crashes[0].DownAtMost {
			most = "at most "
		}
	}
	switch {
	case known == 0 && !anyRecovered(r.Crashes):
		return "; the log does not tell when it took connections again"
	case known == 0:
		return "; the log does not tell for how long it was down"
	case int64(known) == c.crashes.count:
		return fmt.Sprintf(", and was down for %s%s in all", most, span(down))
	case known == len(r.Crashes):
		return fmt.Sprintf("; it was down for %s%s in the first %d", most, span(down), known)
	}
	return fmt.Sprintf("; it was down for %s%s in the %d whose end the log tells", most, span(down), known)
}

func anyRecovered(list []Crash) bool {
	for _, x := range list {
		if x.Recovered {
			return true
		}
	}
	return false
}

// afterCrash says what to do, by what the crashes were.
func (c *Collector) afterCrash(r *Report) (do []string) {
	var killed, faulted, bus, pipe, gone, unclean, raised, asked bool
	signal := 0
	for _, x := range r.Crashes {
		switch {
		case x.Signal == 9:
			killed = true
		case strings.Contains(x.Cause, "SIGBUS"):
			bus = true
		case x.Signal == 13:
			pipe = true
		case x.Signal == 11 || x.Signal == 6 && !strings.Contains(x.Cause, "PANIC:") || x.Signal == 4 ||
			x.Signal == 8 || x.Signal == 10:
			faulted, signal = true, x.Signal
		case x.Exception != "":
			raised = true
		case x.Kind == postmasterGone:
			gone = true
		case x.Kind == uncleanEnd:
			unclean = true
		case x.Kind == immediate:
			asked = true
		}
	}
	if killed || gone {
		do = append(do,
			"Ask the kernel whether it was the OOM killer, for the same PID and second: "+
				cmp.Or(c.o.Kernel, "journalctl -k | pgfettle diagnose oom -"),
			"If it was: pgfettle plan says the values of this host for vm.overcommit_memory = 2 (the query fails "+
				"alone instead), huge pages, work_mem and max_connections.")
	}
	if gone {
		do = append(do, "Where it was not: never kill -9 the postmaster, and look at what stops its service or its "+
			"container (journalctl -u postgresql, kubectl describe pod). OOMScoreAdjust=-900 of the unit with "+
			"PG_OOM_ADJUST_VALUE=0 keeps the kernel from choosing the postmaster.")
	}
	if bus {
		do = append(do,
			"SIGBUS: compare the huge pages that the server's group may have (hugetlb.2MB.max, in Kubernetes "+
				"resources.limits.hugepages-2Mi) and the pool (grep Huge /proc/meminfo) with 'postgres -C "+
				"shared_memory_size_in_huge_pages'. The kernel checks a group's limit only when a page is touched. "+
				"huge_pages = off goes without them.",
			"df /dev/shm where the queries run in parallel, and dmesg for a memory error of the hardware.")
	}
	if pipe {
		do = append(do, "SIGPIPE: start the container with an init as its PID 1 (docker run --init, "+
			"shareProcessNamespace of a pod), or have no scripts run by docker exec in it.")
	}
	if faulted {
		do = append(do, fmt.Sprintf("Signal %d: look for a core (coredumpctl list postgres), update to the newest "+
			"minor release, and try without extensions (shared_preload_libraries).", signal))
	}
	if raised {
		do = append(do, "Run the server as a service, not in a console, leave its directories out of what a virus "+
			"scanner watches, and look into Windows' event log for the same second.")
	}
	if asked {
		do = append(do,
			"An immediate shutdown skips the shutdown checkpoint, so the next start recovers from the WAL. Use "+
				"pg_ctl stop -m fast, and find what sent SIGQUIT: a script, a cluster manager, or the stop signal of "+
				"a container.")
	}
	if len(do) == 0 || unclean {
		do = append(do,
			"Look at what the host wrote at that time: journalctl --since and --until around it, last -x for reboots.")
	}
	return do
}
