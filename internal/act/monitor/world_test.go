package monitor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// world is a watcher with everything around it simulated except the history.
type world struct {
	t     *testing.T
	w     *Watcher
	store *store.Store
	lines []string // talk
	now   time.Time
	asker *fakeServer
	path  string
	dir   string // of the host's files
}

// clocked is a target whose clock the test sets.
type clocked struct {
	target.Target
	now *time.Time
}

func (c clocked) Now() time.Time { return *c.now }

func newWorld(t *testing.T) *world {
	t.Helper()
	x := &world{t: t, now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC),
		path: filepath.Join(t.TempDir(), "state", "history.db"), asker: newFakeServer()}
	x.begin()
	return x
}

// begin starts a watcher on the history that is there.
func (x *world) begin() {
	x.t.Helper()
	var tg target.Target
	if x.dir == "" {
		tg, x.dir = tree(x.t, maps.Clone(hostFiles))
	} else {
		var err error
		if tg, err = (&target.Local{}).Sub(x.dir); err != nil {
			x.t.Fatal(err)
		}
	}
	kept, err := store.Open(x.path, store.Options{})
	if err != nil {
		x.t.Fatal(err)
	}
	x.store = kept
	x.w = newWatcher(Options{Target: clocked{tg, &x.now}, Interval: DefaultInterval, Look: DefaultLook, Store: kept,
		Dial:   func(context.Context, *snapshot.Instance) (sample.Asker, error) { return x.asker, x.asker.refuses },
		Checks: func() check.Options { return check.Options{Today: "2026-11-21"} },
		Rules:  func(*snapshot.Snapshot) rule.Options { return rule.Options{Profile: rule.Mixed} },
		Tell:   func(_ Level, m say.Message) { x.lines = append(x.lines, m.String()) },
		logs:   func(target.Target, *snapshot.Instance, []string) map[string]string { return nil },
	})
	x.w.recallHost(x.t.Context())
	x.t.Cleanup(func() { x.end() })
}

// end is a clean one, of the watcher and of the store.
func (x *world) end() {
	if x.store == nil {
		return
	}
	x.w.remember(context.WithoutCancel(x.t.Context()))
	x.w.close()
	if err := x.store.Close(); err != nil {
		x.t.Error(err)
	}
	x.store = nil
}

// look takes a snapshot, ten minutes after the last.
func (x *world) look(s *snapshot.Snapshot, sizes ...float64) {
	x.t.Helper()
	x.now = x.now.Add(10 * time.Minute)
	l := looked{at: x.now, snapshot: s, sizes: map[string]float64{}}
	for i, v := range sizes {
		l.sizes[s.Instances[i].Label()] = v
	}
	x.w.take(x.t.Context(), l)
}

// stands looks until what the snapshot shows has lasted long enough to be reported.
func (x *world) stands(s *snapshot.Snapshot, sizes ...float64) {
	x.t.Helper()
	for range heldLooks {
		x.look(s, sizes...)
	}
}

func (x *world) sample() {
	x.t.Helper()
	x.now = x.now.Add(10 * time.Second)
	x.w.sample(x.t.Context())
}

// events are those of the history since the last call, as one line each.
func (x *world) events() []string {
	x.t.Helper()
	list, err := x.store.EventsBetween(x.t.Context(), history.EventFilter{From: time.Unix(0, 0),
		To: x.now.Add(time.Hour)})
	if err != nil {
		x.t.Fatal(err)
	}
	var out []string
	for _, e := range list {
		if e.ID <= x.seen() {
			continue
		}
		out = append(out, fmt.Sprintf("%s %s %s→%s %s %s", e.Kind, e.Subject, e.Before, e.After, e.Who, e.Where))
	}
	if len(list) > 0 {
		seenEvents.Store(x, list[len(list)-1].ID)
	}
	return out
}

var seenEvents sync.Map

func (x *world) seen() int64 {
	if v, ok := seenEvents.Load(x); ok {
		return v.(int64)
	}
	return 0
}

// told returns the messages since the last call, without the summary of each look.
func (x *world) told() []string {
	var out []string
	for _, l := range x.lines {
		if !strings.HasPrefix(l, "checked; ") {
			out = append(out, l)
		}
	}
	x.lines = nil
	return out
}

// turned are those lines that are of no finding.
func (x *world) turned() []string {
	return slices.DeleteFunc(x.told(), func(l string) bool {
		return strings.HasPrefix(l, "new ") || strings.HasPrefix(l, "resolved: ")
	})
}

// wants verifies that a list has one line for each text, which it contains.
func wants(t *testing.T, what string, have []string, texts ...string) {
	t.Helper()
	ok := len(have) == len(texts)
	for i := 0; ok && i < len(texts); i++ {
		ok = strings.Contains(have[i], texts[i])
	}
	if !ok {
		t.Errorf("%s:\n  have %s\n  want %s", what, strings.Join(have, "\n       "), strings.Join(texts, "\n       "))
	}
}

// described is the snapshot of a host that a person described.
func described(t testing.TB, spec string) *snapshot.Snapshot {
	t.Helper()
	a, err := snapshot.Describe(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Instances) != 1 {
		t.Fatalf("%d instances", len(s.Instances))
	}
	s.Instances[0].DataDirectory = known.Is("/srv/pg")
	return s
}

const small = "ram=16GB,cpus=4,storage=ssd,pg=17"

// set changes a setting of a snapshot, as the file it is now written in has it.
func set(t testing.TB, s *snapshot.Snapshot, name, value, file string, line int64) *snapshot.Snapshot {
	t.Helper()
	all, ok := s.Instances[0].Server.Settings.Get()
	if !ok {
		t.Fatal("no settings")
	}
	v, ok := all[name]
	if !ok {
		t.Fatalf("no setting %s", name)
	}
	v.Value, v.File, v.Line, v.Source = value, file, line, "configuration file"
	all[name] = v
	return s
}

// lines are what the configuration files of a snapshot say.
func lines(s *snapshot.Snapshot, list ...pg.FileSetting) *snapshot.Snapshot {
	s.Instances[0].Server.FileSettings = known.Is(list)
	return s
}

// fakeServer answers samples.
type fakeServer struct {
	values  [sample.Columns]float64
	err     error // of a question
	refuses error // of a connection
	closed  bool
	asked   int
}

func newFakeServer() *fakeServer {
	f := &fakeServer{}
	f.values[sample.ColStart], f.values[sample.ColCrash] = 1_700_000_000, 1_700_000_000
	return f
}

func (f *fakeServer) Ask(_ context.Context, sql, _ string) ([]string, error) {
	f.asked++
	if f.err != nil {
		return nil, f.err
	}
	if sql == sample.SizeSQL {
		return []string{"1000"}, nil
	}
	var out []string
	for _, v := range f.values {
		out = append(out, fmt.Sprintf("%.6f", v))
	}
	return out, nil
}
func (f *fakeServer) Major() int            { return 17 }
func (f *fakeServer) Closed() bool          { return f.closed }
func (f *fakeServer) Close(context.Context) {}

// memory is a store for tests: it counts, and fails on request.
type memory struct {
	err     error
	samples int
	points  int
	events  []history.Event
	state   map[string][]byte
}

func (m *memory) Append(_ context.Context, _ time.Time, p []history.Point) error {
	if m.err == nil {
		m.samples++
		m.points = len(p)
	}
	return m.err
}

func (m *memory) AppendEvent(_ context.Context, e history.Event) (history.Event, error) {
	if m.err == nil {
		m.events = append(m.events, e)
	}
	return e, m.err
}

func (m *memory) AppendSettings(context.Context, time.Time, string, map[string]history.Setting) ([]history.Event,
	error) {
	return nil, m.err
}

func (m *memory) AppendFindings(context.Context, time.Time, []history.Finding) ([]history.Event, error) {
	return nil, m.err
}

func (m *memory) SettingsAt(context.Context, string, time.Time) (map[string]string, error) {
	return nil, m.err
}
func (m *memory) Findings(context.Context) ([]history.Finding, error) { return nil, m.err }

func (m *memory) Remember(_ context.Context, key string, v []byte) error {
	if m.err == nil {
		if m.state == nil {
			m.state = map[string][]byte{}
		}
		m.state[key] = v
		if !json.Valid(v) {
			return errors.New("no JSON")
		}
	}
	return m.err
}

func (m *memory) Recall(_ context.Context, key string) ([]byte, error) { return m.state[key], m.err }
