package sampled

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

// The shares from which on something is told. A fifth of the time of all queries
// is what a person notices; pressure and steal are felt much earlier, as they hit
// every query at random.
const (
	slowShareOfActive = 20.0 // percent of the active backends' time
	slowShareOfTime   = 5.0  // percent of the clock
)

// slowIdle is from how many seconds on a transaction that is idle is one that somebody left
// open: below it a program is between two of its statements, as pgbench always is.
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
func (d *Sample) top(kind string, n int) string {
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
	var out []string
	for _, ev := range order[:min(n, len(order))] {
		out = append(out, fmt.Sprintf("%s %.0f %%", ev, 100*float64(sums[ev])/float64(all)))
	}
	return strings.Join(out, ", ")
}

func (d *Sample) lockJam() {
	share, avg := d.seen(func(w live.Wait) bool { return w.Type == "Lock" })
	if share < slowShareOfActive {
		return
	}
	evidence := []string{
		fmt.Sprintf(
			"%.0f %% of the time of active queries went by waiting for locks, on average %.1f backends at once (%s)",
			share, avg, d.top("Lock", 3))}
	next, between := []string{}, false
	for i, b := range d.Blockers {
		if i == 3 {
			break
		}
		if b.PID == 0 {
			evidence = append(evidence, fmt.Sprintf("a prepared transaction held up %d others", b.Waiters))
			next = append(next,
				"end it: SELECT gid, prepared FROM pg_prepared_xacts ORDER BY prepared, then COMMIT PREPARED or "+
					"ROLLBACK PREPARED")
			continue
		}
		idle := strings.HasPrefix(b.State, "idle in transaction")
		text := fmt.Sprintf("process %d (%s, its transaction %d s old) held up %d others", b.PID, b.State, b.Since,
			b.Waiters)
		if len(b.Waiting) > 0 {
			var list []string
			for _, w := range b.Waiting {
				list = append(list, fmt.Sprintf("%d for %d s", w.PID, w.Seconds))
			}
			text += " (waiting: " + strings.Join(list, ", ") + ")"
		}
		if b.Query != "" {
			text += ": " + slow.Cut(b.Query)
		}
		evidence = append(evidence, text)
		switch {
		case idle && b.Since >= slowIdle:
			next = append(next,
				fmt.Sprintf(
					"process %d does nothing and keeps its locks: end it with SELECT pg_terminate_backend(%d), and "+
						"set idle_in_transaction_session_timeout", b.PID, b.PID))
		case idle:
			between = true
		}
	}
	if between {
		next = append(next,
			"a session that is idle in transaction for less than a second or so is between two statements: "+
				"what its client takes in between counts while it holds the lock; several statements in one "+
				"message, or in "+
				"a function, hold it shorter")
	}
	if len(d.Blockers) > 0 && d.Blockers[0].Example != "" {
		evidence = append(evidence, "waiting for it: "+slow.Cut(d.Blockers[0].Example))
	}
	if len(next) == 0 {
		next = append(next,
			"look at the transactions of these processes: shorter ones, or rows in one order; one hot row serves "+
				"one transaction at a time")
	}
	next = append(next, "log_lock_waits = on writes such waits into the log; lock_timeout bounds them")
	d.add("lock-jam", slow.Sure, share, "Queries wait for locks that other sessions hold", evidence, next)
}

// slowWaitWords are what the types of wait say, for those that matter.
var slowWaitWords = map[string]struct {
	id, title string
	next      []string
}{
	"LWLock": {"lwlocks", "Queries wait for internal locks of the server (LWLocks)",
		[]string{
			"the event says which: WALWrite and WALInsert are commits (a faster WAL disk, group commits), " +
				"BufferMapping and BufferContent hot blocks, LockManager many partitions or connections, ProcArray " +
				"and XidGen many connections",
			"fewer active connections at once, by a pooler, helps with nearly all of them"}},
	"IO": {"io-waits", "Queries wait for the disks",
		[]string{
			"DataFileRead: what they read is not in memory (pgfettle plan; larger shared_buffers or less to read); " +
				"WALSync: the WAL disk; BufFileRead and BufFileWrite: work_mem",
			"iostat -x 1 tells whether the disk is busy or slow; pg_stat_io (16 and later) who reads"}},
	"IPC": {"ipc-waits", "Queries wait for other processes of the server",
		[]string{"SyncRep: a synchronous standby is slow; others are parallel queries, checkpoints and recovery"}},
	"BufferPin": {"buffer-pins", "Queries wait for a pinned buffer",
		[]string{
			"an open cursor on the block holds VACUUM up: SELECT pid, query FROM pg_stat_activity WHERE " +
				"backend_xmin IS NOT NULL"}},
}

func (d *Sample) waits() {
	for _, kind := range []string{"LWLock", "IO", "IPC", "BufferPin"} {
		share, avg := d.seen(func(w live.Wait) bool { return w.Type == kind })
		if share < slowShareOfActive {
			continue
		}
		words := slowWaitWords[kind]
		evidence := []string{fmt.Sprintf("%.0f %% of the time of active queries, on average %.1f backends at once: %s",
			share, avg, d.top(kind, 3))}
		if kind == "IO" && d.Figures.IOPSI != nil {
			evidence = append(evidence, fmt.Sprintf("some process of the host waited for a disk %.0f %% of the time",
				*d.Figures.IOPSI))
		}
		d.add(words.id, slow.Sure, share, words.title, evidence, words.next)
	}
}

// processors judges whether there is too little processor time, and who takes it.
func (d *Sample) processors() {
	f := d.Figures
	queue := slowValue(f.RunQueue)
	cpus := float64(max(d.CPUs, 1))
	// Full is full: nine tenths on average are ten tenths at times. With fewer
	// runnable processes than processors nobody waits.
	full := slowValue(f.Busy)+slowValue(f.Steal) >= 90 && queue > cpus
	if !full && slowValue(f.CPUPSI) < 2*slowShareOfActive {
		return
	}
	evidence := []string{
		fmt.Sprintf("%d processors were busy %.0f %% of the time, and on average %.1f processes ran or wanted to",
			d.CPUs, slowValue(f.Busy), queue)}
	if f.CPUPSI != nil {
		evidence = append(evidence, fmt.Sprintf("some process waited for a processor %.0f %% of the time", *f.CPUPSI))
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
	// That some process waited does not mean that each did: it costs a query half of
	// its time at least, where twice as many want to run as can.
	weight := 50.0
	if others > ours {
		for i, p := range d.Processes {
			if !p.Ours && i < 5 {
				evidence = append(evidence, fmt.Sprintf("process %d (%s) used %.1f processors", p.PID, p.Name,
					p.CPU/d.e.Seconds))
			}
		}
		d.add("cpu-others", slow.Sure, weight,
			"The processors are full, most of all with other programs than this instance", evidence,
			[]string{slowStranger(worst),
				"systemd-run or the CPUWeight of its unit gives it less; nice does so for one process"})
		return
	}
	evidence = append(evidence,
		fmt.Sprintf("of the busiest processes those of this instance used %.1f processors, others %.1f",
			ours/d.e.Seconds, others/d.e.Seconds))
	d.add("cpu-full", slow.Sure, weight, "The processors are full with the work of this instance", evidence,
		[]string{
			"which queries: SELECT query, calls, total_exec_time, mean_exec_time FROM pg_stat_statements ORDER BY " +
				"total_exec_time DESC LIMIT 10",
			"more active connections than processors only make each slower: a pooler with about two for each " +
				"processor"})
}

// slowStranger says what to do about the busiest program that is not ours.
func slowStranger(p live.Busy) string {
	if p.PID == 0 {
		return "they are threads of the kernel: writing back dirty pages, taking back memory, or interrupts; the " +
			"profile tells which"
	}
	return fmt.Sprintf("see what process %d (%s) is and whether it belongs here: ps -fp %d", p.PID, p.Name, p.PID)
}

func (d *Sample) stolen() {
	if s := slowValue(d.Figures.Steal); s >= slowShareOfTime {
		d.add("steal", slow.Sure, 2*s, "The hypervisor gives this machine less processor time than it wants",
			[]string{fmt.Sprintf("%.0f %% of the time was stolen: other guests of the same host had it", s)},
			[]string{"ask who runs the host for reserved processors, or move the guest; nothing inside of it helps"})
	}
}

func (d *Sample) throttled() {
	if t := slowValue(d.Figures.Throttled); t >= slowShareOfTime {
		d.add("throttled", slow.Sure, 2*t, "The CPU quota of the control group stops the server",
			[]string{
				fmt.Sprintf("in %.0f %% of the periods the group had used its quota up and stood still to their end",
					t)},
			[]string{
				"raise CPUQuota of the unit, or the container's CPU limit; fewer active connections use a quota up " +
					"less fast"})
	}
}

// memory judges pressure, of the host and of the instance's control group.
func (d *Sample) memory() {
	f := d.Figures
	host, group := slowValue(f.MemoryPSI), slowValue(f.GroupPSI)
	// Ten a second and more are no start of a program any more, but pages that were
	// thrown out and are wanted again.
	swap := slowValue(f.SwapIn)
	full := f.GroupLimit != nil && f.GroupMemory != nil && *f.GroupMemory >= *f.GroupLimit/100*90
	// Version 1 of control groups knows no pressure: there the host's stands for it,
	// where the host has memory left, and so cannot be what is short. A page cache
	// that fills a group meets its limit too, but makes nobody wait.
	room := d.e.Available > d.e.Memory/10
	squeezed := full && (group >= slowShareOfTime || f.GroupPSI == nil && room && host >= slowShareOfTime)
	certainty := slow.Sure
	if f.GroupPSI == nil {
		certainty = slow.Likely
	}
	if !squeezed && host < slowShareOfTime && group < slowShareOfTime && swap < 100 && slowValue(f.DirectScan) < 1000 {
		return
	}
	evidence := []string{}
	if f.MemoryPSI != nil {
		evidence = append(evidence, fmt.Sprintf("some process of the host waited for memory %.0f %% of the time", host))
	}
	evidence = append(evidence,
		fmt.Sprintf(
			"%.0f major faults, %.0f pages swapped in and %.0f out, %.0f pages looked at by processes in search of "+
				"memory, each second", slowValue(f.Major), swap, slowValue(f.SwapOut), slowValue(f.DirectScan)))
	weight := 2 * max(host, group, slowShareOfTime)
	if squeezed {
		evidence = append(evidence,
			fmt.Sprintf("the instance's control group has %s of its limit of %s in use; the host has %s available",
				*f.GroupMemory, *f.GroupLimit, d.e.Available))
		if f.GroupPSI != nil {
			evidence = append(evidence, fmt.Sprintf("it waited for memory %.0f %% of the time", group))
		}
		d.add("cgroup-memory", certainty, weight,
			"The control group's memory limit squeezes the instance, while the host may have memory left", evidence,
			[]string{
				"raise the limit (MemoryMax of the unit, the container's memory), or shared_buffers and work_mem " +
					"down: pgfettle plan knows the limit",
				"the page cache of the instance's files counts in the limit too"})
		return
	}
	d.add("memory", slow.Sure, weight, "The host has too little memory for what runs on it", evidence,
		[]string{"who has it: pgfettle diagnose memory",
			"then pgfettle plan: shared_buffers, work_mem and connections for the memory that there is"})
}

func (d *Sample) compaction() {
	c := slowValue(d.Figures.Compaction)
	perf := d.profileShare("compaction", "thp")
	// One stall a second holds somebody up all the time: each takes milliseconds.
	if c < 1 && perf < 2 {
		return
	}
	evidence := []string{
		fmt.Sprintf(
			"processes stood still %.1f times a second while the kernel moved pages together; %.0f huge pages a "+
				"second were made in faults", c, slowValue(d.Figures.HugeFaults))}
	if perf > 0 {
		evidence = append(evidence,
			fmt.Sprintf("%.1f %% of the processor time of the profile is in compaction and transparent huge pages",
				perf))
	}
	d.add("compaction", slow.Likely, max(10*perf, min(c, 50)),
		"The kernel compacts memory to make transparent huge pages", evidence,
		[]string{
			"see /sys/kernel/mm/transparent_hugepage/enabled and defrag; madvise is what PostgreSQL wants (pgfettle " +
				"explain thp_always)",
			"huge pages of a pool, made at boot, need no compaction (pgfettle explain nr_hugepages)"})
}

func (d *Sample) pageTables() {
	t := d.Figures.PageTables
	if t == nil || d.e.Memory <= 0 {
		return
	}
	share := 100 * float64(*t) / float64(d.e.Memory)
	if share < limits.TablesMuch && *t < unit.GB { // where check warns as well
		return
	}
	certainty := slow.Possible
	if share >= limits.TablesTooMuch {
		certainty = slow.Likely
	}
	d.add("page-tables", certainty, 2*share,
		"Page tables take much memory, and every access to shared_buffers is slower for it",
		[]string{fmt.Sprintf("page tables take %s, %.1f %% of the memory", *t, share)},
		[]string{
			"pgfettle diagnose memory shows whose they are, and what huge pages, fewer connections or smaller " +
				"shared_buffers would save"})
}

func (d *Sample) spins() {
	share, _ := d.seen(func(w live.Wait) bool { return w.Event == "SpinDelay" })
	perf := d.profileShare("spinlocks")
	if share < 2 && perf < 2 { // nobody ever sees a healthy spinlock
		return
	}
	evidence := []string{fmt.Sprintf("%.1f %% of the processor time of the profile in s_lock", perf)}
	if d.e.Asked > 0 {
		evidence[0] = fmt.Sprintf("%.1f %% of the time of active queries in SpinDelay, ", share) + evidence[0]
	}
	next := []string{
		"too many processes at one structure: fewer active connections; more often the consequence of stolen or " +
			"full processors, where who holds a lock is not running"}
	if faults := d.profileShare("page-faults"); faults >= 5 {
		evidence = append(evidence,
			fmt.Sprintf("%.1f %% in page faults: a process that holds a spinlock while it touches a "+
				"page of shared_buffers for the first time lets all others spin", faults))
		next = append(next, "shared_buffers in huge pages need no faults for each 4 kB (pgfettle explain huge_pages)")
	}
	d.add("spinlocks", slow.Likely, max(5*share, 5*perf), "Processes wait for spinlocks", evidence, next)
}

func (d *Sample) clients() {
	share, avg := d.seen(func(w live.Wait) bool { return w.Type == "Client" })
	if share < slowShareOfActive {
		return
	}
	d.add("clients", slow.Sure, share, "The server waits for its clients",
		[]string{fmt.Sprintf("%.0f %% of the time of active queries, on average %.1f backends at once: %s", share,
			avg, d.top("Client", 3))},
		[]string{"ClientWrite: the clients do not take their rows, or the network is slow: fetch less, or in batches"})
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

// profile tells what no counter shows.
func (d *Sample) profile() {
	for _, v := range []struct {
		id, title string
		least     float64 // percent of the profile
		next      []string
	}{
		{"monitoring-smaps", "The monitoring itself takes processor time: it reads /proc/PID/smaps",
			1, []string{"it is not PostgreSQL walking page tables, and proves nothing of the TLB (pgfettle explain " +
				"smaps-pte-entry)",
				"read smaps_rollup less often, or status, which takes no lock; pgfettle diagnose memory reads that"}},
		{"kernel-locks", "Processors wait for each other inside of the kernel", 5,
			[]string{
				"perf record -a -g, then perf report: the callers tell for what; often page faults of one process " +
					"or reclaim"}},
		{"reclaim", "The kernel spends time looking for memory to take back",
			3, []string{"pgfettle diagnose memory, and pgfettle plan for the memory that there is"}},
		{"page-faults", "Much time goes into page faults", 15,
			[]string{"short connections make and end processes all the time: a pooler",
				"shared_buffers in huge pages need no faults for each 4 kB (pgfettle explain huge_pages)"}},
		{"snapshots", "Taking snapshots takes much of the time", 10,
			[]string{"fewer connections, also idle ones, above all before PostgreSQL 14"}},
		{"tlb-shootdown", "Processors tell each other to forget translations of addresses",
			3, []string{"somebody unmaps or moves memory all the time: NUMA balancing, compaction, short processes"}},
		{"numa-balancing", "NUMA balancing moves memory about", 2,
			[]string{"sysctl kernel.numa_balancing=0 for a database host (pgfettle explain numa_balancing)"}},
		{"clock", "Reading the clock is slow", 2,
			[]string{
				"see /sys/devices/system/clocksource/clocksource0/current_clocksource: tsc is fast, hpet and " +
					"acpi_pm are not"}},
	} {
		share := d.profileShare(v.id)
		if share < v.least || len(d.Verdicts) > 0 && slices.ContainsFunc(d.Verdicts,
			func(x slow.Verdict) bool { return x.ID == "memory" || x.ID == "cgroup-memory" }) && v.id == "reclaim" {
			continue
		}
		d.add(v.id, slow.Likely, share, v.title, d.functionLines(v.id), v.next)
	}
}

// computes is told where nothing else is: the queries work, and have processors.
func (d *Sample) computes() {
	f := d.Figures
	if len(d.Verdicts) > 0 || f.Active == nil || *f.Active < 1 || slowValue(f.Computing) < 60 {
		return
	}
	d.add("computing", slow.Likely, 1, "The queries compute: they wait for nothing",
		[]string{fmt.Sprintf("on average %.1f queries were active, and %.0f %% of their time they waited for nothing",
			*f.Active, *f.Computing)},
		[]string{
			"which ones: pg_stat_statements by total_exec_time; then compare a slow and a fast run of one of them: " +
				"pgfettle diagnose slow SLOW FAST"})
}
