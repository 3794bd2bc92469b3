package memory

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Others is what programs other than the instances, and the kernel, hold of a
// host's memory and cannot give back, as a plan counts it: not what they hold
// this second, or a plan of the next second would be another one.
type Others struct {
	Held    unit.Bytes   // by the source
	Counted unit.Bytes   // Held rounded up to a step; what is kept for them
	Source  OthersSource //
	At      int64        // of a peak: seconds since the epoch, to the hour
	Limits  unit.Bytes   // part of Held that services do not hold, but may by their limits
}

// OthersSource is the source of the number.
type OthersSource string

// The sources, the best first.
const (
	OthersHistory   OthersSource = "history"   // the peak of a week that was watched
	OthersServices  OthersSource = "services"  // enabled services, containers, and what has run for a day
	OthersNow       OthersSource = "now"       // processes that have run for ten minutes
	OthersDescribed OthersSource = "described" // a host given by a description
	// all anonymous memory outside the instances: processes are not distinguished
	OthersAnonymous OthersSource = "anonymous"
	// unknown: what free prints covers instances and other programs alike
	OthersUnknown OthersSource = "unknown"
)

const (
	// othersWeek is how many days of samples a history needs to cover the jobs of a week: seven, minus the gaps of
	// restarts and upgrades of watch. othersFresh, in seconds, is how old its last one may be: a service that was
	// installed since is not in it.
	othersWeek  = 6.5
	othersFresh = 24 * 3600
	// Lasting, in seconds, is from which age a process counts: a compiler, a log
	// rotation, a cron job and pgfettle itself are gone by then.
	Lasting = 600
	// ofTheDay, in seconds, is the age from which a process outside enabled services and containers counts: a session's
	// build or a backup by cron ends within its day, what outlives it is a server that was started without a service.
	ofTheDay = 24 * 3600
	// limitsShare is the part of the memory that limits of services may add to what these hold: MemoryMax= of each of
	// ten services limits a runaway and does not expect all ten at once.
	limitsShare = 8
)

// jobRunners are services whose processes are jobs of others: on Debian those of cron stay in its cgroup.
var jobRunners = map[string]bool{"cron.service": true, "crond.service": true, "cronie.service": true,
	"atd.service": true, "anacron.service": true}

// OthersOf returns what other programs count for; false if the memory of the host is not known.
func OthersOf(s *snapshot.Snapshot) (Others, bool) {
	m, ok := s.Host.Memory.Get()
	if !ok {
		return Others{}, false
	}
	o := othersNow(s, m)
	h, _ := s.History.Get()
	if p := h.Others; p != nil && p.Days >= othersWeek && s.TakenAt-p.To <= othersFresh {
		o = Others{Held: unit.Bytes(p.Value), Source: OthersHistory, At: p.At}
	}
	o.Held = min(o.Held, m.Total)
	o.Counted = StepOf(o.Held, m.Total)
	return o, true
}

// OthersSeen is what a history samples: what counts now, before it is rounded.
func OthersSeen(s *snapshot.Snapshot) (unit.Bytes, bool) {
	m, ok := s.Host.Memory.Get()
	return othersNow(s, m).Held, ok
}

// othersNow adds up the present processes. Shared memory and file pages are not included, nor is what the kernel can
// reclaim.
func othersNow(s *snapshot.Snapshot, m host.Memory) Others {
	// The reserve is there for the kernel: what it holds counts only beyond half of
	// that. It moves with every burst of files and processes.
	kernel := max(m.SlabUnreclaim+m.KernelStack-ReserveOf(m.Total)/2, 0)
	if s.TakenAt == 0 {
		return Others{Held: anonymous(s, m) + kernel, Source: OthersDescribed}
	}
	list, ok := s.Host.Residents.Get()
	if !ok && !m.Told("AnonPages").Known() {
		return Others{Held: snapshot.FreshlyInstalled(m.Total), Source: OthersUnknown}
	}
	boot, ok2 := s.Host.CPUTime.Get()
	virt, _ := s.Host.Virt.Get()
	up := float64(s.TakenAt - boot.BootTime)
	if !ok || !ok2 || up <= 0 || virt.Container != "" { // in a container the processes of the host are not seen
		return Others{Held: anonymous(s, m) + kernel, Source: OthersAnonymous}
	}
	o := Others{Source: OthersNow, Held: kernel + list.Small}
	systemd := false
	for _, g := range list.Groups {
		systemd = systemd || g.Service()
	}
	if systemd {
		o.Source = OthersServices
	}
	for _, g := range list.Groups {
		held := lastingMemory(g, up, systemd)
		o.Held += held
		if limit, ok := g.Limit.Get(); ok && systemd && service(g) && limit < m.Total {
			o.Limits += max(limit-held, 0)
		}
	}
	o.Limits = min(o.Limits, m.Total/limitsShare)
	o.Held += o.Limits
	return o
}

// service reports whether systemd starts the group's programs at boot.
func service(g host.Residence) bool {
	on, _ := g.Enabled.Get()
	return on && g.Service() && !jobRunners[path.Base(g.Group)]
}

// lastingMemory is the private memory of a group's processes that are old enough to count. If systemd runs services,
// the others count after a day.
func lastingMemory(g host.Residence, up float64, systemd bool) unit.Bytes {
	age := float64(Lasting)
	if systemd && !service(g) && !g.Container() && !g.Servers {
		age = ofTheDay
	}
	sum := unit.Bytes(0)
	for _, p := range g.Members {
		if up-p.Since >= age {
			sum += p.Private
		}
	}
	if once, ok := g.Anon.Get(); ok && !g.Servers {
		sum = min(sum, once) // what a process shares with those that it forked is in each
	}
	return sum
}

// anonymous is all anonymous memory less that of the instances and neighbors.
func anonymous(s *snapshot.Snapshot, m host.Memory) unit.Bytes {
	ours := unit.Bytes(0)
	for _, list := range [][]snapshot.Instance{s.Instances, s.Neighbours} {
		for i := range list {
			// If processes cannot be seen, nothing is subtracted: then too much is reserved for others, never too
			// little.
			ps, _ := list[i].Processes.Get()
			for _, p := range ps {
				ours += p.Anon
			}
		}
	}
	return max(m.AnonPages-ours, 0)
}
