package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// units are kills as others than the kernel report them.
func (p oomWords) units(o *outline.Outline, d *oom.Report) {
	if len(d.Units) == 0 || len(d.Units) == 1 && len(d.Kills)+len(d.Unexplained) == 0 { // the verdict has it
		return
	}
	if slices.ContainsFunc(d.Units, notSystemd) {
		o.Part(p.Say("Reported by programs other than the kernel"))
	} else {
		o.Part(p.Say("Reported by systemd"))
	}
	var list []outline.Item
	said := len(d.Kills)+len(d.Unexplained) == 0 // that an eviction is no kill, by the verdict
	for i := range d.Units {
		u := &d.Units[i]
		text := unitOf(u)
		if u.Evicted && said {
			text = evictedWhat(u)
		}
		said = said || u.Evicted
		list = append(list, outline.Item{Text: outline.Join(p.flat(say.All(" ", u.Time, text)))})
	}
	o.List(list)
}

// notSystemd reports whether a kill is reported by another program than systemd.
func notSystemd(u oom.Unit) bool {
	return u.Container || u.Evicted || u.Seen || u.By == "earlyoom" || u.By == oom.ByTalos || u.By == oom.BySlurm
}

// unitOf is a kill as systemd, systemd-oomd, earlyoom or a container runtime reports it.
func unitOf(u *oom.Unit) say.Message {
	switch {
	case u.Low:
		return say.All(" ", say.M("earlyoom saw little available memory, and the logs do not show that it sent "+
			"a signal: "+
			"it does so only if both available memory and free swap are below its limits."), levelOf(u))
	case u.Nobody:
		return say.All(" ", say.M("earlyoom saw too little available memory and free swap, but it found no "+
			"process that it could kill."), levelOf(u))
	case u.By == "earlyoom":
		return earlyOOM(u)
	case u.By == oom.BySlurm:
		return say.N(max(u.Processes, 1), "Slurm reports {n} OOM kill in the step {step}. It does not report "+
			"which process was killed, nor its memory.", "Slurm reports {n} OOM kills in the step {step}. It does "+
			"not report which processes were killed, nor their memory.", "step", u.Name)
	case u.By == oom.ByTalos:
		return say.M("The OOM controller of Talos killed all processes of the cgroup {group}. It is a program in user "+
			"space, not the kernel's OOM killer.", "group", u.Name)
	case u.Evicted:
		return say.All(" ", evictedWhat(u), evictionIsNone())
	case u.Seen && u.Name != "":
		return say.M("The kubelet reports an OOM kill in the cgroup {group}. It does not report which process was "+
			"killed, nor its memory.", "group", u.Name)
	case u.Seen:
		return say.M("The kubelet reports an OOM kill in a container. It does not report which process was killed, " +
			"nor its memory.")
	case u.Over:
		return oomdOver(u)
	case u.Container:
		return inContainer(u)
	}
	what := say.M("systemd reports an OOM kill in {unit}.", "unit", u.Name)
	switch {
	case u.By == "systemd-oomd" && u.Processes > 0:
		what = say.N(u.Processes, "systemd-oomd killed {n} process of {unit}.",
			"systemd-oomd killed {n} processes of {unit}.", "unit", u.Name)
	case u.By == "systemd-oomd":
		what = say.M("systemd-oomd killed {unit}.", "unit", u.Name)
	}
	var failed, peak say.Message
	if u.Failed {
		failed = say.M("The unit failed with the result oom-kill: systemd stops a unit after such a kill, unless " +
			"OOMPolicy=continue is set.")
	}
	switch {
	case u.Peak != nil && u.SwapPeak != nil:
		peak = say.M("Peak memory of the unit: {memory}, including page cache; peak swap: {swap}.", "memory", *u.Peak,
			"swap", *u.SwapPeak)
	case u.Peak != nil:
		peak = say.M("Peak memory of the unit: {memory}, including page cache.", "memory", *u.Peak)
	}
	return say.All(" ", what, oomdReason(u), failed, peak)
}

func earlyOOM(u *oom.Unit) say.Message {
	var stays say.Message
	if u.Stays {
		stays = say.M("earlyoom reports that the process did not exit.")
	}
	return say.All(" ", earlyWhat(u), say.M("Available memory and free swap were below its limits."), fromUserSpace(),
		levelOf(u), stays)
}

// earlyWhat is what earlyoom did.
func earlyWhat(u *oom.Unit) say.Message {
	var signal any = u.Signal
	if u.Signal == "" {
		signal = say.M("a signal")
	}
	if u.Escalated {
		signal = say.M("SIGTERM and then SIGKILL")
	}
	if u.RSS != nil {
		return say.M("earlyoom sent {signal} to {name} (process {pid}), which had {size} of resident memory.", "signal",
			signal, "name", u.Name, "pid", pidOf(u.PID), "size", *u.RSS)
	}
	return say.M("earlyoom sent {signal} to {name} (process {pid}).", "signal", signal, "name", u.Name, "pid",
		pidOf(u.PID))
}

func fromUserSpace() say.Message {
	return say.M("The signal came from a program in user space, not from the kernel's OOM killer.")
}

// oomdOver is what systemd-oomd found before it kills.
func oomdOver(u *oom.Unit) say.Message {
	percent := func(f *float64) say.Number { return say.Number(fmt.Sprintf("%.2f%%", *f)) }
	var what say.Message
	switch {
	case u.Reason == "memory_pressure" && u.Most != nil:
		what = say.M("systemd-oomd found the memory pressure of {cgroup} above its limit of {limit}.", "cgroup",
			u.PressureOf, "limit", percent(u.Most))
	case u.Reason == "swap_used" && u.Used != nil && u.Total != nil:
		what = say.M("systemd-oomd found the swap of the host nearly used up: {used} of {total}.", "used", *u.Used,
			"total", *u.Total)
	default:
		what = say.M("systemd-oomd found memory and swap of the host nearly used up.")
	}
	return say.All(" ", what, pressureFor(u), say.M("It then kills a cgroup. Which one it killed is not in the logs "+
		"that were read."))
}

// unitBrief is the first sentence about a kill that a list below describes.
func unitBrief(u *oom.Unit) say.Message {
	switch {
	case u.Evicted:
		return say.All(" ", say.M("The kubelet evicted a pod because the node was low on memory."), evictionIsNone())
	case u.By == "earlyoom" && !u.Nobody && !u.Low:
		brief := *u
		brief.RSS = nil
		return say.All(" ", earlyWhat(&brief), fromUserSpace())
	}
	return unitOf(u)
}

// levelOf is what of memory and swap earlyoom saw.
func levelOf(u *oom.Unit) say.Message {
	if u.Available == nil || u.Total == nil || u.SwapFree == nil || u.SwapTotal == nil {
		return say.Message{}
	}
	memory := say.M("Of {total} of memory, {size} was available.", "total", *u.Total, "size", *u.Available)
	if *u.SwapTotal == 0 {
		return memory
	}
	return say.All(" ", memory, say.M("Of {total} of swap, {size} was free.", "total", *u.SwapTotal, "size",
		*u.SwapFree))
}

// oomdReason is why systemd-oomd killed.
func oomdReason(u *oom.Unit) say.Message {
	percent := func(f float64) say.Number { return say.Number(fmt.Sprintf("%.2f%%", f)) }
	switch {
	case u.Reason == "memory_pressure" && u.Pressure != nil && *u.Pressure > 100:
		return say.M("It reports a memory pressure of {pressure}. More than 100% is impossible, so the pressure that "+
			"it read was wrong.", "pressure", percent(*u.Pressure))
	case u.Reason == "memory_pressure" && u.Pressure != nil && u.Most != nil:
		return say.All(" ", pressureOf(u, percent(*u.Pressure), percent(*u.Most)), pressureFor(u))
	case u.Reason == "memory_pressure":
		return say.M("The reason was memory pressure.")
	case u.Reason == "swap_used" && u.Used != nil && u.Total != nil:
		return say.M("The swap of the host was nearly used up: {used} of {total}.", "used", *u.Used, "total", *u.Total)
	case u.Reason == "swap_used" && u.Used != nil:
		return say.M("The swap of the host was nearly used up: {used}.", "used", *u.Used)
	case u.Reason == "swap_used":
		return say.M("The swap of the host was nearly used up.")
	case u.Reason == "memory_used" && u.Used != nil && u.Total != nil:
		return say.M("Memory and swap of the host were nearly used up; memory: {used} of {total}.", "used", *u.Used,
			"total", *u.Total)
	case u.Reason == "memory_used" && u.Used != nil:
		return say.M("Memory and swap of the host were nearly used up; memory: {used}.", "used", *u.Used)
	case u.Reason == "memory_used":
		return say.M("Memory and swap of the host were nearly used up.")
	}
	return say.Message{}
}

// pressureOf is whose pressure made systemd-oomd kill.
func pressureOf(u *oom.Unit, pressure, limit say.Number) say.Message {
	if u.PressureOf == "" {
		return say.M("Its tasks were stalled on memory {pressure} of the time (memory pressure, limit {limit}).",
			"pressure", pressure, "limit", limit)
	}
	return say.M("The tasks of {cgroup} together were stalled on memory {pressure} of the time (memory pressure, "+
		"limit {limit}); systemd-oomd chose the cgroup to kill among those in it.", "cgroup", u.PressureOf, "pressure",
		pressure, "limit", limit)
}

// spaced parts a time as systemd writes it: 1min 30s.
var spaced = regex.New(`\d+|[a-z]+`)

// pressureFor is how long it had been so.
func pressureFor(u *oom.Unit) say.Message {
	if u.PressureFor == "" {
		return say.Message{}
	}
	return say.M("The pressure had been above the limit for more than {time}.", "time",
		say.Number(strings.Join(spaced.FindAllString(u.PressureFor, 4), " ")))
}

// evictedWhat is what the kubelet did before the kernel had to kill.
func evictedWhat(u *oom.Unit) say.Message {
	what := say.M("The kubelet evicted a pod because the node was low on memory.")
	var used, left say.Message
	if u.Name != "" && u.RSS != nil {
		used = say.M("Its container {name} was using {size}.", "name", u.Name, "size", *u.RSS)
	}
	if u.Available != nil {
		left = say.M("{size} of memory was available on the node.", "size", *u.Available)
	}
	return say.All(" ", what, used, left)
}

// evictionIsNone says that an eviction is none.
func evictionIsNone() say.Message {
	return say.M("An eviction is not an OOM kill: the kubelet terminates the pod before the node runs out of memory.")
}

// inContainer is about a container whose runtime reports a kill.
func inContainer(u *oom.Unit) say.Message {
	what := say.M("The container runtime reports an OOM kill (OOMKilled) in a container. It does not report which " +
		"process was killed, nor its memory.")
	if u.Name != "" {
		what = say.M("The container runtime reports an OOM kill (OOMKilled) in a container of {name}. It does not "+
			"report which process was killed, nor its memory.", "name", u.Name)
	}
	if u.Limit == nil {
		return what
	}
	return say.All(" ", what, say.M("The memory limit of the container is {limit}.", "limit", *u.Limit))
}
