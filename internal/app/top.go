package app

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// Live is a host and one of its instances, to be examined again and again.
type Live struct {
	Label        string // of the instance, "" for none
	CPUs         int
	Connections  int        // max_connections
	Limit        unit.Bytes // of the memory, by a cgroup; 0: the host's memory alone
	HostUnseen   *known.Gap // why the host is not examined
	ServerUnseen *known.Gap // why no server is asked

	*sample.Top
	ctx context.Context
}

// Server looks at the server; nil if there is none to ask.
func (s *Live) Server() *now.ServerLook { return s.Top.Server(s.ctx) }

// Live says what is examined again and again, from what was found at first. ctx ends questions to the server; Close
// ends the connection.
func (l *Session) Live(ctx context.Context) (*Live, error) {
	in, err := WatchedInstance(l.Snapshot)
	if err != nil {
		return nil, err
	}
	if in == nil && len(l.Snapshot.Instances) == 1 { // it does not run now, and may come up
		in = &l.Snapshot.Instances[0]
	}
	subject := &Live{ctx: ctx}
	opt := sample.TopOptions{Target: l.Host.Target}
	if cpu, ok := l.Snapshot.Host.CPU.Get(); ok {
		subject.CPUs = cpu.Logical
	}
	if !l.Snapshot.HostSeen {
		subject.HostUnseen = &known.Gap{Reason: "the server runs on another host", Reveal: "run pgfettle on that host"}
	}
	if in == nil {
		subject.ServerUnseen = &known.Gap{Reason: "no instance is running on this host",
			Reveal: "name a data directory or a conninfo"}
		subject.Top = sample.NewTop(opt)
		return subject, nil
	}
	subject.Label = in.Label()
	if limit, limited := l.Snapshot.MemoryLimit(in); limited {
		subject.Limit, _ = limit.Get()
	}
	set, _ := in.Server.Settings.Get()
	if n, ok := set.Int("max_connections"); ok {
		subject.Connections = int(n)
	}
	opt.Connect = l.connectLive(in)
	if l.Snapshot.HostSeen {
		opt.Postmaster = l.Host.postmasterLive(in)
	}
	subject.Top = sample.NewTop(opt)
	return subject, nil
}

// connectLive says how to reach the server, again each time.
func (l *Session) connectLive(in *snapshot.Instance) func() (pgclient.Connect, error) {
	if l.Collected != nil && l.Collected.Kind == collect.Conninfo {
		how := pgclient.Connect{Conninfo: l.Collected.Value}
		return func() (pgclient.Connect, error) { return how, nil }
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		g := in.DataDirectory.Gap()
		return func() (pgclient.Connect, error) {
			return pgclient.Connect{}, &say.Problem{Message: say.M("data directory unknown: {reason}", "reason",
				gapwords.Arg(g.Reason)), Hint: gapwords.Of(g.Reveal), Code: say.CodeNoAccess}
		}
	}
	return func() (pgclient.Connect, error) { return collect.ConnectLocal(l.Host.Target, dir) }
}

// postmasterLive returns the postmaster's process ID: from the lock file, as a server may be restarted, else as it was
// found at first.
func (h *Host) postmasterLive(in *snapshot.Instance) func() (int, error) {
	pid, _ := h.InstanceProcesses(in)
	dir, ok := in.DataDirectory.Get()
	return func() (int, error) {
		if ok {
			lock, err := collect.ReadLock(h.Target, dir)
			if err == nil {
				return lock.PID, nil
			}
			if errors.Is(err, fs.ErrNotExist) && pid == 0 {
				return 0, err
			}
		}
		if pid == 0 {
			return 0, &say.Problem{Message: say.M("postmaster unknown"),
				Hint: say.M("Run pgfettle as root or as the owner of the data directory.")}
		}
		return pid, nil
	}
}

// WatchedInstance is the instance that is watched; nil if none runs.
func WatchedInstance(s *snapshot.Snapshot) (*snapshot.Instance, error) {
	var found *snapshot.Instance
	var labels []string
	for i := range s.Instances {
		if up, ok := s.Instances[i].Running.Get(); ok && !up {
			continue
		}
		found, labels = &s.Instances[i], append(labels, s.Instances[i].Label())
	}
	if len(labels) > 1 {
		return nil, say.Usage(say.M("{n} instances are running on this host, but only one can be shown", "n",
			len(labels)),
			say.M("Name one as TARGET: {labels}.", "labels", say.Names(labels, 0)))
	}
	return found, nil
}

// InstanceProcesses returns the postmaster's process ID and the directory of its cgroup, "" if it has none or it cannot
// be seen.
func (h *Host) InstanceProcesses(in *snapshot.Instance) (pid int, group string) {
	if list, ok := in.Processes.Get(); ok && len(list) > 0 {
		pid = list[0].PID
	}
	cg, ok := in.CGroup.Get()
	if !ok || cg.Path == "/" {
		return pid, ""
	}
	for _, place := range [][2]string{{"/sys/fs/cgroup", "memory.current"},
		{"/sys/fs/cgroup/memory", "memory.usage_in_bytes"}} {
		dir := path.Join(place[0], cg.Path)
		if _, err := h.Target.Stat(path.Join(dir, place[1])); err == nil {
			return pid, dir
		}
	}
	return pid, ""
}
