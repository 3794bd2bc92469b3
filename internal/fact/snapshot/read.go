package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/host/cgroup"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Limits for untrusted evidence. A host runs some ten instances, and max_connections ends at 262,143, a value not seen
// in practice.
const (
	maxInstances = 1000
	maxProcesses = 100_000 // of all instances together
)

// taken is evidence.json.
type taken struct {
	Tool     string `json:"tool"`
	TakenAt  int64  `json:"taken_at"`
	HostSeen bool   `json:"host_seen"`
	Root     bool   `json:"root"`

	Assumed []Assumption `json:"assumed"`
}

// listed is an entry of instances.json. A missing field is unknown; the file pg/KEY/FIELD of the evidence has the
// reason.
type listed struct {
	Key           string   `json:"key"`
	PID           *int     `json:"pid"`
	DataDirectory *string  `json:"data_directory"`
	Port          *int     `json:"port"`
	Running       *bool    `json:"running"`
	BinDir        *string  `json:"bin_dir"`
	Processes     []int    `json:"processes"`
	Unit          *string  `json:"unit"`
	Package       *string  `json:"package"`
	Manager       *string  `json:"manager"`
	StatsDir      *string  `json:"stats_directory"`
	StartedAt     *int64   `json:"started_at"`
	Segment       *int     `json:"segment"`
	Notes         []string `json:"notes"`
	Neighbour     bool     `json:"neighbour"` // Snapshot.Neighbours has it, and not Instances
}

// Read makes the snapshot of what the evidence means. Evidence without a
// readable evidence.json or instances.json is an error; anything else that is
// missing or malformed is a missing fact.
func Read(fsys fs.FS) (*Snapshot, error) {
	fsys = textFS{promised{fsys}}
	var t taken
	if err := document(fsys, "evidence.json", &t); err != nil {
		return nil, err
	}
	var list []listed
	if err := document(fsys, "instances.json", &list); err != nil {
		return nil, err
	}
	if err := bounded(list); err != nil {
		return nil, fmt.Errorf("instances.json: %w", err)
	}
	s := &Snapshot{Schema: Schema, TakenAt: t.TakenAt, HostSeen: t.HostSeen, Root: t.Root,
		Described: t.Tool == described, Assumed: t.Assumed, Instances: make([]Instance, 0, len(list))}
	hostFS := fsys
	if !t.HostSeen {
		hostFS = unseen{}
	}
	s.Host = host.Read(hostFS)
	s.Measured = measured.Read(fsys)
	if !t.HostSeen {
		s.Measured = known.None[measured.Probe](known.Gap{Fact: measured.File, Reason: "nothing of the host was seen"})
	}
	for _, l := range list {
		in := readInstance(fsys, hostFS, l)
		if l.Neighbour {
			s.Neighbours = append(s.Neighbours, in)
			continue
		}
		s.Instances = append(s.Instances, in)
	}
	s.remember(history.Read(fsys))
	if err := document(fsys, "strangers.json", &s.Strangers); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(s.Strangers) > maxInstances {
		return nil, fmt.Errorf("strangers.json: more than %d instances", maxInstances)
	}
	return s, nil
}

// remember adds what a history reports to the host and its instances. An instance that was never watched has none.
func (s *Snapshot) remember(peaks known.Fact[history.Peaks]) {
	p, ok := peaks.Get()
	if !ok {
		s.History = known.Map(peaks, func(history.Peaks) History { return History{} })
		return
	}
	s.History = known.Is(History{p.Span, p.Memory, p.Others})
	for i := range s.Instances {
		if in, ok := p.Of(s.Instances[i].Label()); ok {
			s.Instances[i].History = known.Is(in)
		}
	}
}

func document(fsys fs.FS, name string, v any) error {
	b, err := fs.ReadFile(fsys, name)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s: malformed: %w", name, err)
	}
	return nil
}

func bounded(list []listed) error {
	if len(list) > maxInstances {
		return fmt.Errorf("more than %d instances", maxInstances)
	}
	seen, processes := map[string]bool{}, 0
	for i, l := range list {
		if !fs.ValidPath(l.Key) || strings.Contains(l.Key, "/") || l.Key == "." || len(l.Key) > 64 {
			return fmt.Errorf("instance %d: key %.64q is not usable", i+1, l.Key)
		}
		if seen[l.Key] {
			return fmt.Errorf("key %q appears twice", l.Key)
		}
		seen[l.Key] = true
		if processes += len(l.Processes); processes > maxProcesses {
			return fmt.Errorf("more than %d processes", maxProcesses)
		}
		for _, pid := range l.Processes {
			if pid <= 0 {
				return fmt.Errorf("instance %q: process id %d", l.Key, pid)
			}
		}
	}
	return nil
}

func readInstance(fsys, hostFS fs.FS, l listed) Instance {
	in := Instance{Key: l.Key, Notes: l.Notes, Server: pg.Read(fsys, l.Key)}
	in.DataDirectory = field(fsys, l.Key, "data_directory", l.DataDirectory)
	in.Port = field(fsys, l.Key, "port", l.Port)
	in.Running = field(fsys, l.Key, "running", l.Running)
	if up, ok := in.Running.Get(); ok && !up {
		in.Start = pg.ReadStart(hostFS, l.Key)
	}
	in.BinDir = field(hostFS, l.Key, "bin_dir", l.BinDir)
	in.Manager = field(hostFS, l.Key, "manager", l.Manager)
	in.StatsDir = field(hostFS, l.Key, "stats_directory", l.StatsDir)
	in.Places = places(hostFS, l.Key)
	in.Answers = answers(fsys, l.Key)
	in.Unit = field[host.Unit](hostFS, l.Key, "unit", nil)
	if l.Unit != nil {
		in.Unit = host.ReadUnit(hostFS, *l.Unit)
	}
	in.Package = field[host.Package](hostFS, l.Key, "package", nil)
	if l.Package != nil {
		in.Package = host.ReadPackage(hostFS, *l.Package)
	}
	if l.PID == nil || *l.PID <= 0 {
		in.Processes = field[[]host.Process](hostFS, l.Key, "processes", nil)
		in.Limits = field[host.Limits](hostFS, l.Key, "limits", nil)
		in.CGroup = field[host.CGroup](hostFS, l.Key, "cgroup", nil)
		in.Placement = field[host.Placement](hostFS, l.Key, "processes", nil)
		in.Segment = field[host.Segment](hostFS, l.Key, "segment", nil)
		return in
	}
	in.Processes = processes(hostFS, l)
	in.Limits = host.ReadLimits(hostFS, *l.PID)
	in.CGroup = cgroup.Read(hostFS, *l.PID)
	in.Placement = host.ReadPlacement(hostFS, *l.PID)
	in.Segment = segment(hostFS, l)
	return in
}

// field is a value of instances.json, or the reason why it is missing.
func field[T any](fsys fs.FS, key, name string, v *T) known.Fact[T] {
	if v != nil {
		return known.Is(*v)
	}
	at := "pg/" + key + "/" + name
	_, err := fs.ReadFile(fsys, at)
	if err == nil {
		return known.Missed[T](known.Gap{Fact: at, Reason: "not in instances.json"})
	}
	state, gap := evidence.GapOf(at, err)
	if gap.Reason == "no such file" {
		gap.Reason = "there is none"
	}
	return known.Without[T](state, gap)
}

// processes reads every process of an instance, the postmaster first. One that ended while the evidence was taken has
// no files and is omitted; without the postmaster itself, all are unknown.
func processes(fsys fs.FS, l listed) known.Fact[[]host.Process] {
	first := host.ReadProcess(fsys, *l.PID)
	pm, ok := first.Get()
	if !ok {
		return known.Without[[]host.Process](first.State(), first.Gap())
	}
	out := append(make([]host.Process, 0, len(l.Processes)+1), pm)
	for _, pid := range l.Processes {
		if pid == *l.PID {
			continue
		}
		if p, ok := host.ReadProcess(fsys, pid).Get(); ok {
			out = append(out, p)
		}
	}
	return known.Is(out)
}

// segment reads what the kernel reports about the segment that postmaster.pid names.
func segment(hostFS fs.FS, l listed) known.Fact[host.Segment] {
	if l.Segment == nil || l.StartedAt == nil || *l.StartedAt <= 0 {
		f := field[host.Segment](hostFS, l.Key, "segment", nil)
		if f.State() == known.Absent { // a server that runs has one
			return known.Missed[host.Segment](known.Gap{Fact: f.Gap().Fact, Reason: "the evidence does not hold it",
				Reveal: "take the evidence again with pgfettle snapshot"})
		}
		return f
	}
	return known.Map(host.ReadSegment(hostFS, *l.Segment, *l.PID), func(s host.Segment) host.Segment {
		s.StartedAt = *l.StartedAt
		return s
	})
}

func places(fsys fs.FS, key string) known.Fact[[]Place] {
	return evidence.Read(fsys, "pg/"+key+"/places.json", func(b []byte) ([]Place, error) {
		var out []Place
		err := json.Unmarshal(b, &out)
		return out, err
	})
}

// answers reads what the installed binary was asked before. Most evidence has
// none, which is no gap: the plan asks when it needs to.
func answers(fsys fs.FS, key string) []ShmemAnswer {
	f := evidence.Read(fsys, "pg/"+key+"/shmem_answers.json", func(b []byte) ([]ShmemAnswer, error) {
		var out []ShmemAnswer
		err := json.Unmarshal(b, &out)
		return out, err
	})
	out, _ := f.Get()
	return out
}

// unseen is the evidence of a host that was not inspected.
type unseen struct{}

// Open implements fs.FS.
func (unseen) Open(name string) (fs.File, error) { return nil, notSeen(name) }

// ReadFile implements fs.ReadFileFS.
func (unseen) ReadFile(name string) ([]byte, error) { return nil, notSeen(name) }

// ReadDir implements fs.ReadDirFS.
func (unseen) ReadDir(name string) ([]fs.DirEntry, error) { return nil, notSeen(name) }

func notSeen(name string) error {
	return &evidence.Missing{Name: name, State: known.Unread,
		Reason: "the server was reached by SQL only; nothing of its host was seen",
		Reveal: "run pgfettle on the database host"}
}
