package servers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
)

// walServer is a server with data, a second disk, and the program.
type walServer struct {
	*testing.T
	i        *scratch.Instance
	bin      string
	disk     string   // a filesystem of its own, or a directory
	flags    []string // where it is only a directory
	journals string
	sum      string // of the data
}

func newWALServer(t *testing.T, b scratch.Binaries) *walServer {
	t.Helper()
	bin := cell.Binary(t)
	y := &walServer{T: t, i: start(t, b, map[string]string{"max_wal_size": "64MB", "min_wal_size": "64MB"}), bin: bin,
		journals: t.TempDir()}
	y.disk, y.flags = secondDisk(t)
	t.Cleanup(func() { _ = y.i.Stop() }) // before the disk goes; start holds the error
	y.exec(`create table sums as select g, md5(g::text) as m from generate_series(1, 100000) g`,
		`create table live (n int primary key)`)
	y.sum = y.ask(dataSum)
	return y
}

const dataSum = `select md5(string_agg(g || m, ',' order by g)) from sums`

// secondDisk mounts an ext4 image; if that is not possible, it is a directory, and the program needs a flag for it.
func secondDisk(t *testing.T) (at string, flags []string) {
	t.Helper()
	image, at := filepath.Join(t.TempDir(), "image"), filepath.Join(t.TempDir(), "disk")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 600<<20),
		os.Mkdir(at, 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, argv := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop", image, at}} {
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Logf("no second filesystem here: %s: %v: %s", argv[0], err, out)
			if acc, err := scratch.Unprivileged(); err == nil && acc.Switch {
				pass(t, at)
			}
			return at, []string{"--same-filesystem"}
		}
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", at).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
	pass(t, at)
	return at, nil
}

// pass lets others through the directories above, as far as they are ours.
func pass(t *testing.T, at string) {
	for ; at != "/"; at = filepath.Dir(at) {
		if in, err := os.Stat(at); err == nil && in.Mode().Perm()&0o001 == 0 {
			if err := os.Chmod(at, in.Mode().Perm()|0o011); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (y *walServer) exec(statements ...string) {
	y.Helper()
	if err := y.i.Exec(y.Context(), statements...); err != nil {
		y.Fatal(err)
	}
}

func (y *walServer) ask(sql string) string {
	y.Helper()
	c, err := pgconn.Connect(y.Context(), y.i.ConnString())
	if err != nil {
		y.Fatal(err)
	}
	defer c.Close(context.Background())
	r, err := c.Exec(y.Context(), sql).ReadAll()
	if err != nil || len(r) != 1 || len(r[0].Rows) != 1 {
		y.Fatalf("%s: %v", sql, err)
	}
	return string(r[0].Rows[0][0])
}

func (y *walServer) command(args ...string) (*exec.Cmd, *bytes.Buffer) {
	cmd := exec.Command(y.bin, append(args, "--journal", y.journals)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, &out
}

// run runs the program to its end and holds its exit code.
func (y *walServer) run(code int, args ...string) string {
	y.Helper()
	cmd, out := y.command(args...)
	err := cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		y.Fatalf("%v: exit code %d, want %d (%v):\n%s", args, got, code, err, out)
	}
	return out.String()
}

func (y *walServer) move(more ...string) []string {
	return append(append([]string{"move-wal", y.disk + "/wal", y.i.DataDir, "--yes"}, y.flags...), more...)
}

// out verifies that the WAL is in the new place, and in no second one.
func (y *walServer) out() {
	y.Helper()
	if to, err := os.Readlink(y.i.DataDir + "/pg_wal"); err != nil || to != y.disk+"/wal" {
		y.Errorf("pg_wal leads to %q: %v", to, err)
	}
	in, err := os.Stat(y.disk + "/wal")
	if err != nil || in.Mode().Perm() != 0o700 || int(in.Sys().(*syscall.Stat_t).Uid) != y.i.Account.UID {
		y.Errorf("the new place: %v, %v", in, err)
	}
	y.nothingLeft()
}

// home verifies that the WAL is in the data directory, and the new place is gone.
func (y *walServer) home() {
	y.Helper()
	if in, err := os.Lstat(y.i.DataDir + "/pg_wal"); err != nil || !in.IsDir() {
		y.Errorf("pg_wal is %v, %v", in, err)
	}
	if _, err := os.Stat(y.disk + "/wal"); !errors.Is(err, os.ErrNotExist) {
		y.Errorf("the new place: %v", err)
	}
	y.nothingLeft()
}

func (y *walServer) nothingLeft() {
	y.Helper()
	if left, _ := filepath.Glob(y.i.DataDir + "/*pgfettle*"); len(left) > 0 {
		y.Errorf("left behind: %v", left)
	}
}

// whole verifies that the server runs and has all of its data.
func (y *walServer) whole() {
	y.Helper()
	if !y.i.Running() {
		y.Fatal("the server does not run")
	}
	if got := y.ask(dataSum); got != y.sum {
		y.Fatalf("the data have the sum %s, and had %s", got, y.sum)
	}
}

// TestMoveWALAndBack moves the WAL of a running server, lets it work there, and
// takes it back; then the same with a server that is stopped.
func TestMoveWALAndBack(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		y := newWALServer(t, b)
		if said := y.run(0, append([]string{"move-wal", y.disk + "/wal", y.i.DataDir, "--dry-run"},
			y.flags...)...); !strings.Contains(said, "Downtime:") {
			t.Errorf("the dry run says\n%s", said)
		}
		y.home()
		before := y.i.PID()
		said := y.run(0, y.move()...)
		for _, want := range []string{"the copy is on disk and was compared", "removed the old copy",
			"undo --max-effect restart"} {
			if !strings.Contains(said, want) {
				t.Errorf("%q is not said:\n%s", want, said)
			}
		}
		y.out()
		y.whole()
		if y.i.PID() == before {
			t.Error("the server was not stopped")
		}
		y.exec(`insert into live select generate_series(1, 1000)`, `select pg_switch_wal()`, `checkpoint`)
		if said := y.run(0, "status"); !strings.Contains(said, "wal:location") ||
			!strings.Contains(said, "1 applied value is in effect.") {
			t.Errorf("status says\n%s", said)
		}
		y.run(5, "undo")
		y.out()
		y.run(0, "undo", "--max-effect", "restart")
		y.home()
		y.whole()
		if got := y.ask(`select count(*) from live`); got != "1000" {
			t.Errorf("%s rows that were written on the new place", got)
		}

		if err := y.i.Stop(); err != nil {
			t.Fatal(err)
		}
		y.run(0, y.move()...)
		y.out()
		if y.i.Running() {
			t.Error("a server that was stopped was started")
		}
		if err := y.i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		y.whole()
		y.run(0, "undo", "--max-effect", "restart")
		y.home()
		y.whole()
	})
}

// TestMoveWALIntoAFailure: a server that does not start on the new place runs on
// the old one again; Ctrl-C in the middle of the copy puts all back.
func TestMoveWALIntoAFailure(t *testing.T) {
	on(t, []int{13, 18}, func(t *testing.T, b scratch.Binaries) {
		y := newWALServer(t, b)
		as := ""
		if y.i.Account.Switch {
			as = fmt.Sprintf("setpriv --reuid=%d --regid=%d --clear-groups ", y.i.Account.UID, y.i.Account.GID)
		}
		ctl := fmt.Sprintf("%s%s -D %s -w -l %s", as, b.Tool("pg_ctl"), y.i.DataDir, y.i.Log())
		// a setting that only hurts there stands for a mount that the server may not use
		broken := fmt.Sprintf(
			"if [ -L %s/pg_wal ]; then chmod 0 %s/wal; fi; cd /; %s start; s=$?; chmod 700 %s/wal; exit $s",
			y.i.DataDir, y.disk, ctl, y.disk)
		said := y.run(6, y.move("--stop-command", "cd /; "+ctl+" stop -m fast", "--start-command", broken)...)
		if !strings.Contains(said, "the previous state was restored") || !strings.Contains(said, "ermission denied") {
			t.Errorf("it says\n%s", said)
		}
		y.home()
		y.whole()

		y.exec(`insert into live select generate_series(1, 300000)`) // so that there is something to copy
		cmd, out := y.command(y.move()...)
		r, w := io.Pipe()
		both := io.MultiWriter(out, w)
		cmd.Stdout, cmd.Stderr = both, both
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { _ = cmd.Wait(); w.Close() }()
		var seen strings.Builder
		buf := make([]byte, 4096)
		for sent := false; ; {
			n, err := r.Read(buf)
			seen.Write(buf[:n])
			if !sent && strings.Contains(seen.String(), "copying ") {
				if err := cmd.Process.Signal(os.Interrupt); err != nil {
					t.Error(err)
				}
				sent = true
			}
			if err != nil {
				break
			}
		}
		if got := cmd.ProcessState.ExitCode(); got != 130 {
			t.Errorf("exit code %d after Ctrl-C:\n%s", got, seen.String())
		}
		if strings.Contains(seen.String(), "switching") {
			t.Logf("the copy was over before Ctrl-C")
			y.out()
			y.run(0, "undo", "--max-effect", "restart")
		}
		y.home()
		y.whole()
	})
}

// worker commits rows until the server is stopped, and continues when it is back. It returns the last number that was
// confirmed as committed.
func (y *walServer) worker(ctx context.Context, from int) <-chan int {
	last := make(chan int, 1)
	go func() {
		n := from
		defer func() { last <- n }()
		for ctx.Err() == nil {
			c, err := pgconn.Connect(ctx, y.i.ConnString())
			if err != nil {
				time.Sleep(5 * time.Millisecond) // it is being stopped or started
				continue
			}
			for ctx.Err() == nil {
				if _, err := c.Exec(ctx, fmt.Sprintf("insert into live values (%d) on conflict do nothing",
					n+1)).ReadAll(); err != nil {
					break
				}
				n++
			}
			_ = c.Close(context.Background())
		}
	}()
	return last
}

// moments are words that the program says as it goes on.
var moments = []string{"wal:location", "checkpoint", "stopping the", "copying", "compared", "switching", "starting the",
	"removed"}

// herald hears a word among what is said.
type herald struct {
	word  string
	said  strings.Builder
	heard chan struct{}
	once  sync.Once
}

func (h *herald) Write(b []byte) (int, error) {
	h.said.Write(b)
	if strings.Contains(h.said.String(), h.word) {
		h.once.Do(func() { close(h.heard) })
	}
	return len(b), nil
}

// TestMoveWALKilled kills the real program with SIGKILL at a random moment of a move or its undo, under load; then
// apply --resume or undo finishes. Each time the server runs, with every row that was ever committed.
func TestMoveWALKilled(t *testing.T) {
	kills := inARound(5, 10) // on each of three versions
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		y := newWALServer(t, b)
		seed := uint64(time.Now().UnixNano())
		rng := rand.New(rand.NewPCG(seed, 1))
		t.Logf("seed %d", seed)
		begun := time.Now()
		y.run(0, y.move()...)
		took := time.Since(begun)
		committed, phases := 0, map[string]int{}
		moved := true
		for n := range kills {
			args := y.move()
			if moved {
				args = []string{"undo", "--max-effect", "restart"}
			}
			ctx, stop := context.WithCancel(t.Context())
			last := y.worker(ctx, committed)
			cmd, out := y.command(args...)
			at := &herald{word: moments[rng.IntN(len(moments))], heard: make(chan struct{})}
			both := io.MultiWriter(out, at)
			cmd.Stdout, cmd.Stderr = both, both
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() { _ = cmd.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-at.heard:
				// from at once to about the length of a step
				time.Sleep(time.Duration(rng.Int64N(int64(took)/8 + 1)))
			}
			_ = cmd.Process.Kill() // where it has ended already, that is one of the moments
			<-ended
			said := out.String()
			phase := "the end"
			if !strings.Contains(said, "\nJournal ") {
				phase = "nothing"
				for _, word := range moments {
					if strings.Contains(said, word) {
						phase = word
					}
				}
			}
			phases[phase]++
			y.run(0, "journal")
			switch finish := rng.IntN(2); {
			case strings.Contains(y.run(0, "journal"), "interrupted") && finish == 0:
				y.run(0, "apply", "--resume")
			case strings.Contains(y.run(0, "journal"), "interrupted"):
				y.run(0, "undo", "--max-effect", "restart")
			}
			stop()
			committed = <-last
			y.whole()
			if got := y.ask(fmt.Sprintf(`select count(*) from live where n <= %d`, committed)); got != fmt.Sprint(
				committed) {
				t.Fatalf("kill %d (%s): %s of %d committed rows are there", n, phase, got, committed)
			}
			_, err := os.Readlink(y.i.DataDir + "/pg_wal")
			if moved = err == nil; moved {
				y.out()
			} else {
				y.home()
			}
			if t.Failed() {
				t.Fatalf("kill %d, when it had said\n%s", n, said)
			}
		}
		t.Logf("%d kills, %d rows committed meanwhile, by what it had said last: %v", kills, committed, phases)
		if moved {
			y.run(0, "undo", "--max-effect", "restart")
		}
		y.home()
		y.whole()
	})
}
