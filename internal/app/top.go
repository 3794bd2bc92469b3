package app

import (
	"context"
	"errors"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// Live is a host and one of its instances, to be looked at again and again.
type Live struct {
	Label        string // of the instance, "" for none
	CPUs         int
	Connections  int        // max_connections
	Limit        unit.Bytes // of the memory, by a control group; 0: the host's memory alone
	HostUnseen   *known.Gap // why the host is not looked at
	ServerUnseen *known.Gap // why no server is asked

	*sample.Looker
	ctx context.Context
}

// Server looks at the server; nil where there is none to ask.
func (s *Live) Server() *now.ServerLook { return s.Looker.Server(s.ctx) }

// Live says what is looked at again and again, from what was found at first. ctx ends
// questions to the server; Close ends the connection.
func (l *Session) Live(ctx context.Context) (*Live, error) {
	in, err := watchedInstance(l.Snapshot)
	if err != nil {
		return nil, err
	}
	if in == nil && len(l.Snapshot.Instances) == 1 { // it does not run now, and may come up
		in = &l.Snapshot.Instances[0]
	}
	subject := &Live{ctx: ctx}
	opt := sample.Options{Target: l.host.Target}
	if cpu, ok := l.Snapshot.Host.CPU.Get(); ok {
		subject.CPUs = cpu.Logical
	}
	if !l.Snapshot.HostSeen {
		subject.HostUnseen = &known.Gap{Reason: "the server runs on another host", Reveal: "run pgfettle there"}
	}
	if in == nil {
		subject.ServerUnseen = &known.Gap{Reason: "no instance runs here", Reveal: "name one: a data directory or a conninfo"}
		subject.Looker = sample.New(opt)
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
		opt.Postmaster = l.host.postmasterLive(in)
	}
	subject.Looker = sample.New(opt)
	return subject, nil
}

// connectLive says how to reach the server, each time anew.
func (l *Session) connectLive(in *snapshot.Instance) func() (collect.Connect, error) {
	if l.Collected != nil && l.Collected.Kind == collect.Conninfo {
		how := collect.Connect{Conninfo: l.Collected.Value}
		return func() (collect.Connect, error) { return how, nil }
	}
	dir, ok := in.DataDirectory.Get()
	if !ok {
		g := in.DataDirectory.Gap()
		return func() (collect.Connect, error) {
			return collect.Connect{}, &say.Problem{Message: "the data directory is not known: " + g.Reason, Hint: g.Reveal, Code: say.CodeNoAccess}
		}
	}
	return func() (collect.Connect, error) { return collect.ConnectLocal(l.host.Target, dir) }
}

// postmasterLive tells the postmaster's process id: of the lock file, as a server
// may be restarted, else as it was found at first.
func (h *Host) postmasterLive(in *snapshot.Instance) func() (int, error) {
	pid, _ := h.instanceProcesses(in)
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
			return 0, &say.Problem{Message: "the postmaster is not known", Hint: "run pgfettle as root or as the owner of the data directory"}
		}
		return pid, nil
	}
}
