package reports

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// verdict is the one line above all.
func (p oomWords) verdict(d *oom.Report) say.Message {
	if len(d.Kills) == 0 {
		return noKill(d)
	}
	at := len(d.Kills) - 1
	if d.TellsMost != nil && *d.TellsMost < len(d.Kills) {
		at = *d.TellsMost
	}
	first, n := killFirst(&d.Kills[at]), len(d.Kills)
	if n == 1 {
		return first
	}
	count := say.N(n, "The OOM killer ran {n} time.", "The OOM killer ran {n} times.")
	if slices.ContainsFunc(d.Kills, func(k oom.Kill) bool { return k.OnlyMemory }) {
		count = say.N(n, "{n} report of the kernel about memory was read.",
			"{n} reports of the kernel about memory were read.")
	}
	if at == n-1 {
		return say.All(" ", count, say.M("The last report: {report}", "report", first))
	}
	return say.All(" ", count, say.M("Report {number} is the most complete: {report}", "number", at+1, "report", first))
}

// killFirst is what comes first about a kill: which process, and why.
func killFirst(k *oom.Kill) say.Message {
	var what say.Message
	switch v := k.Victim; {
	case v != nil && v.PID == 0: // the line was told without it
		what = say.M("A process named {name} was killed by the OOM killer.", "name", v.Name)
	case v != nil && v.Role == "":
		what = say.M("{name} (process {pid}) was killed by the OOM killer.", "name", v.Name, "pid", pidOf(v.PID))
	case v != nil:
		what = say.M("{name} (process {pid}, {role}) was killed by the OOM killer.", "name", v.Name, "pid",
			pidOf(v.PID),
			"role", roleOf(v.Role))
	case k.Panic:
		what = say.M("The kernel panicked instead of killing a process.")
	case k.NoVictim:
		what = say.M("The OOM killer ran but found no process to kill.")
	case k.Shown:
		return k.Cause.Text
	case k.OnlyMemory:
		what = say.M("The logs show only the state of the memory (Mem-Info). The kernel logs it for an OOM kill, but " +
			"also for a failed allocation and for SysRq m, and nothing shows which it was.")
	default:
		what = say.M("The OOM killer ran; the log does not name the victim.")
	}
	return say.All(" ", what, k.Cause.Text)
}

// noKill is the verdict where no report of the OOM killer was read.
func noKill(d *oom.Report) say.Message {
	switch {
	case len(d.Unexplained) > 0:
		return diedUnexplained(d.Unexplained)
	case len(d.Units) > 0:
		return unitsVerdict(d.Units)
	case d.Looked != nil && d.Looked.First != "":
		return say.M("systemd-oomd compared {n} cgroups to kill one of them. The first in its list is {unit}. The "+
			"logs do not show that it killed any.", "n", d.Looked.Cgroups, "unit", d.Looked.First)
	case d.Looked != nil:
		return say.M("systemd-oomd compared {n} cgroups to kill one of them. The logs do not show that it killed any.",
			"n", d.Looked.Cgroups)
	case d.Asked != nil && d.Asked.Time.IsZero():
		return say.M("An administrator or a program requested an OOM kill (SysRq f). The logs do not show that a " +
			"process was killed.")
	case d.Asked != nil:
		return say.M("An administrator or a program requested an OOM kill (SysRq f; {time}). The logs do not show "+
			"that a process was killed.", "time", d.Asked.Time)
	case len(d.Refused) > 0:
		return refusedTo(d.Refused)
	case d.Spared:
		return say.All(" ", say.M("No OOM kill was found in the logs that were read."), say.M("The container runtime "+
			"reports OOMKilled = false for the container. Exit code 137 means that signal 9 (SIGKILL) terminated "+
			"it; docker "+
			"kill, and docker stop after its timeout, send it, too."))
	case d.Stated != nil && d.Stated.Exit != nil:
		return say.All(" ", say.M("No OOM kill was found in the logs that were read."), exit137(d.Stated.Exit))
	case d.FailedAllocations > 0:
		return say.N(d.FailedAllocations, "No OOM kill was found in the logs that were read, but {n} memory "+
			"allocation "+
			"of the kernel failed. That kills no process.", "No OOM kill was found in the logs that were read, but "+
			"{n} "+
			"memory allocations of the kernel failed. That kills no process.")
	case len(d.NotUnderstood) > 0:
		return unreadOf(&d.NotUnderstood[0])
	case d.Mention != "":
		return say.M("The text mentions an OOM kill, but no line of the kernel, of systemd or of a container runtime "+
			"about one was read: {line}", "line", typeset.Shorten(typeset.Flat(d.Mention), 200))
	case d.Read.Lines == 0:
		return say.M("Nothing was read: the input is empty.")
	}
	return say.M("No OOM kill was found in the logs that were read.")
}

// diedUnexplained is about processes whose death no report of the kernel explains.
func diedUnexplained(list []oom.Death) say.Message {
	n := 0
	for i := range list {
		if list[i].PID > 0 {
			n++
		}
	}
	why := say.M("No OOM report was read, so it may have been the OOM killer or a kill -9.")
	switch {
	case n == 0:
		return say.All(" ", say.M("The postmaster exited unexpectedly."), say.M("No OOM report was read, so it may "+
			"have been the OOM killer, a kill -9 or a crash."))
	case n < len(list):
		return say.All(" ", say.N(n, "The postmaster exited unexpectedly, and {n} server process was terminated by "+
			"signal 9.",
			"The postmaster exited unexpectedly, and {n} server processes were terminated by signal 9."), why)
	}
	return say.All(" ", say.N(n, "{n} server process was terminated by signal 9.",
		"{n} server processes were terminated by signal 9."), why)
}

// refusedTo says what memory was refused to.
func refusedTo(list []oom.Refusal) say.Message {
	n, forks := 0, 0
	for i := range list {
		if list[i].What == "process" {
			forks++
		} else {
			n++
		}
	}
	queries, processes := say.N(n, "{n} query", "{n} queries"), say.N(forks, "{n} process", "{n} processes")
	if len(list) >= oom.MaxRefused {
		queries = say.N(n, "at least {n} query", "at least {n} queries")
		processes = say.N(forks, "at least {n} process", "at least {n} processes")
	}
	switch {
	case forks == 0:
		return say.M(`No OOM kill was found in the logs that were read, but {queries} failed with "out of memory".`,
			"queries", queries)
	case n == 0:
		return say.M("No OOM kill was found in the logs that were read, but {processes} could not be forked for want "+
			"of memory.", "processes", processes)
	}
	return say.M(`No OOM kill was found in the logs that were read, but {queries} failed with "out of memory" and `+
		`{processes} could not be forked.`, "queries", queries, "processes", processes)
}

// unitsVerdict is the first line if only programs other than the kernel report a kill.
func unitsVerdict(list []oom.Unit) say.Message {
	at := 0
	for i := range list {
		if strings.Contains(list[i].Name, "postgres") && !strings.Contains(list[at].Name, "postgres") {
			at = i
		}
	}
	text, n := []say.Message{unitOf(&list[at])}, len(list)-1
	if n > 0 { // the list has the rest
		text[0] = unitBrief(&list[at])
	}
	switch {
	case n == 0:
	case !slices.ContainsFunc(list, func(u oom.Unit) bool { return !u.Evicted }):
		text = append(text, say.N(n, "{n} more eviction is reported.", "{n} more evictions are reported."))
	case slices.ContainsFunc(list, notSystemd):
		text = append(text, say.N(n, "{n} more kill is reported.", "{n} more kills are reported."))
	default:
		above, apart := 0, 0
		for i := range list {
			if i == at {
				continue
			}
			switch list[i].To(&list[at]) {
			case oom.Above:
				above++
			case oom.Apart:
				apart++
			}
		}
		if above > 0 {
			text = append(text, say.N(above, "systemd reports {n} more unit: it logs a kill for the unit and for each "+
				"slice above it.",
				"systemd reports {n} more units: it logs a kill for the unit and for each slice above it."))
		}
		if apart > 0 {
			text = append(text, say.N(apart, "{n} unit that systemd reports is not above it, so at least one more "+
				"process was killed.",
				"{n} units that systemd reports are not above it, so at least one more process was killed."))
		}
	}
	if n == 0 && !list[0].Time.IsZero() {
		text = append([]say.Message{list[0].Time}, text...)
	}
	if by := list[at].By; by == "kernel" || by == oom.BySlurm || list[at].Seen {
		text = append(text, say.M("The kernel's own report is not in the logs that were read."))
	}
	return say.All(" ", text...)
}
