package serverlog

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// The kinds of crashes.
const (
	processDied    = "process_died"
	postmasterGone = "postmaster_gone"
	uncleanEnd     = "unclean_end"
	immediate      = "immediate_shutdown"
)

// startupProcess is the one that recovers the database.
const startupProcess = "startup process"

// maxCrashes is how many crashes are reported one by one: more of them have a common cause.
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

	aliveAt   stamp  // of the last entry of a server that does not start
	phase     bool   // it starts
	stopping  bool   // a shutdown was asked for
	how       string // which, until the next start
	askedAt   stamp
	stopped   bool   // it was complete, and none is open since
	ending    bool   // the postmaster ends all processes
	doubted   *Crash // what a restored backup looks like too, and was taken for one
	doubtAt   stamp
	panicked  string // the last PANIC
	panicPID  int
	startPID  int    // of the last PANIC that kept the server from starting
	lastFatal string // the last FATAL of a process that it may have ended with
	fatalPID  int
	fatal     bool  // the server itself has said in this start why it cannot go on
	failed    bool  // the recovery of the last start did
	gone      bool  // the postmaster has ended since the last crash began: what follows is a start
	up        stamp // when the server accepted connections again after the last crash
}

// alive notes that the server lives: the last entry before it starts.
func (s *crashes) alive(e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.Starting, pglog.StartPhase, pglog.WasShutDown, pglog.Interrupted, pglog.NotShutDown:
		s.fatal = s.fatal && s.phase
		s.phase = true
		return
	case pglog.NotAccepting:
		if bytes.HasSuffix(e.Message, []byte("starting up")) {
			s.phase = true
			return
		}
	case pglog.StartupGaveUp:
		s.phase = false
	case pglog.Ready:
		s.phase, s.fatal, s.failed = false, false, false
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
			s.begin(at, at, &Crash{Kind: postmasterGone, ExitCode: -1,
				Cause: say.M("the postmaster was killed or exited while its child processes were running")})
		}
		s.open.ProcessesEnded++
	case pglog.Interrupted:
		s.interrupted(e, at)
	case pglog.NotShutDown:
		if s.undoubt() {
			s.open.then(asStandby())
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
		if s.open == nil && s.doubted == nil && bytes.HasSuffix(e.Message, recoveryMode) && !s.justUp(at) {
			s.unseen(at) // without a crash, it says that it is starting up
		}
		if s.open != nil {
			s.open.Refused++
		} else if s.doubted != nil {
			s.doubted.Refused++
		}
	case pglog.Starting:
		s.stopping, s.ending = false, false
		if s.open != nil && s.open.Kind == processDied && s.open.Process != "" {
			// What ends now is the wait of whoever started it.
			s.open.then(say.M("the server did not restart automatically"))
		}
	case pglog.ShutdownAsked:
		s.stopping, s.askedAt, s.how = true, at, howOf(e)
	case pglog.ShutDown:
		s.stopping, s.gone = false, true
		s.stopped = s.stopped || s.how != "" && s.how != "immediate"
	case pglog.Ready:
		s.stopping, s.how, s.stopped, s.ending, s.doubted, s.panicked = false, "", false, false, nil, ""
		if s.open != nil {
			s.open.Recovered = true
		}
		s.close(at)
	}
}

// recoveryMode is the answer to sessions from the crash of a process until the server accepts connections again.
var recoveryMode = []byte("the database system is in recovery mode")

// justUp says whether a time is that of the end of the last crash: entries of one second may be in any order.
func (s *crashes) justUp(at stamp) bool {
	const apart = 1.0
	after, ok := at.since(s.up)
	return s.count > 0 && (!at.ok || !ok || after <= apart)
}

// howOf reads "received fast shutdown request".
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
		if sql := e.Running(); sql != nil { // all that was copied
			s.unseen(at)
			s.open.Statement = c.normal(sql)
		}
		return
	}
	if d.What == startupProcess {
		if d.Signal == 0 {
			c.startup = d
		}
		if s.open != nil {
			s.open.failedAgain(at)
			if !s.open.failed {
				s.open.then(recoveryFailed(d))
				s.open.failed = true
			}
			if s.open.Process == "" && d.Crash() { // no other death is reported
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
		if d.Signal == 6 && s.startPID == d.PID && s.startPID > 0 { // so it did with a PANIC, before any recovery
			s.startPID = 0
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
		d.What = "server process"
	}
	var lost int64
	if s.open != nil && s.open.Kind == processDied && s.open.Process == "" && s.open.Time == "" {
		lost, s.open = s.open.ProcessesEnded, nil // what a client saw of it was copied before
	}
	s.close(stamp{})
	x := &Crash{Kind: processDied, Process: d.What, PID: d.PID, Signal: d.Signal, ExitCode: d.Exit,
		Exception: d.Raised, Statement: c.normal(e.Running()), Cause: s.deathOf(d), bus: busError(d)}
	if d.Signal != 0 {
		x.ExitCode = -1
	}
	if who, ok := c.authorized[d.PID]; ok {
		x.User, x.Database = c.mask.name("user", who[0]), c.mask.name("database", who[1])
	}
	x.ProcessesEnded = lost
	x.panicked = d.Signal == 6 && s.afterPanic(d)
	s.begin(at, at, x)
}

// gaveUp notes that the server ended as its startup process did.
func (s *crashes) gaveUp() {
	s.failed, s.gone = true, true
	if s.open != nil && !s.open.failed && s.open.Process != startupProcess {
		s.open.then(say.M("then recovery failed: the startup process ended"))
		s.open.failed = true
	}
}

// unseen begins a crash whose first death is not in the log.
func (s *crashes) unseen(at stamp) {
	if s.open == nil && s.stopping && s.how == "immediate" { // its sessions say that another process crashed
		s.begin(s.askedAt, s.askedAt, &Crash{Kind: immediate, ExitCode: -1, Cause: atOnce()})
		return
	}
	if s.open == nil {
		s.begin(at, at, &Crash{Kind: processDied, ExitCode: -1,
			Cause: say.M("a server process crashed; the message about it is not in the log")})
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
	if s.stopped { // the files of a server that shut down cleanly were replaced by others
		return
	}
	s.unclean(e, at)
}

func (s *crashes) unclean(e *pglog.Entry, at stamp) {
	x := &Crash{Kind: uncleanEnd, ExitCode: -1, Cause: say.M("before this start, the server had ended without a " +
		"message in the log: the postmaster was killed, or the host lost power or was reset")}
	from := s.aliveAt
	switch us, zone, told := e.LastUp(); {
	case s.failed:
		x.Cause = say.M("recovery had failed in an earlier start; what made it necessary is not in the log")
	case s.how == "immediate":
		from = s.askedAt
		x.Kind, x.Cause = immediate, atOnce()
	case told && (!from.ok || from.zone == string(zone) && us > from.us):
		from = stamp{us: us, zone: string(zone), ok: true}
	}
	x.DownAtMost = x.Kind == uncleanEnd
	s.begin(at, from, x)
	if bytes.Contains(e.Message, []byte("while in recovery")) {
		x.then(say.M("it was interrupted while in recovery, which can mean corrupted data if it happens again"))
	}
	if from.zone != at.zone { // their clocks differ by an unknown offset
		s.from = stamp{}
	}
}

// atOnce is the cause of what an immediate shutdown leaves.
func atOnce() say.Message {
	return say.M("an immediate shutdown (pg_ctl stop -m immediate, or SIGQUIT to the postmaster), which is an " +
		"intentional crash")
}

// restoring: a backup that is restored looks like a crash, and a standby that comes
// up too: neither is one. A standby that was up and ended without a shutdown is, and
// so is a primary that comes up as a standby: that recovers before.
func (s *crashes) restoring(e *pglog.Entry) {
	if s.open == nil || s.open.Kind != uncleanEnd {
		return
	}
	if bytes.HasPrefix(e.Message, []byte("entering standby")) && s.aliveAt.ok {
		s.open.then(asStandby())
		return
	}
	s.doubted, s.doubtAt, s.open, s.redo = s.open, s.from, nil, stamp{}
}

// asStandby is what became of it.
func asStandby() say.Message { return say.M("it was started again as a standby") }

// then adds to a cause what came of it.
func (x *Crash) then(what say.Message) {
	x.came = append(x.came, what)
	x.Cause = say.All("; ", append([]say.Message{x.first}, x.came...)...)
}

// failedAgain notes that the startup process ended, again or for the first time.
func (x *Crash) failedAgain(at stamp) {
	x.failures++
	if at.ok {
		x.failedAt = at
	}
}

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
	crash.Time, crash.DownSeconds, crash.RecoverySeconds, crash.first = at.String(), -1, -1, crash.Cause
	crash.LastAlive = from.String()
	s.open, s.from, s.redo, s.doubted, s.gone = crash, from, stamp{}, nil, false
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
		s.open.Ready, s.up = at.String(), at
	}
	if n := s.open.failures; n > 1 && s.open.failedAt.ok {
		s.open.then(say.N(n, "recovery failed {n} time, the last time at {time}",
			"recovery failed {n} times, the last time at {time}", "time", s.open.failedAt.String()))
	}
	s.count++
	if len(s.list) < maxCrashes {
		s.list = append(s.list, *s.open)
	}
	s.open = nil
}

// busError reports whether a signal is SIGBUS, whose number differs by system.
func busError(d pglog.Death) bool { return d.Signal == 7 || strings.HasPrefix(d.Name, "Bus error") }

// exceptions are Windows' that a person meets.
var exceptions = map[string]say.Message{
	"0xC0000005": say.M("access violation, a bug in the server or an extension"),
	"0xC000013A": say.M("ended with Ctrl+C, or its console was closed"),
	"0xC0000142": say.M("a DLL could not be initialized, often because the desktop heap of services is exhausted"),
	"0xC00000FD": say.M("stack overflow"),
	"0xC0000409": say.M("stack buffer overrun"),
	"0xC0000374": say.M("heap corruption"),
}

// faultCodes are the exceptions of a bug, wherever the server runs.
var faultCodes = map[string]bool{"0xC0000005": true, "0xC00000FD": true, "0xC0000409": true, "0xC0000374": true}

// recoveryFailed is how the startup process ended after a crash.
func recoveryFailed(d pglog.Death) say.Message {
	switch {
	case d.Signal != 0 && d.Name != "":
		return say.M("then recovery failed: the startup process was terminated by signal {signal} ({name})", "signal",
			d.Signal, "name", d.Name)
	case d.Signal != 0:
		return say.M("then recovery failed: the startup process was terminated by signal {signal}", "signal", d.Signal)
	case d.Raised != "":
		return say.M("then recovery failed: the startup process was terminated by exception {code}", "code", d.Raised)
	case d.Exit < 0:
		return say.M("then recovery failed: the startup process ended with an unrecognized status")
	}
	return say.M("then recovery failed: the startup process exited with code {code}", "code", d.Exit)
}

// afterPanic reports whether a process that aborted is the one of the last PANIC.
func (s *crashes) afterPanic(d pglog.Death) bool {
	return s.panicked != "" && (s.panicPID == d.PID || s.panicPID == 0)
}

func (s *crashes) deathOf(d pglog.Death) say.Message {
	who := say.M("{process} (PID {pid})", "process", d.What, "pid", strconv.Itoa(d.PID))
	switch {
	case d.Signal == 9:
		return say.M("{process} was killed by signal 9, by the OOM killer or by kill -9; the server log does not "+
			"show which", "process", who)
	case busError(d):
		return say.M("{process} was terminated by signal {signal} (SIGBUS), because mapped memory was not available: "+
			"usually a huge page limit of its cgroup or a full /dev/shm, rarely a truncated file or faulty hardware",
			"process", who, "signal", d.Signal)
	case d.Signal == 13:
		return say.M("{process} was terminated by signal 13 (SIGPIPE, broken pipe). PostgreSQL's own processes "+
			"ignore it, so the postmaster did not start this one. As PID 1 of a container, the postmaster becomes "+
			"the parent of processes that docker exec or kubectl exec leaves behind", "process", who)
	case d.Signal == 11 || d.Signal == 4 || d.Signal == 8 || d.Signal == 10:
		return say.M("{process} crashed with signal {signal}: a bug in the server or an extension, or faulty hardware",
			"process", who, "signal", d.Signal)
	case d.Signal == 6 && s.afterPanic(d):
		return say.M("{process} aborted (signal 6) after its PANIC: {panic}", "process", who, "panic", s.panicked)
	case d.Signal == 6:
		return say.M("{process} aborted (signal 6), after a PANIC or a failed assertion", "process", who)
	case d.Signal != 0 && d.Name != "":
		return say.M("{process} was terminated by signal {signal} ({name})", "process", who, "signal", d.Signal, "name",
			d.Name)
	case d.Signal != 0:
		return say.M("{process} was terminated by signal {signal}", "process", who, "signal", d.Signal)
	case d.Raised != "":
		if why, ok := exceptions[d.Raised]; ok {
			return say.M("{process} was terminated by exception {code}: {meaning}", "process", who, "code", d.Raised,
				"meaning", why)
		}
		return say.M("{process} was terminated by exception {code}, see ntstatus.h for its meaning", "process", who,
			"code", d.Raised)
	case d.Exit > 128 && d.Exit <= 128+31:
		return say.M("{process} exited with code {code} (128 + {signal}): a shell reports that if signal {signal} "+
			"ended its command", "process", who, "code", d.Exit, "signal", d.Exit-128)
	case d.Exit < 0:
		return say.M("{process} ended with an unrecognized status", "process", who)
	case d.Exit == 1 && s.fatalPID == d.PID && s.fatalPID > 0:
		return say.M("{process} exited with code {code} after its FATAL: {message}", "process", who, "code", d.Exit,
			"message", s.lastFatal)
	case d.Exit == quit:
		return say.M("{process} exited with code 2, as PostgreSQL's processes do on SIGQUIT; the postmaster did not "+
			"send it", "process", who)
	}
	return say.M("{process} exited with code {code}", "process", who, "code", d.Exit)
}

// crashed is the finding of all crashes.
func (c *Collector) crashed(r *Report) (Finding, bool) {
	s := &c.crashes
	if s.count == 0 {
		return Finding{}, false
	}
	f := Finding{ID: "crash", Severity: Critical, Count: s.count, First: s.first.String(), Last: s.last.String()}
	c.killers(r)
	head := say.N(s.count, "Server crashed once", "Server crashed {n} times")
	if !slices.ContainsFunc(r.Crashes, func(x Crash) bool { return x.Kind != immediate }) {
		head = say.N(s.count, "Server was stopped once by an immediate shutdown, an intentional crash",
			"Server was stopped {n} times by an immediate shutdown, an intentional crash")
	}
	if !slices.ContainsFunc(r.Crashes, func(x Crash) bool {
		return x.Kind != processDied || x.Process != startupProcess
	}) {
		head = say.N(s.count, "Recovery crashed once, the server did not start",
			"Recovery crashed {n} times, the server did not start")
		if anyRecovered(r.Crashes) {
			head = say.N(s.count, "Recovery crashed once", "Recovery crashed {n} times")
		}
	}
	f.Verdict = say.All("; ", head, c.outage(r))
	var lost, gone int64
	for _, x := range r.Crashes {
		if x.Kind == postmasterGone {
			gone += x.ProcessesEnded
		} else {
			lost += x.ProcessesEnded
		}
		switch {
		case x.Kind == processDied && x.Time == "" && x.LastAlive != "":
			f.Evidence = append(f.Evidence, say.M("the database system was last known up at {time}", "time",
				x.LastAlive))
		case x.Kind != uncleanEnd || x.LastAlive == "":
		case x.Time == "":
			f.Evidence = append(f.Evidence, say.M("last sign of life before the start: {last}", "last", x.LastAlive))
		default:
			f.Evidence = append(f.Evidence, say.M("last sign of life before {time}: {last}", "time", x.Time, "last",
				x.LastAlive))
		}
	}
	f.Evidence = f.Evidence[:min(len(f.Evidence), maxSamples)]
	if lost > 0 {
		f.Evidence = append(f.Evidence, say.N(lost,
			"{n} other process was terminated because of it; open transactions were lost",
			"{n} other processes were terminated because of it; open transactions were lost"))
	}
	for _, who := range c.kinds[pglog.CrashNotice].who.told(3) {
		f.Evidence = append(f.Evidence, say.M("terminated: {who}", "who", who))
	}
	for _, who := range c.kinds[pglog.NotAccepting].who.told(3) {
		f.Evidence = append(f.Evidence, say.M("refused: {who}", "who", who))
	}
	if !c.o.Redact {
		for _, src := range c.sources {
			lines := slices.Concat(src.Killed, src.Faults)
			for _, line := range lines[:min(len(lines), max(maxSamples-len(f.Evidence), 0))] {
				f.Evidence = append(f.Evidence, say.M("another program in the same file: {line}", "line", line))
			}
		}
	}
	if gone > 0 {
		f.Evidence = append(f.Evidence, say.N(gone,
			"{n} process found that the postmaster was gone, and exited; open transactions were lost",
			"{n} processes found that the postmaster was gone, and exited; open transactions were lost"))
	}
	f.Do = c.afterCrash(r)
	return f, true
}

// killers says of the processes that a line of the kernel in the same file names that the OOM killer ended them.
func (c *Collector) killers(r *Report) {
	for _, src := range c.sources {
		for _, line := range src.Killed {
			_, rest, _ := strings.Cut(line, "process ")
			digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
			for i := range r.Crashes {
				x := &r.Crashes[i]
				if x.Signal != 9 || digits == "" || strconv.Itoa(x.PID) != digits {
					continue
				}
				x.oom, x.first = true, say.M("{process} (PID {pid}) was killed by the OOM killer (signal 9), as a "+
					"line "+
					"of the kernel in the same file shows", "process", x.Process, "pid", digits)
				x.Cause = say.All("; ", append([]say.Message{x.first}, x.came...)...)
			}
		}
	}
}

// outage says for how long the server was down.
func (c *Collector) outage(r *Report) say.Message {
	var down float64
	known, most := int64(0), false
	for _, x := range r.Crashes {
		if x.DownSeconds >= 0 {
			down += x.DownSeconds
			known++
		}
		most = most || x.DownAtMost
	}
	var lasted any = span(down)
	if most {
		lasted = say.M("at most {time}", "time", span(down))
	}
	switch {
	case known == 0 && !anyRecovered(r.Crashes):
		return say.M("the log does not show when it accepted connections again")
	case known == 0:
		return say.M("downtime unknown")
	case known == c.crashes.count:
		return say.M("down for {time} in total", "time", lasted)
	case known == int64(len(r.Crashes)):
		return say.N(known, "down for {time} in the first of them", "down for {time} in the first {n} of them", "time",
			lasted)
	case known == 1:
		return say.M("down for {time} in the only one whose end is in the log", "time", lasted)
	}
	return say.N(known, "down for {time} in the {n} of them whose end is in the log",
		"down for {time} in the {n} of them whose end is in the log", "time", lasted)
}

func anyRecovered(list []Crash) bool {
	for _, x := range list {
		if x.Recovered {
			return true
		}
	}
	return false
}

// quit is the code that processes of a server exit with on SIGQUIT.
const quit = 2

// ownExits is the highest code that processes of a server exit with: 0, 1 in order, 2 where the postmaster ends them
// after a crash, 3 as a recovery target asks for a shutdown.
const ownExits = 3

// afterCrash says what to do, by what the crashes were.
func (c *Collector) afterCrash(r *Report) (do []say.Message) {
	var killed, faulted, bus, pipe, gone, unclean, raised, asked, panicked, exited, quitted bool
	signal, code, fault := 0, 0, ""
	for _, x := range r.Crashes {
		switch {
		case x.Signal == 9:
			killed = true
		case x.bus:
			bus = true
		case x.Signal == 13:
			pipe = true
		case x.Signal == 6 && (x.panicked || x.Process == startupProcess && c.panicked.count+c.startPanics > 0):
			panicked = true // the finding of the PANIC, or of the start, says what to do
		case x.Signal == 11 || x.Signal == 6 || x.Signal == 4 || x.Signal == 8 || x.Signal == 10:
			faulted, signal = true, x.Signal
		case faultCodes[x.Exception]:
			fault = x.Exception
		case x.Exception != "":
			raised = true
		case x.Kind == postmasterGone:
			gone = true
		case x.Kind == uncleanEnd:
			unclean = true
		case x.Kind == immediate:
			asked = true
		case x.ExitCode == 1:
			exited = true
		case x.ExitCode == quit:
			quitted = true
		case x.ExitCode > ownExits && (x.ExitCode <= 128 || x.ExitCode > 128+31):
			code = x.ExitCode
		}
	}
	sure := killed && !slices.ContainsFunc(r.Crashes, func(x Crash) bool { return x.Signal == 9 && !x.oom })
	switch {
	case sure && !gone:
		kernel := c.o.Kernel
		if kernel.IsZero() {
			kernel = say.Text("pgfettle diagnose oom FILE")
		}
		do = append(do, say.M("The report of the kernel is explained by: {command}", "command", kernel),
			say.M("pgfettle plan shows the values for the host: vm.overcommit_memory = 2 (only the query fails), huge "+
				"pages, work_mem and max_connections."))
	case killed || gone:
		kernel := c.o.Kernel
		if kernel.IsZero() {
			kernel = say.Text("journalctl -k | pgfettle diagnose oom -")
		}
		do = append(do,
			say.M("Check in the kernel log whether the OOM killer killed this PID at that time: {command}", "command",
				kernel),
			say.M("If it did, pgfettle plan shows the values for the host: vm.overcommit_memory = 2 (only the query "+
				"fails), huge pages, work_mem and max_connections."))
	}
	if gone {
		do = append(do, say.M("If it did not: never run kill -9 on the postmaster, and check what stops its service "+
			"or container (journalctl -u postgresql, kubectl describe pod). In the unit, OOMScoreAdjust=-900 and "+
			"Environment=PG_OOM_ADJUST_FILE=/proc/self/oom_score_adj protect the postmaster, but not its sessions, "+
			"from the OOM killer."))
	}
	if bus {
		do = append(do,
			say.M("SIGBUS: compare the huge pages that the server needs (postgres -C "+
				"shared_memory_size_in_huge_pages, 15 and later) with the pool (grep Huge /proc/meminfo) and with "+
				"the limit of the cgroup (hugetlb.2MB.max; in Kubernetes, resources.limits.hugepages-2Mi). The "+
				"kernel checks that limit only when a page is first used. huge_pages = off avoids huge pages."),
			say.M("If queries run in parallel, also check df /dev/shm. Check dmesg for memory errors of the hardware."))
	}
	if pipe {
		do = append(do, say.M("SIGPIPE: run an init process as PID 1 of the container (docker run --init, "+
			"shareProcessNamespace of a pod), or run no scripts in it with docker exec."))
	}
	if faulted {
		do = append(do, say.M("Signal {signal}: look for a core dump (coredumpctl list postgres), update to the "+
			"latest minor release, and test without extensions (shared_preload_libraries).", "signal", signal))
	}
	if fault != "" {
		do = append(do, say.M("Exception {code}: update to the latest minor release, and test without extensions "+
			"(shared_preload_libraries). Windows Error Reporting can save a dump of the process; the Windows event "+
			"log of that time names the faulting module.", "code", fault))
	}
	if raised {
		do = append(do, say.M("Run the server as a service, not in a console. Exclude its directories from the virus "+
			"scanner, and read the Windows event log of that time."))
	}
	if asked {
		do = append(do, say.M("An immediate shutdown skips the shutdown checkpoint, so the next start runs crash "+
			"recovery. Use pg_ctl stop -m fast, and find what sent SIGQUIT: a script, a cluster manager, or the stop "+
			"signal of a container."))
	}
	if exited {
		do = append(do, say.M("Correct what the FATAL message of the process names. If a file of the data directory "+
			"is missing or damaged, check the disks, then restore a backup or rebuild from a standby."))
	}
	if quitted {
		do = append(do, say.M("Find what sends SIGQUIT to a single process: a person or a script with kill -3 or kill "+
			"-QUIT, or Ctrl+\\ in a terminal. To end a session, use pg_terminate_backend(PID)."))
	}
	if code > 0 {
		do = append(do, say.M("PostgreSQL's own processes exit only with codes 0 to 3: code {code} comes from "+
			"something else. Look for an extension or a library that exits. If the postmaster is PID 1 of a "+
			"container, it can also be a program that docker exec or kubectl exec started: run an init process as "+
			"PID 1 (docker run --init).", "code", code))
	}
	if len(do) == 0 && !panicked || unclean {
		do = append(do, say.M("Check what the host logged at that time: journalctl --since TIME --until TIME, and "+
			"last -x for reboots."))
	}
	return do
}
