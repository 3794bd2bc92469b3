package oom

import (
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/kernlog"
)

// Unit is a kill as systemd reports it for a unit, or systemd-oomd for a cgroup. It names no process.
type Unit struct {
	Time   say.Message `json:"time"`
	Name   string      `json:"name"`   // unit, or path of the cgroup
	By     string      `json:"by"`     // kernel, systemd-oomd, earlyoom, Talos, Slurm, kubelet
	Failed bool        `json:"failed"` // systemd ended the unit for it, or found it ended: result oom-kill
	// that systemd-oomd killed
	Processes int `json:"processes,omitempty"`
	// of the unit in its life, rounded as systemd writes it
	Peak     *unit.Bytes `json:"memory_peak_bytes,omitempty"`
	SwapPeak *unit.Bytes `json:"swap_peak_bytes,omitempty"`
	// why systemd-oomd did it: memory_used, swap_used, memory_pressure
	Reason   string      `json:"reason,omitempty"`
	Used     *unit.Bytes `json:"used_bytes,omitempty"`  // of the host's memory, or of its swap
	Total    *unit.Bytes `json:"total_bytes,omitempty"` // likewise
	Pressure *float64    `json:"pressure_percent,omitempty"`
	Most     *float64    `json:"pressure_limit_percent,omitempty"`
	// the cgroup whose pressure that is, if it is not the one that was killed, and for how long: 20s
	PressureOf  string `json:"pressure_of,omitempty"`
	PressureFor string `json:"pressure_for,omitempty"`
	// reported by a container runtime, for a container; Name is its pod, or "" if not reported
	Container bool `json:"container,omitempty"`
	// systemd-oomd found too little memory and kills for it; what it killed is not in the logs
	Over bool `json:"over_limit,omitempty"`
	// the kubelet found an OOM kill in the kernel log; Name is the cgroup of the container
	Seen bool `json:"seen_by_kubelet,omitempty"`
	// memory limit of the container
	Limit *unit.Bytes `json:"limit_bytes,omitempty"`
	// the kubelet evicted the pod of the container Name, whose memory RSS is; Available is that of the node
	Evicted bool `json:"evicted,omitempty"`
	// the process that earlyoom sent a signal, whose name is Name; absent if it is not that
	PID    int         `json:"pid,omitempty"`
	Signal string      `json:"signal,omitempty"`
	RSS    *unit.Bytes `json:"rss_bytes,omitempty"`
	Stays  bool        `json:"did_not_exit,omitempty"` // earlyoom says so
	// earlyoom sent SIGTERM first
	Escalated bool `json:"escalated,omitempty"`
	// earlyoom found no process that it may kill
	Nobody bool `json:"no_process,omitempty"`
	// earlyoom saw little available memory and sent no signal
	Low bool `json:"low_memory,omitempty"`
	// what of memory and swap earlyoom saw before
	Available *unit.Bytes `json:"available_bytes,omitempty"`
	SwapFree  *unit.Bytes `json:"swap_free_bytes,omitempty"`
	SwapTotal *unit.Bytes `json:"swap_total_bytes,omitempty"`
}

// ByTalos is who killed where the OOM controller of Talos did, BySlurm who reports a kill in a step of a job.
const (
	ByTalos = "Talos"
	BySlurm = "Slurm"
	// ByKubelet is who evicted a pod.
	ByKubelet = "kubelet"
)

// Unread are lines with words of a kill that were not understood.
type Unread struct {
	What  string `json:"what"` // the words
	Lines int    `json:"lines"`
	First string `json:"first"`
}

const oomMaxUnits = 50

// unitsOf sums up what systemd and systemd-oomd report, one entry for each kill of a unit.
func unitsOf(log *Log, f *Facts) []Unit {
	out := []Unit{}
	for i := range log.Other {
		o := &log.Other[i]
		u := Unit{Time: oomTime(o.At, f), Name: o.Name, By: "kernel", Processes: o.Processes, Peak: o.Peak,
			SwapPeak: o.SwapPeak, Reason: string(o.Why), Used: o.Used, Total: o.Total, Pressure: o.Pressure,
			Most: o.Most}
		switch o.Kind {
		case kernlog.UnitKilled:
		case kernlog.UnitFailed:
			u.Failed = true
		case kernlog.OomdOver:
			u.By, u.Over, u.PressureOf, u.PressureFor = "systemd-oomd", true, o.Of, o.For
		case kernlog.KubeletSaw:
			u.By, u.Seen = ByKubelet, true
		case kernlog.OomdKilled, kernlog.OomdUnit:
			u.By, u.PressureFor = "systemd-oomd", o.For
			if o.Of != o.Name {
				u.PressureOf = o.Of
			}
		case kernlog.EarlyOOM:
			u.By, u.PID, u.Signal, u.RSS, u.Used = "earlyoom", o.PID, o.Signal, o.Used, nil
			u.Stays, u.Escalated = o.Stays, o.Escalated
			u.level(o.Level)
		case kernlog.EarlyNone:
			u.By, u.Nobody = "earlyoom", true
			u.level(o.Level)
		case kernlog.EarlyLow:
			u.By, u.Low = "earlyoom", true
			u.level(o.Level)
		case kernlog.SlurmKilled:
			u.By = BySlurm
		case kernlog.TalosKilled:
			u.By, u.Signal = ByTalos, "SIGKILL"
		case kernlog.ContainerKilled:
			u.Container, u.Limit = true, o.Limit
		case kernlog.Evicted:
			u.By, u.Evicted, u.RSS, u.Used, u.Available = ByKubelet, true, o.Used, nil, o.Left
		default:
			continue
		}
		if at := lastOf(out, &u, o.Kind); at != nil {
			at.add(&u)
		} else if len(out) < oomMaxUnits {
			out = append(out, u)
		}
	}
	return settled(out, log)
}

// settled leaves out what others report of a kill that is in the logs: what systemd-oomd found before it killed, and
// what the kubelet found in the kernel's log.
func settled(list []Unit, log *Log) []Unit {
	killed := slices.ContainsFunc(list, func(u Unit) bool { return u.By == "systemd-oomd" && !u.Over })
	return slices.DeleteFunc(list, func(u Unit) bool {
		return u.Over && killed || (u.Seen || u.Low) && len(log.Reports) > 0
	})
}

func (u *Unit) level(l *kernlog.Level) {
	if l != nil {
		u.Available, u.Total, u.SwapFree, u.SwapTotal = &l.Available, &l.Total, &l.SwapFree, &l.SwapTotal
	}
}

// looked is the last list of what systemd-oomd could kill; nil if it killed, or listed nothing.
func looked(log *Log, units []Unit, f *Facts) *Looked {
	if slices.ContainsFunc(units, func(u Unit) bool { return u.By == "systemd-oomd" }) {
		return nil
	}
	for _, o := range slices.Backward(log.Other) {
		if o.Kind == kernlog.OomdLooked {
			return &Looked{oomTime(o.At, f), o.Cgroups, o.Name}
		}
	}
	return nil
}

// asked is the last request for a kill; nil where a report of one was read.
func asked(log *Log, f *Facts) *Asked {
	if slices.ContainsFunc(log.Reports, func(r kernlog.Report) bool { return r.Manual }) {
		return nil
	}
	for _, o := range slices.Backward(log.Other) {
		if o.Kind == kernlog.AskedKill {
			return &Asked{oomTime(o.At, f)}
		}
	}
	return nil
}

// lastOf is the entry that a further line about the same kill belongs to: systemd reports that a unit failed, or what
// systemd-oomd killed in it, after the kill.
func lastOf(list []Unit, u *Unit, kind kernlog.Kind) *Unit {
	if kind != kernlog.UnitFailed && kind != kernlog.OomdUnit {
		return nil
	}
	for i, u2 := range slices.Backward(list) {
		if u2.Name == u.Name || u2.By == "systemd-oomd" && (oomUnit(u2.Name) == u.Name && u.Name != "" ||
			lastPart(u2.Name) == u.Name) {
			return &list[i]
		}
	}
	return nil
}

func (u *Unit) add(more *Unit) {
	u.Failed = u.Failed || more.Failed
	u.Processes = max(u.Processes, more.Processes)
	if more.Peak != nil {
		u.Peak, u.SwapPeak = more.Peak, more.SwapPeak
	}
}
