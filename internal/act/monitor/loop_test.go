package monitor

import (
	"context"
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// TestLoop: an hour has a sample every ten seconds, a look about every ten
// minutes, and one at once when it is asked for; a policy that cannot be read
// stays; the end is clean.
func TestLoop(t *testing.T) {
	s := described(t, small)
	tg, _ := tree(t, maps.Clone(hostFiles))
	synctest.Test(t, func(t *testing.T) {
		kept, talk, reload := &memory{}, &talker{}, make(chan struct{})
		looks, reread := 0, error(nil)
		ctx, cancel := context.WithCancel(t.Context())
		var states []string
		done := make(chan error)
		go func() {
			done <- Run(ctx, Options{Target: tg, Interval: DefaultInterval, Look: DefaultLook, Store: kept,
				Tell: talk.tell, Reload: reload,
				Collect: func(context.Context) (*snapshot.Snapshot, error) {
					if looks++; looks == 3 {
						return nil, errors.New("the server is starting")
					}
					return s, nil
				},
				Dial: func(context.Context, *snapshot.Instance) (sample.Asker,
					error) {
					return newFakeServer(), nil
				},
				Checks: func() check.Options { return check.Options{} },
				Rules:  func(*snapshot.Snapshot) rule.Options { return rule.Options{Profile: rule.Mixed} },
				Reread: func() error { return reread },
				Manager: &Manager{send: func(s string) { states = append(states, strings.SplitN(s, "\n", 2)[0]) },
					every: 10 * time.Minute},
			})
		}()
		time.Sleep(time.Hour + time.Second)
		synctest.Wait()
		if kept.samples != 361 || looks < 6 || looks > 7 { // of six times ten minutes, a tenth more or less
			t.Errorf("%d samples, %d looks", kept.samples, looks)
		}
		if !slices.Contains(talk.lines, "the full check failed: the server is starting") {
			t.Errorf("talk: %q", talk.lines)
		}
		before := looks
		reload <- struct{}{}
		synctest.Wait()
		if looks != before+1 {
			t.Errorf("%d looks after a reload", looks-before)
		}
		reread = errors.New("policy.toml:3: no such knob")
		reload <- struct{}{}
		synctest.Wait()
		if !slices.Contains(talk.lines, "policy not reloaded: policy.toml:3: no such knob") {
			t.Errorf("talk: %q", talk.lines)
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if len(kept.state[hostKey]) == 0 || len(kept.state[instanceKey+"/srv/pg"]) == 0 {
			t.Error("nothing is remembered")
		}
		want := []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1",
			"RELOADING=1", "READY=1", "RELOADING=1", "READY=1", "STOPPING=1"}
		if !slices.Equal(states, want) {
			t.Errorf("told the manager %q", states)
		}
	})
}

// TestOnce: one look, one sample, and the end.
func TestOnce(t *testing.T) {
	s := described(t, small)
	tg, _ := tree(t, maps.Clone(hostFiles))
	kept, talk := &memory{}, &talker{}
	o := Options{Target: tg, Interval: DefaultInterval, Look: DefaultLook, Once: true, Store: kept, Tell: talk.tell,
		Collect: func(context.Context) (*snapshot.Snapshot, error) { return s, nil },
		Dial:    func(context.Context, *snapshot.Instance) (sample.Asker, error) { return newFakeServer(), nil },
		Checks:  func() check.Options { return check.Options{} },
		Rules:   func(*snapshot.Snapshot) rule.Options { return rule.Options{Profile: rule.Mixed} }}
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	first := kept.points
	if err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if kept.samples != 2 || kept.points <= first {
		t.Errorf("%d samples; %d points, and then %d with the rates since the run before", kept.samples, first,
			kept.points)
	}
	o.Collect = func(context.Context) (*snapshot.Snapshot, error) { return nil, errors.New("no such server") }
	if err := Run(t.Context(), o); err == nil || kept.samples != 2 {
		t.Errorf("%v, %d samples", err, kept.samples)
	}
}

// TestRestarted: a server that was started since the last sample is one event, a crash of one of its processes another,
// and a server that does not answer is reported once each way, and asked again with growing pauses.
func TestRestarted(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	x.sample()
	x.sample()
	wants(t, "nothing", x.turned())
	x.asker.values[sample.ColStart] += 3600
	x.asker.values[sample.ColCrash] = x.asker.values[sample.ColStart]
	x.sample()
	wants(t, "restarted", x.told(), "/srv/pg was restarted at 2023-11-14T23:13:20Z (previous start: "+
		"2023-11-14T22:13:20Z)")
	x.asker.values[sample.ColCrash] += 60
	x.sample()
	wants(t, "crashed", x.told(), "the server restarted after a crash")
	wants(t, "kept", x.events(), "restart  2023-11-14T22:13:20Z→2023-11-14T23:13:20Z", "restart  →2023-11-14T23:14:20Z")

	if b, err := x.store.Recall(t.Context(), instanceKey+"/srv/pg"); err != nil ||
		!strings.Contains(string(b), `"started":1700003600,`) {
		t.Errorf("a run after a kill would tell it again: %s, %v", b, err)
	}

	x.asker.err, x.asker.closed, x.asker.refuses = errors.New("the connection was lost"), true, errors.New("no server")
	before := x.asker.asked
	for range 30 {
		x.sample()
	}
	wants(t, "down", x.told(), "/srv/pg does not answer: the connection was lost")
	if n := x.asker.asked - before; n != 1 {
		t.Errorf("asked %d times", n)
	}
	x.asker.err, x.asker.closed, x.asker.refuses = nil, false, nil
	for range 7 {
		x.sample()
	}
	wants(t, "up", x.told(), "/srv/pg answers again")
}

// TestBackoff: the pauses between two attempts double up to a minute.
func TestBackoff(t *testing.T) {
	var at []int
	now := time.Unix(1_800_000_000, 0)
	began := now
	s := &sample.Server{Dial: func(context.Context) (sample.Asker, error) {
		at = append(at, int(now.Sub(began).Seconds()))
		return nil, errors.New("no")
	}}
	for ; now.Sub(began) < 5*time.Minute; now = now.Add(time.Second) {
		_ = s.Sample(t.Context(), now)
	}
	if want := []int{0, 2, 6, 14, 30, 62, 122, 182, 242}; !slices.Equal(at, want) {
		t.Errorf("attempts at %v, not %v", at, want)
	}
}

// TestOOMKill: what the kernel killed in the cgroup of an instance is reported for it, the rest for the host, and
// earlier kills are not reported.
func TestOOMKill(t *testing.T) {
	x := newWorld(t)
	s := described(t, small)
	s.Instances[0].CGroup = known.Is(host.CGroup{Path: "/pg", Version: 2})
	x.look(s)
	x.sample()
	wants(t, "before", x.turned())
	write(t, x.dir, "proc/vmstat", "pswpin 10\npswpout 20\npgmajfault 30\noom_kill 4\n")
	write(t, x.dir, "sys/fs/cgroup/pg/memory.events", "oom_kill 3\n")
	x.sample()
	wants(t, "killed", x.told(), "OOM kill in the cgroup of /srv/pg: 1 process was killed",
		"OOM kill: 2 processes were killed")
	x.sample()
	wants(t, "once", x.told())
}

// TestFullDisk: when nothing can be written, that is said once; samples go on,
// what happened meanwhile is written when there is room again, and that is said
// once too.
func TestFullDisk(t *testing.T) {
	x := newWorld(t)
	kept := &memory{}
	x.w.o.Store = kept
	x.look(described(t, small))
	x.sample()
	x.told()
	kept.err = &store.WriteError{Path: "/x/history.db", First: true, Err: store.ErrFull}
	x.sample()
	wants(t, "full", x.told(), "could not write the history, retrying: history /x/history.db: the disk is full")
	kept.err = &store.WriteError{Path: "/x/history.db", Err: store.ErrPaused}
	asked := x.asker.asked
	for range 5 {
		x.sample()
	}
	x.asker.values[sample.ColStart] += 60
	x.sample()
	x.look(set(t, described(t, small), "work_mem", "65536", "/srv/pg/postgresql.conf", 3))
	if x.asker.asked != asked+6 {
		t.Errorf("%d samples while the disk was full", x.asker.asked-asked)
	}
	wants(t, "meanwhile", x.turned(), "/srv/pg was restarted at", "work_mem of /srv/pg: 4MB → 64MB")
	kept.err = &store.WriteError{Path: "/x/history.db", First: true, Err: store.ErrFull}
	x.sample()
	wants(t, "still full", x.told())
	if kept.samples != 1 || len(kept.events) != 0 {
		t.Errorf("%d samples, %v", kept.samples, kept.events)
	}
	kept.err = nil
	x.sample()
	wants(t, "room again", x.told(), "writing the history again")
	if kept.samples != 2 || len(kept.events) != 1 || kept.events[0].Kind != history.Restarted {
		t.Errorf("%d samples, %v", kept.samples, kept.events)
	}
}

// TestRemembered: what happened while watch was not running is reported by the next run: a setting, a finding, a
// restart, an OOM kill; a boot; and that the plan is stale.
func TestRemembered(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, "ram=16GB,cpus=4,storage=ssd,pg=17,thp=never"))
	x.asker.values[sample.ColLSN] = 1000
	x.sample()
	x.told()
	x.end()

	x.begin()
	x.asker.values[sample.ColStart] += 5
	write(t, x.dir, "proc/vmstat", "pswpin 10\npswpout 20\npgmajfault 30\noom_kill 2\n")
	x.stands(set(t, described(t, "ram=64GB,cpus=4,storage=ssd,pg=17,thp=never"), "fsync",
		"off", "/srv/pg/postgresql.conf", 3))
	x.sample()
	var have []string
	for _, l := range x.told() {
		if !strings.HasPrefix(l, "new ") && !strings.HasPrefix(l, "resolved: ") || strings.Contains(l, "fsync_off") {
			have = append(have, l)
		}
	}
	wants(t, "meanwhile", have, "fsync of /srv/pg: on → off", "new critical: fsync_off",
		"the plan is stale: total memory changed from 16 GB to 64 GB", "OOM kill: 1 process was killed",
		"/srv/pg was restarted at")
	x.end()

	write(t, x.dir, "proc/sys/kernel/random/boot_id", "99999999-2222-3333-4444-555555555555\n")
	write(t, x.dir, "proc/vmstat", "pswpin 0\npswpout 0\npgmajfault 0\noom_kill 0\n")
	x.begin()
	wants(t, "a boot", x.told(), "the host was booted")
	x.sample()
	wants(t, "of another life", x.told())
}

// TestHostileState: what is remembered may be anything; it costs the comparison
// with it, and nothing else.
func TestHostileState(t *testing.T) {
	for _, state := range []string{"", "null", "{", "[]", `{"schema":"pgfettle.watch-state/1"}`,
		`{"schema":"pgfettle.watch-state/9","boot":"x"}`,
		`{"schema":"pgfettle.watch-state/1","values":[1,2],"baseline":{},"reading":{"memory":[1]}}`,
		`{"schema":"pgfettle.watch-state/1","boot":"11111111-2222-3333-4444-555555555555",` +
			`"reading":{"at":"2026-11-21T12:00:00Z","memory":null,"groups":{"a":9}},` +
			`"baseline":{"facts":{"memory":-1},"values":{"pg:x":{}}},"written":{"a":"b"},"started":1e300}`} {
		x := newWorld(t)
		kept := &memory{state: map[string][]byte{hostKey: []byte(state), instanceKey + "/srv/pg": []byte(state)}}
		x.w.close()
		x.w.o.Store = kept
		x.w = newWatcher(x.w.o)
		x.w.recallHost(t.Context())
		x.look(described(t, small))
		x.sample()
		x.sample()
		if kept.samples != 2 {
			t.Errorf("%s: %d samples", state, kept.samples)
		}
	}
}

// TestHidden: a role that may not see the sessions of others gives no counts of
// them, and no peak.
func TestHidden(t *testing.T) {
	x := newWorld(t)
	x.look(described(t, small))
	x.asker.values[sample.ColHidden], x.asker.values[sample.ColTotal] = 3, 1
	x.sample()
	x.sample()
	_, list, err := x.store.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		if strings.HasPrefix(p.Name, "connections") || math.IsNaN(p.Value) {
			t.Errorf("%s{%s} is %v", p.Name, p.Label, p.Value)
		}
	}
	if !slices.ContainsFunc(list, func(p history.Point) bool { return p.Name == "wal_bytes_per_second" }) {
		t.Error("no rate of WAL")
	}
}

// TestLoadedAt: the server's log shows when a setting was read; a link in its place leads nowhere, and a log in an
// unknown format shows nothing.
func TestLoadedAt(t *testing.T) {
	tg, dir := tree(t, map[string]string{
		"srv/pg/current_logfiles": "stderr log/postgresql.log\n",
		"srv/pg/log/postgresql.log": "2026-11-21 19:43:01.001 UTC [77] LOG:  parameter \"work_mem\" changed to " +
			"\"1MB\"\n" +
			"2026-11-21 19:43:08.123 UTC [77] LOG:  received SIGHUP, reloading configuration files\n" +
			"2026-11-21 19:43:08.124 UTC [77] LOG:  parameter \"work_mem\" changed to \"13MB\"\n" +
			"2026-11-21 19:43:08.124 UTC [77] LOG:  parameter \"jit\" removed from configuration file, reset to " +
			"default\n" +
			"2026-11-21 19:43:09.000 UTC [78] ERROR:  parameter \"foo\" cannot be changed now\n",
	})
	s := described(t, small)
	got := loadedAt(tg, &s.Instances[0], []string{"work_mem", "jit", "foo", "fsync"})
	if want := map[string]string{"work_mem": "at 2026-11-21 19:43:08 UTC",
		"jit": "at 2026-11-21 19:43:08 UTC"}; !maps.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
	log := filepath.Join(dir, "srv/pg/log/postgresql.log")
	if err := os.Rename(log, log+".1"); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.log")
	line := "2026-11-21 19:44:08.124 UTC [77] LOG:  parameter \"work_mem\" changed to \"14MB\"\n"
	if err := os.WriteFile(other, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, log); err != nil {
		t.Fatal(err)
	}
	got = loadedAt(tg, &s.Instances[0], []string{"work_mem"})
	if want := map[string]string{"work_mem": "at 2026-11-21 19:43:08 UTC"}; !maps.Equal(got, want) {
		t.Errorf("%v, not %v: a link was followed, or the rotated log was lost", got, want)
	}
	if got := loadedAt(tg, &snapshot.Instance{}, []string{"work_mem"}); len(got) != 0 {
		t.Errorf("%v of an instance without a folder", got)
	}
}
