package sampled

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// The shares from which something is reported. A fifth of the time of all queries is what a person notices; pressure
// and steal are felt much earlier, as they hit every query at random.
const (
	slowShareOfActive = 20.0 // percent of the active backends' time
	slowShareOfTime   = 5.0  // percent of the clock
)

// slowIdle is the number of seconds after which an idle transaction counts as left open: below it a program is between
// two of its statements, as pgbench always is.
const slowIdle = 5

// seen returns the share of the active backends' time, in percent, that was spent
// in waits that match, and the average number of backends in them.
func (d *Sample) seen(match func(live.Wait) bool) (share, average float64) {
	active, hits := 0, 0
	for _, w := range d.e.Waits {
		if w.State == "active" && w.Backend == "client backend" || w.Backend == "parallel worker" {
			active += w.Seen
			if match(w) {
				hits += w.Seen
			}
		}
	}
	if active == 0 || d.e.Asked == 0 {
		return 0, 0
	}
	return 100 * float64(hits) / float64(active), float64(hits) / float64(d.e.Asked)
}

// top names the events of a type, most often seen first.
func (d *Sample) top(kind string, n int) say.List {
	sums := map[string]int{}
	var order []string
	all := 0
	for _, w := range d.e.Waits {
		if w.Type == kind && (w.State == "active" || w.Backend == "parallel worker") {
			if sums[w.Event] == 0 {
				order = append(order, w.Event)
			}
			sums[w.Event] += w.Seen
			all += w.Seen
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return sums[b] - sums[a] })
	var out say.List
	for _, ev := range order[:min(n, len(order))] {
		out.Items = append(out.Items, say.M("{event} {percent}", "event", ev, "percent",
			percent(100*float64(sums[ev])/float64(all))))
	}
	return out
}

// percent spells a share.
func percent(v float64) say.Number { return say.Number(fmt.Sprintf("%.0f%%", v)) }

// tenths spells one that may be small.
func tenths(v float64) say.Number { return say.Number(fmt.Sprintf("%.1f%%", v)) }

// decimal spells how many of something there were on average.
func decimal(v float64) say.Number { return say.Number(fmt.Sprintf("%.1f", v)) }

// waited says how much of the time of queries went by in waits.
func (d *Sample) waited(kind string, share, average float64) say.Message {
	return say.M("{percent} of the time of active queries, on average {backends} backends at once: {events}", "percent",
		percent(share), "backends", decimal(average), "events", d.top(kind, 3))
}

func (d *Sample) lockJam() {
	share, avg := d.seen(func(w live.Wait) bool { return w.Type == "Lock" })
	if share < slowShareOfActive {
		return
	}
	evidence := []say.Message{d.waited("Lock", share, avg)}
	next, between := []say.Message{}, false
	for i, b := range d.Blockers {
		if i == 3 {
			break
		}
		if b.PID == 0 {
			evidence = append(evidence, say.N(b.Waiters, "a prepared transaction blocked {n} session",
				"a prepared transaction blocked {n} sessions"))
			next = append(next, say.M("End the prepared transaction: SELECT gid, prepared FROM pg_prepared_xacts "+
				"ORDER BY prepared; then COMMIT PREPARED or ROLLBACK PREPARED."))
			continue
		}
		evidence = append(evidence, blocked(b))
		switch idle := strings.HasPrefix(b.State, "idle in transaction"); {
		case idle && b.Since >= slowIdle:
			next = append(next, say.M("PID {pid} is idle and keeps its locks. Terminate it: SELECT "+
				"pg_terminate_backend({pid}); and set idle_in_transaction_session_timeout.", "pid",
				strconv.Itoa(b.PID)))
		case idle:
			between = true
		}
	}
	if between {
		next = append(next, say.M("A session that was idle in transaction only for a moment is between two "+
			"statements. The delay of its client counts, because the session holds its locks meanwhile. Several "+
			"statements in one message, or in a function, hold them for a shorter time."))
	}
	if len(d.Blockers) > 0 && d.Blockers[0].Example != "" {
		evidence = append(evidence, say.M("one of the waiting queries: {query}", "query",
			slow.Cut(d.Blockers[0].Example)))
	}
	if len(next) == 0 {
		next = append(next, say.M("Check the transactions of these sessions: make them shorter, or let them change "+
			"rows in the same order. One hot row serves one transaction at a time."))
	}
	next = append(next, say.M("log_lock_waits = on (reload) logs such waits; lock_timeout limits them."))
	d.add("lock-jam", slow.Sure, share, say.M("Queries wait for locks held by other sessions"), evidence, next)
}

// blocked is the sessions that a session held up.
func blocked(b live.Blocker) say.Message {
	list := []say.Message{say.N(b.Waiters, "PID {pid} ({state}, transaction open for {age}) blocked {n} session",
		"PID {pid} ({state}, transaction open for {age}) blocked {n} sessions", "pid", strconv.Itoa(b.PID), "state",
		b.State, "age", seconds(b.Since))}
	if len(b.Waiting) > 0 {
		var waiting say.List
		for _, w := range b.Waiting {
			waiting.Items = append(waiting.Items, say.M("{pid} for {time}", "pid", strconv.Itoa(w.PID), "time",
				seconds(w.Seconds)))
		}
		list = append(list, say.M("waiting: {list}", "list", waiting))
	}
	if b.Query != "" {
		list = append(list, say.M("its query: {query}", "query", slow.Cut(b.Query)))
	}
	return say.All("; ", list...)
}

func seconds(n int64) say.Number { return say.Number(fmt.Sprintf("%d s", n)) }

// waitWords are what a type of wait says.
type waitWords struct {
	id    string
	title say.Message
	next  []say.Message
}

// slowWaitWords are those that matter.
var slowWaitWords = map[string]waitWords{
	"LWLock": {"lwlocks", say.M("Queries wait for internal locks (LWLocks)"), []say.Message{
		say.M("The wait event shows the lock: WALWrite and WALInsert are writes of WAL, mostly commits (faster WAL " +
			"disk, group commit); BufferMapping and BufferContent are hot blocks; LockManager is many partitions or " +
			"connections; ProcArray and XidGen are many connections."),
		say.M("Fewer active connections, with a connection pooler, help with nearly all of them.")}},
	"IO": {"io-waits", say.M("Queries wait for I/O"), []say.Message{
		say.M("DataFileRead: the data is not in memory (larger shared_buffers, see pgfettle plan, or read less). " +
			"WALSync: the WAL disk. BufFileRead and BufFileWrite: temporary files (work_mem)."),
		say.M("iostat -x 1 shows whether the disk is busy or slow, and pg_stat_io (16 and later) what reads.")}},
	"IPC": {"ipc-waits", say.M("Queries wait for other server processes"), []say.Message{
		say.M("SyncRep: a synchronous standby is slow. Others are parallel queries, checkpoints and recovery.")}},
	"Buffer": {"buffer-pins", say.M("Queries wait for a block in shared memory"), []say.Message{
		say.M("BufferCleanup: an open cursor on the block makes VACUUM wait: SELECT pid, query FROM pg_stat_activity " +
			"WHERE backend_xmin IS NOT NULL; BufferShared and BufferExclusive: many sessions use the same block, " +
			"which is a hot row, or the page of an index that grows at its end.")}}, // 19+
	"BufferPin": {"buffer-pins", say.M("Queries wait for a pinned buffer"), []say.Message{
		say.M("An open cursor on the block makes VACUUM wait: SELECT pid, query FROM pg_stat_activity WHERE " +
			"backend_xmin IS NOT NULL;")}},
}

func (d *Sample) waits() {
	for _, kind := range []string{"LWLock", "IO", "IPC", "BufferPin", "Buffer"} {
		share, avg := d.seen(func(w live.Wait) bool { return w.Type == kind })
		if share < slowShareOfActive {
			continue
		}
		words := slowWaitWords[kind]
		evidence := []say.Message{d.waited(kind, share, avg)}
		if kind == "IO" && d.Figures.IOPSI != nil {
			evidence = append(evidence, say.M("I/O pressure of the host (PSI, some): {percent}", "percent",
				percent(*d.Figures.IOPSI)))
		}
		d.add(words.id, slow.Sure, share, words.title, evidence, words.next)
	}
}

// processors judges whether there is too little CPU time, and what takes it.
func (d *Sample) processors() {
	f := d.Figures
	queue := slowValue(f.RunQueue)
	cpus := float64(max(d.CPUs, 1))
	// Full is full: nine tenths on average are ten tenths at times. With fewer runnable processes than CPUs, no process
	// waits.
	full := slowValue(f.Busy)+slowValue(f.Steal) >= 90 && queue > cpus
	if !full && slowValue(f.CPUPSI) < 2*slowShareOfActive {
		return
	}
	var evidence []say.Message
	if f.Busy != nil && f.RunQueue != nil && d.CPUs > 0 {
		evidence = append(evidence, say.N(d.CPUs, "{n} CPU, busy {percent} of the time; on average {queue} processes "+
			"runnable", "{n} CPUs, busy {percent} of the time; on average {queue} processes runnable", "percent",
			percent(*f.Busy), "queue", decimal(queue)))
	}
	if f.CPUPSI != nil {
		evidence = append(evidence, say.M("CPU pressure of the host (PSI, some): {percent}", "percent",
			percent(*f.CPUPSI)))
	}
	ours, others, worst := 0.0, 0.0, live.Busy{}
	for _, p := range d.Processes {
		if p.Ours {
			ours += p.CPU
			continue
		}
		others += p.CPU
		if p.CPU > worst.CPU && !p.Kernel {
			worst = p
		}
	}
	// That some process waited does not mean that each did: it costs a query half of its time at least, if twice as
	// many want to run as can.
	weight := 50.0
	if others > ours {
		for i, p := range d.Processes {
			if !p.Ours && i < 5 {
				evidence = append(evidence, say.M("PID {pid} ({name}) used {cpus} CPUs", "pid", strconv.Itoa(p.PID),
					"name", p.Name, "cpus", decimal(p.CPU/d.e.Seconds)))
			}
		}
		next := []say.Message{slowStranger(worst)}
		if worst.PID > 0 {
			next = append(next, say.M("A lower CPUWeight of its systemd unit gives it less CPU time; nice does so "+
				"for one process."))
		}
		d.add("cpu-others", slow.Sure, weight, say.M("CPU contention, mostly because of other programs"), evidence,
			next)
		return
	}
	evidence = append(evidence, say.M("of the busiest processes, those of this instance used {ours} CPUs, others "+
		"{others}", "ours", decimal(ours/d.e.Seconds), "others", decimal(others/d.e.Seconds)))
	d.add("cpu-full", slow.Sure, weight, say.M("CPU contention, mostly because of this instance"), evidence,
		[]say.Message{
			say.M("Find the queries: SELECT query, calls, total_exec_time, mean_exec_time FROM pg_stat_statements " +
				"ORDER BY total_exec_time DESC LIMIT 10;"),
			say.M("More active connections than CPUs only make each slower: use a connection pooler with about two " +
				"per CPU.")})
}

// slowStranger says what to do about the busiest program that is not ours.
func slowStranger(p live.Busy) say.Message {
	if p.PID == 0 {
		return say.M("They are kernel threads: writeback of dirty pages, memory reclaim, or interrupts. The profile " +
			"shows which.")
	}
	return say.M("Check what PID {pid} ({name}) is, and whether it belongs here: ps -fp {pid}", "pid",
		strconv.Itoa(p.PID), "name", p.Name)
}

func (d *Sample) stolen() {
	if s := slowValue(d.Figures.Steal); s >= slowShareOfTime {
		d.add("steal", slow.Sure, 2*s, say.M("High CPU steal time"),
			[]say.Message{say.M("{percent} of the CPU time was stolen by the hypervisor, for other guests or because "+
				"of a limit", "percent", percent(s))},
			[]say.Message{say.M("Ask the operator of the host for reserved CPUs, or move the guest. Nothing inside " +
				"the guest helps.")})
	}
}

func (d *Sample) throttled() {
	if t := slowValue(d.Figures.Throttled); t >= slowShareOfTime {
		d.add("throttled", slow.Sure, 2*t, say.M("CPU quota of the cgroup throttles the server"),
			[]say.Message{say.M("in {percent} of the periods, the cgroup used up its quota and was stopped until the "+
				"end", "percent", percent(t))},
			[]say.Message{say.M("Raise CPUQuota of the unit, or the CPU limit of the container. Fewer active " +
				"connections use less of the quota.")})
	}
}

// memory judges pressure, of the host and of the instance's cgroup.
func (d *Sample) memory() {
	f := d.Figures
	host, group := slowValue(f.MemoryPSI), slowValue(f.GroupPSI)
	// Ten a second and more are no start of a program any more, but pages that were
	// thrown out and are wanted again.
	swap := slowValue(f.SwapIn)
	full := f.GroupLimit != nil && f.GroupMemory != nil && *f.GroupMemory >= *f.GroupLimit/100*90
	// Version 1 of cgroups has no pressure: the host's is used instead, if the host has memory left, and so cannot be
	// what is short. A page cache that fills a group meets its limit too, but makes no process wait.
	room := d.e.Available > d.e.Memory/10
	squeezed := full && (group >= slowShareOfTime || f.GroupPSI == nil && room && host >= slowShareOfTime)
	certainty := slow.Sure
	if f.GroupPSI == nil {
		certainty = slow.Likely
	}
	if !squeezed && host < slowShareOfTime && group < slowShareOfTime && swap < 100 && slowValue(f.DirectScan) < 1000 {
		return
	}
	evidence := []say.Message{}
	if f.MemoryPSI != nil {
		evidence = append(evidence, say.M("memory pressure of the host (PSI, some): {percent}", "percent",
			percent(host)))
	}
	if rates := reclaimRates(f); len(rates.Items) > 0 {
		evidence = append(evidence, say.M("per second: {rates}", "rates", rates))
	}
	weight := 2 * max(host, group, slowShareOfTime)
	if squeezed {
		evidence = append(evidence, say.M("cgroup of the instance: {used} of {limit}; available on the host: "+
			"{available}", "used", *f.GroupMemory, "limit", *f.GroupLimit, "available", d.e.Available))
		if f.GroupPSI != nil {
			evidence = append(evidence, say.M("memory pressure of the cgroup (PSI, some): {percent}", "percent",
				percent(group)))
		}
		d.add("cgroup-memory", certainty, weight, say.M("Memory limit of the cgroup is too low for the instance"),
			evidence,
			[]say.Message{
				say.M("Raise the limit (MemoryMax of the unit, memory limit of the container), or lower " +
					"shared_buffers and work_mem: pgfettle plan takes the limit into account."),
				say.M("The page cache of the instance's files counts toward the limit.")})
		return
	}
	d.add("memory", slow.Sure, weight, say.M("Host has too little memory for its load"), evidence,
		[]say.Message{say.M("To see what uses it: pgfettle diagnose memory"),
			say.M("Then fit shared_buffers, work_mem and the connections to the memory: pgfettle plan")})
}

// reclaimRates are what processes met for want of memory, each that was measured.
func reclaimRates(f Figures) (out say.List) {
	add := func(v *float64, one, many say.Template) {
		if v != nil {
			n := int64(math.Round(*v))
			out.Items = append(out.Items, say.N(n, one, many))
		}
	}
	add(f.Major, "{n} major fault", "{n} major faults")
	add(f.SwapIn, "{n} page swapped in", "{n} pages swapped in")
	add(f.SwapOut, "{n} page swapped out", "{n} pages swapped out")
	add(f.DirectScan, "{n} page scanned by direct reclaim", "{n} pages scanned by direct reclaim")
	return out
}

func (d *Sample) compaction() {
	c := slowValue(d.Figures.Compaction)
	perf := d.profileShare("compaction", "thp")
	// One stall a second means that some process is always delayed: each takes milliseconds.
	if c < 1 && perf < 2 {
		return
	}
	var evidence []say.Message
	if d.Figures.Compaction != nil {
		evidence = append(evidence, say.M("compaction stalls: {n} per second", "n", decimal(c)))
	}
	if v := d.Figures.HugeFaults; v != nil {
		evidence = append(evidence, say.M("transparent huge pages allocated in page faults: {n} per second", "n",
			say.Number(fmt.Sprintf("%.0f", *v))))
	}
	if perf > 0 {
		evidence = append(evidence, say.M("{percent} of the profile is in compaction and transparent huge pages",
			"percent", tenths(perf)))
	}
	d.add("compaction", slow.Likely, max(10*perf, min(c, 50)), say.M("Memory compaction stalls"), evidence,
		[]say.Message{
			say.M("Usually the kernel compacts memory to make transparent huge pages. Check " +
				"/sys/kernel/mm/transparent_hugepage/enabled and defrag: for PostgreSQL, madvise or never is right " +
				"(pgfettle explain thp_always)."),
			say.M("A pool of huge pages reserved at boot needs no compaction (pgfettle explain nr_hugepages).")})
}

func (d *Sample) pageTables() {
	t := d.Figures.PageTables
	if t == nil || d.e.Memory <= 0 {
		return
	}
	share := 100 * float64(*t) / float64(d.e.Memory)
	if share < limits.TablesMuch && *t < unit.GB { // the threshold of check, too
		return
	}
	certainty := slow.Possible
	if share >= limits.TablesTooMuch {
		certainty = slow.Likely
	}
	d.add("page-tables", certainty, 2*share, say.M("Page tables use much memory"),
		[]say.Message{say.M("page tables: {size}, {percent} of the memory", "size", *t, "percent", tenths(share))},
		[]say.Message{say.M("pgfettle diagnose memory shows them by process, and what huge pages, fewer connections " +
			"or smaller shared_buffers would save.")})
}

func (d *Sample) spins() {
	share, _ := d.seen(func(w live.Wait) bool { return w.Event == "SpinDelay" })
	perf := d.profileShare("spinlocks")
	if share < 2 && perf < 2 { // a healthy spinlock never shows
		return
	}
	var evidence []say.Message
	if share > 0 {
		evidence = append(evidence, say.M("{percent} of the time of active queries in SpinDelay", "percent",
			tenths(share)))
	}
	if len(d.Functions) > 0 {
		evidence = append(evidence, say.M("{percent} of the profile in {function}", "percent", tenths(perf), "function",
			"s_lock"))
	}
	next := []say.Message{say.M("Too many processes use one structure: reduce the active connections. More often, " +
		"CPU steal or CPU contention is the cause, because the holder of the lock is not running.")}
	if faults := d.profileShare("page-faults"); faults >= 5 {
		evidence = append(evidence, say.M("{percent} of the profile in page faults: if a process holds a spinlock "+
			"while it touches a page of shared_buffers for the first time, all others spin", "percent", tenths(faults)))
		next = append(next, hugePages())
	}
	d.add("spinlocks", slow.Likely, max(5*share, 5*perf), say.M("Processes wait for spinlocks"), evidence, next)
}

func hugePages() say.Message {
	return say.M("With huge pages, shared_buffers needs no page fault for each 4 kB (pgfettle explain huge_pages).")
}

func (d *Sample) clients() {
	share, avg := d.seen(func(w live.Wait) bool { return w.Type == "Client" })
	if share < slowShareOfActive {
		return
	}
	d.add("clients", slow.Sure, share, say.M("Server waits for its clients"),
		[]say.Message{d.waited("Client", share, avg)},
		[]say.Message{say.M("ClientWrite: the clients do not read their rows, or the network is slow. Fetch fewer " +
			"rows, or in batches.")})
}

// profileShare is the share of the profile in functions that speak for one of
// the troubles.
func (d *Sample) profileShare(ids ...string) float64 {
	sum := 0.0
	for _, f := range d.Functions {
		if m, ok := slowMeaning(f.Name); ok && slices.Contains(ids, m.trouble) {
			sum += f.Percent
		}
	}
	with := 0.0
	for _, id := range ids {
		with += d.inclusive[id]
	}
	return max(sum, with)
}

// profile reports what no counter shows.
func (d *Sample) profile() {
	for _, v := range []struct {
		id    string
		title say.Message
		least float64 // percent of the profile
		next  []say.Message
	}{
		{"monitoring-smaps", say.M("Monitoring takes CPU time: it reads /proc/PID/smaps"), 1, []say.Message{
			say.M("This is not PostgreSQL walking page tables, and proves nothing about the TLB (pgfettle explain " +
				"smaps-pte-entry)."),
			say.M("Read smaps_rollup less often, or status, which takes no lock (pgfettle diagnose memory).")}},
		{"kernel-locks", say.M("Lock contention in the kernel"), 5, []say.Message{
			say.M("perf record -a -g and perf report show the callers, often page faults of one process or memory " +
				"reclaim.")}},
		{"reclaim", say.M("Memory reclaim takes CPU time"), 3, []say.Message{whoHasMemory()}},
		{"page-faults", say.M("Page faults take much CPU time"), 15, []say.Message{
			say.M("Short connections start and end processes all the time: use a connection pooler."), hugePages()}},
		{"snapshots", say.M("Snapshots take much CPU time"), 10, []say.Message{
			say.M("Reduce the connections, also the idle ones, above all in PostgreSQL 13 and earlier.")}},
		{"tlb-shootdown", say.M("TLB shootdowns take CPU time"), 3, []say.Message{
			say.M("Memory is unmapped or moved all the time: NUMA balancing, compaction, or short-lived processes.")}},
		{"numa-balancing", say.M("NUMA balancing takes CPU time"), 2, []say.Message{
			say.M("On a database host: sysctl kernel.numa_balancing=0 (pgfettle explain numa_balancing).")}},
		{"clock", say.M("Slow clock source"), 2, []say.Message{
			say.M("Check /sys/devices/system/clocksource/clocksource0/current_clocksource: tsc is fast, hpet and " +
				"acpi_pm are not.")}},
	} {
		share := d.profileShare(v.id)
		if share < v.least || len(d.Verdicts) > 0 && slices.ContainsFunc(d.Verdicts,
			func(x slow.Verdict) bool { return x.ID == "memory" || x.ID == "cgroup-memory" }) && v.id == "reclaim" {
			continue
		}
		d.add(v.id, slow.Likely, share, v.title, d.functionLines(v.id), v.next)
	}
}

func whoHasMemory() say.Message {
	return say.M("pgfettle diagnose memory shows what uses the memory, and pgfettle plan fits the settings to it.")
}

// computes is reported if nothing else is: the queries work, and have CPUs.
func (d *Sample) computes() {
	f := d.Figures
	if len(d.Verdicts) > 0 || f.Active == nil || *f.Active < 1 || slowValue(f.Computing) < 60 {
		return
	}
	d.add("computing", slow.Likely, 1, say.M("Queries compute and wait for nothing"),
		[]say.Message{say.M("on average {active} active queries, {percent} of their time without a wait event",
			"active", decimal(*f.Active), "percent", percent(*f.Computing))},
		[]say.Message{say.M("Find them in pg_stat_statements by total_exec_time. Then compare a slow and a fast run " +
			"of one of them: pgfettle diagnose slow SLOW FAST")})
}
