package servers

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/template"
)

// lateEnough is how long after its postmaster a restart has to be, in seconds,
// for the check to take it for one: it draws its line at fifteen.
const lateEnough = 17

// crashes is what the check crash_restarts says of a snapshot.
func crashes(s *snapshot.Snapshot) check.Report {
	return check.Run(s, checks.All(), check.Options{Only: []string{"crash_restarts"}})
}

func segmentOf(t *testing.T, s *snapshot.Snapshot) host.Segment {
	t.Helper()
	seg, ok := s.Instances[0].Segment.Get()
	if !ok {
		t.Fatalf("segment: %+v", s.Instances[0].Segment.Gap())
	}
	return seg
}

// TestCrashRestart kills a backend and holds that the restart that follows is
// found, with its time, in the kernel's list of segments and in the age of the
// checkpointer, and that there is nothing of it before.
func TestCrashRestart(t *testing.T) {
	t.Parallel() // it waits most of its time: beside the other one
	each(t, func(t *testing.T, b scratch.Binaries) {
		memory := "mmap"
		if b.Version.Major()%3 == 0 { // 15 and 18: all of the shared memory is the segment
			memory = "sysv"
		}
		i := start(t, b, map[string]string{"shared_memory_type": memory, "shared_buffers": "16MB", "huge_pages": "off"})
		s := read(t, evidenceOf(t, i, false))
		seg := segmentOf(t, s)
		// the kernel's clock of segments goes by its ticks, and may be a second behind
		if seg.CreatedAt < seg.StartedAt-1 || seg.CreatedAt > seg.StartedAt+15 {
			t.Errorf("at the start: %+v", seg)
		}
		if r := crashes(s); len(r.Findings) > 0 || len(r.Unknown) > 0 {
			t.Errorf("at the start: %+v", r)
		}

		time.Sleep(time.Until(time.Unix(seg.StartedAt+lateEnough, 0))) // that much has to pass; more does no harm
		c, err := pgconn.Connect(t.Context(), i.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		killed := time.Now().Unix() - 1 // by that clock
		if err := syscall.Kill(int(c.PID()), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		_, _ = c.Exec(t.Context(), "select pg_sleep(60)").ReadAll() // until the connection is gone
		back(t, i)

		s = read(t, evidenceOf(t, i, false))
		again := segmentOf(t, s)
		if again.StartedAt != seg.StartedAt || again.CreatedAt < killed || again.CreatedAt > time.Now().Unix() {
			t.Errorf("killed at %d: %+v", killed, again)
		}
		if a, ok := s.Instances[0].Server.Activity.Get(); !ok || a.CheckpointerAt < again.CreatedAt ||
			a.CheckpointerAt > time.Now().Unix() {
			t.Errorf("the checkpointer: %+v %v, segment %+v", a, ok, again)
		}
		r := crashes(s)
		if len(r.Findings) != 1 || r.Findings[0].Severity != check.Warning || len(r.Unknown) > 0 {
			t.Fatalf("%+v", r)
		}
		t.Log(r.Findings[0].Seen)

		// By SQL alone, as in a container of another IPC namespace.
		s.Instances[0].Segment = known.Missed[host.Segment](known.Gap{Fact: "segment", Reason: "out of sight"})
		r = crashes(s)
		if sure := b.Version.Major() >= 15; sure != (len(r.Findings) == 1) || sure == (len(r.Unknown) == 1) {
			t.Errorf("by SQL: %+v", r)
		}
	})
}

// TestLongRecoveryIsNoCrash starts a server that recovers for longer than the
// line that the check draws.
func TestLongRecoveryIsNoCrash(t *testing.T) {
	t.Parallel()
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		i, err := template.New(t.Context(), b, scratch.Options{Settings: map[string]string{"shared_buffers": "16MB",
			"restore_command": "sleep 9; exit 1"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := i.Remove(); err != nil {
				t.Error(err)
			}
		})
		if err := os.WriteFile(filepath.Join(i.DataDir, "recovery.signal"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(filepath.Join(i.DataDir, "recovery.signal"), i.Account.UID, i.Account.GID); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took < lateEnough*time.Second {
			t.Fatalf("it recovered in %v: too fast to show anything", took)
		}
		s := read(t, evidenceOf(t, i, false))
		if r := crashes(s); len(r.Findings) > 0 || len(r.Unknown) > 0 {
			t.Errorf("%+v %+v", r, segmentOf(t, s))
		}
	})
}

// back waits until the server has seen the crash and takes connections again.
func back(t *testing.T, i *scratch.Instance) {
	t.Helper()
	await.That(t, "the server after its crash", func() (bool, any) {
		if log, err := i.ReadLog(1 << 20); err != nil || !strings.Contains(log, "reinitializing") {
			return false, log
		}
		c, err := pgconn.Connect(t.Context(), i.ConnString())
		if err != nil {
			return false, err
		}
		defer c.Close(t.Context())
		// It is started as connections are accepted, and may not be seen before one of them.
		got := live.Ask(t, c, "select count(*) from pg_stat_activity where backend_type = 'checkpointer'")
		return got[0][0] == "1", got
	})
}
