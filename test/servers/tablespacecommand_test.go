package servers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/cell"
)

// newSpaceServer is a server with a second disk, and the program.
func newSpaceServer(t *testing.T, b scratch.Binaries, settings map[string]string) *walServer {
	t.Helper()
	y := &walServer{T: t, i: start(t, b, settings), bin: cell.Binary(t), journals: t.TempDir()}
	y.disk, y.flags = secondDisk(t)
	for at := y.disk; at != "/"; at = filepath.Dir(at) {
		if in, err := os.Stat(at); err == nil && in.Mode().Perm()&0o055 != 0o055 {
			if err := os.Chmod(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() { _ = y.i.Stop() }) // before the disk goes; start holds the error
	return y
}

func (y *walServer) create(name, dir string, more ...string) []string {
	args := append([]string{"tablespace", "create", name, dir, y.i.DataDir, "--yes"}, y.flags...)
	return append(args, more...)
}

func (y *walServer) relocate(args ...string) []string {
	return append([]string{"tablespace", "move", "--target", y.i.DataDir, "--yes"}, args...)
}

// absent verifies that nothing of a tablespace is left.
func (y *walServer) absent(name, dir string) {
	y.Helper()
	if n := y.ask(`select count(*) from pg_tablespace where spcname = '` + name + `'`); n != "0" {
		y.Errorf("there is a tablespace %s", name)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		y.Errorf("%s: %v", dir, err)
	}
}

// present verifies that a tablespace is in a directory that is the server's alone.
func (y *walServer) present(name, dir string) {
	y.Helper()
	at := y.ask(`select coalesce((select pg_tablespace_location(oid) from pg_tablespace where spcname = '` + name +
		`'), '')`)
	if at != dir {
		y.Errorf("tablespace %s is in %q, not in %s", name, at, dir)
	}
	in, err := os.Stat(dir)
	if err != nil || in.Mode().Perm() != 0o700 || int(in.Sys().(*syscall.Stat_t).Uid) != y.i.Account.UID {
		y.Errorf("%s: %v, %v", dir, in, err)
	}
}

// TestTablespaceCreate creates a tablespace with an owner and for temporary files, shows it, and takes it back; one
// that holds something stays.
func TestTablespaceCreate(t *testing.T) {
	on(t, []int{13, 15, 19}, func(t *testing.T, b scratch.Binaries) {
		y := newSpaceServer(t, b, map[string]string{"default_transaction_read_only": "on"})
		dir := y.disk + "/pg"
		y.exec(`set default_transaction_read_only = off`, `create role shop`)
		said := y.run(0, y.create("archive", dir, "--owner", "shop", "--temp", "--dry-run")...)
		for _, want := range []string{`CREATE TABLESPACE "archive" LOCATION '` + dir + `'`, `give it to role "shop"`,
			"temp_tablespaces = archive", "GRANT CREATE ON TABLESPACE"} {
			if !strings.Contains(inOneLine(said), want) {
				t.Errorf("%q is not said:\n%s", want, said)
			}
		}
		y.absent("archive", dir)
		y.run(0, y.create("archive", dir, "--owner", "shop", "--temp")...)
		y.present("archive", dir)
		if got := y.ask(`select pg_get_userbyid(spcowner) || ' ' || current_setting('temp_tablespaces')
 from pg_tablespace where spcname = 'archive'`); got != "shop archive" {
			t.Errorf("owner and temp_tablespaces: %s", got)
		}
		if said := y.run(0, "status"); !strings.Contains(inOneLine(said), "tablespace:archive/location") {
			t.Errorf("status says\n%s", said)
		}
		y.exec(`set default_transaction_read_only = off`,
			`create table kept tablespace archive as select generate_series(1, 1000) as n`)
		if said := y.run(6, "undo"); !strings.Contains(inOneLine(said), "is not empty") {
			t.Errorf("undo of a tablespace that holds a table says\n%s", said)
		}
		y.present("archive", dir)
		y.exec(`set default_transaction_read_only = off`, `drop table kept`)
		y.run(0, "undo")
		y.absent("archive", dir)
		if got := y.ask(`show temp_tablespaces`); got != "" {
			t.Errorf("temp_tablespaces is %q after undo", got)
		}
	})
}

// report is 'pgfettle tablespace plan' as a program reads it.
func (y *walServer) report() *tablespaces.Report {
	y.Helper()
	var d tablespaces.Report
	if err := json.Unmarshal([]byte(y.alone("tablespace", "plan", y.i.DataDir, "--format", "json")), &d); err != nil {
		y.Fatal(err)
	}
	return &d
}

// alone runs the program and returns its standard output.
func (y *walServer) alone(args ...string) string {
	y.Helper()
	cmd, _ := y.command(args...)
	cmd.Args = cmd.Args[:len(args)+1] // it has no journal
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		y.Fatalf("%v: %v\n%s", args, err, errs.String())
	}
	return out.String()
}

// TestTablespaceRefused: what must not become a tablespace is refused before anything is touched.
func TestTablespaceRefused(t *testing.T) {
	on(t, []int{13, 19}, func(t *testing.T, b scratch.Binaries) {
		y := newSpaceServer(t, b, nil)
		y.run(0, y.create("first", y.disk+"/first")...)
		full := filepath.Join(y.disk, "full")
		if err := errors.Join(os.Mkdir(full, 0o700), os.Chown(full, y.i.Account.UID, y.i.Account.GID),
			os.WriteFile(full+"/x", nil, 0o600), os.Mkdir(y.disk+"/open", 0o755), os.Chmod(y.disk+"/open", 0o777),
			os.Symlink(y.disk+"/nowhere", y.disk+"/link"), os.WriteFile(y.disk+"/file", nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		apart := "is on the filesystem of the data directory"
		if inMemory(t, y.i.DataDir) {
			apart = "is in memory" // where the data directories of tests are, and a disk is for others
		}
		before := y.ask(`select string_agg(spcname, ' ' order by oid) from pg_tablespace`)
		same := []string{"--same-filesystem"}
		for _, c := range []struct {
			name, dir, want string
			code            int
			flags           []string
		}{
			{"pg_x", y.disk + "/a", "begins with pg_", 5, nil},
			{"first", y.disk + "/a", "already exists", 5, nil},
			{strings.Repeat("x", 64), y.disk + "/a", "64 bytes", 5, nil},
			{"a", "relative", "not an absolute path", 2, nil},
			{"a", y.i.DataDir + "/a", "is in the data directory", 5, same},
			{"a", y.i.DataDir + "/pg_wal/a", "is in the data directory", 5, same},
			{"a", filepath.Dir(y.i.DataDir), "the data directory or its WAL is in", 5, same},
			{"a", y.disk + "/first/a", "overlaps with", 5, nil},
			{"a", "/dev/shm/a", "is in memory", 5, same},
			{"a", full, "is not empty", 5, nil},
			{"a", y.disk + "/file", "is not a directory", 5, nil},
			{"a", y.disk + "/link", "which is not there", 5, nil},
			{"a", y.disk + "/open/a", "another account could replace", 5, nil},
			{"a", y.disk + "/none/a", "is not there", 5, nil},
			{"a", y.i.DataDir + "-other", apart, 5, []string{"-"}},
		} {
			args := y.create(c.name, c.dir, c.flags...)
			if len(c.flags) == 1 && c.flags[0] == "-" {
				args = []string{"tablespace", "create", c.name, c.dir, y.i.DataDir, "--yes"}
			}
			if said := y.run(c.code, args...); !strings.Contains(inOneLine(said), c.want) {
				t.Errorf("%s in %s: %q is not said:\n%s", c.name, c.dir, c.want, said)
			}
		}
		if y.flags == nil {
			if said := y.run(5, y.create("a", y.disk)...); !strings.Contains(inOneLine(said), "is a mount point") {
				t.Errorf("the mount point:\n%s", said)
			}
		}
		if after := y.ask(`select string_agg(spcname, ' ' order by oid) from pg_tablespace`); after != before {
			t.Errorf("tablespaces are %s, and were %s", after, before)
		}
		if list, err := filepath.Glob(y.disk + "/*/a"); err != nil || len(list) > 0 {
			t.Errorf("made: %v, %v", list, err)
		}
	})
}

// TestTablespaceMove moves a table with its indexes and TOAST, shows where they are, and takes them back.
func TestTablespaceMove(t *testing.T) {
	on(t, []int{13, 14, 16, 19}, func(t *testing.T, b scratch.Binaries) {
		y := newSpaceServer(t, b, nil)
		dir := y.disk + "/pg"
		y.run(0, y.create("archive", dir)...)
		y.exec(`create table orders (n int primary key, t text, exclude using btree (n with =))`,
			`alter table orders alter t set storage external`,
			`insert into orders select g, repeat(md5(g::text), 100) from generate_series(1, 2000) g`,
			`create index on orders (md5(t))`, `create materialized view sums as select count(*) from orders`,
			`create table parts (n int) partition by range (n)`,
			`create table parts_1 partition of parts for values from (0) to (9)`, `create temp table passing (n int)`)
		sum := y.ask(`select md5(string_agg(n || t, ',' order by n)) from orders`)
		where := func() string {
			return y.ask(`select string_agg(c.relname || '=' || coalesce(s.spcname, '-'), ' ' order by c.relname)
 from pg_class c left join pg_tablespace s on s.oid = c.reltablespace
 where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i', 'm') and c.relname <> 'parts_1'`)
		}
		home := where()
		for _, c := range []struct {
			code int
			want string
			args []string
		}{
			{5, "is partitioned", []string{"parts", "--to", "archive"}},
			{5, "parts_1", []string{"parts", "--to", "archive"}},
			{5, "is a system catalog", []string{"pg_catalog.pg_class", "--to", "archive"}},
			{5, "no table, materialized view or index", []string{"nowhere", "--to", "archive"}},
			{5, "there is no tablespace", []string{"orders", "--to", "nowhere"}},
			{2, "OBJECT", []string{"--to", "archive"}},
			{2, "--to", []string{"orders"}},
		} {
			if said := y.run(c.code, y.relocate(c.args...)...); !strings.Contains(inOneLine(said), c.want) {
				t.Errorf("%v: %q is not said:\n%s", c.args, c.want, said)
			}
		}
		said := y.run(0, y.relocate("orders", "public.sums", "--to", "archive", "--dry-run")...)
		for _, want := range []string{"ACCESS EXCLUSIVE", "public.orders_md5_idx", "of WAL is written"} {
			if !strings.Contains(inOneLine(said), want) {
				t.Errorf("%q is not said:\n%s", want, said)
			}
		}
		if gently := strings.Contains(inOneLine(said), "REINDEX CONCURRENTLY"); gently != (b.Version.Major() >= 14) {
			t.Errorf("concurrently: %v:\n%s", gently, said)
		}
		if got := where(); got != home {
			t.Errorf("a dry run moved something: %s", got)
		}
		y.run(0, y.relocate("orders", "public.sums", "--to", "archive")...)
		if got := where(); strings.Contains(got, "=-") {
			t.Errorf("moved: %s", got)
		}
		if got := y.ask(`select md5(string_agg(n || t, ',' order by n)) from orders`); got != sum {
			t.Error("the data is another")
		}
		d := y.report()
		for _, s := range d.Spaces {
			if s.Name != "archive" {
				continue
			}
			if len(s.Contents) != 1 || s.Contents[0].Database != "postgres" || s.Contents[0].Tables.Count != 2 ||
				s.Contents[0].Indexes.Count != 3 || s.Contents[0].Toast.Bytes < 1<<20 || s.Size == nil ||
				s.Volume == nil ||
				s.Volume.Free == nil || s.Location != dir {
				t.Errorf("archive holds %+v", s)
			}
		}
		if said := y.run(0, y.relocate("orders", "--to", "archive")...); !strings.Contains(inOneLine(said),
			"there already") {
			t.Errorf("again:\n%s", said)
		}
		y.run(0, "undo")
		if got := where(); got != home {
			t.Errorf("taken back: %s, and it was %s", got, home)
		}
		y.run(0, y.relocate("orders", "--tables", "--to", "archive")...)
		y.run(0, y.relocate("--all-in", "archive", "--to", "pg_default")...)
		if got := where(); got != home {
			t.Errorf("all moved back: %s, and it was %s", got, home)
		}
	})
}

// TestTablespaceMoveLocked: a lock that another session holds is told before, and waited for.
func TestTablespaceMoveLocked(t *testing.T) {
	on(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		y := newSpaceServer(t, b, nil)
		y.run(0, y.create("archive", y.disk+"/pg")...)
		y.exec(`create table busy as select generate_series(1, 10) as n`)
		c, err := pgconn.Connect(t.Context(), y.i.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(t.Context())
		if _, err := c.Exec(t.Context(), `begin; select * from busy`).ReadAll(); err != nil {
			t.Fatal(err)
		}
		if said := y.run(0, y.relocate("busy", "--to", "archive", "--dry-run")...); !strings.Contains(said,
			"holds AccessShareLock") {
			t.Errorf("who holds it is not said:\n%s", said)
		}
		cmd, out := y.command(y.relocate("busy", "--to", "archive")...)
		heard := &herald{word: "attempt 1 of", heard: make(chan struct{})}
		both := io.MultiWriter(out, heard)
		cmd.Stdout, cmd.Stderr = both, both
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		<-heard.heard
		if _, err := c.Exec(t.Context(), `commit`).ReadAll(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v:\n%s", err, out)
		}
	})
}

// TestTablespaceKilled kills the program with SIGKILL at a random moment of a creation, a move or the undo of either;
// then apply --resume or undo finishes, and nothing is halfway.
func TestTablespaceKilled(t *testing.T) {
	kills := inARound(8, 40) // on each of three versions
	on(t, []int{13, 16, 19}, func(t *testing.T, b scratch.Binaries) {
		y := newSpaceServer(t, b, nil)
		seed := uint64(time.Now().UnixNano())
		rng := rand.New(rand.NewPCG(seed, 1))
		t.Logf("seed %d", seed)
		dir := y.disk + "/new"
		y.run(0, y.create("archive", y.disk+"/pg")...)
		y.exec(`create table orders (n int primary key, t text)`,
			`insert into orders select g, repeat(md5(g::text), 10) from generate_series(1, 20000) g`,
			`create index on orders (t)`)
		sum := y.ask(`select md5(string_agg(n || t, ',' order by n)) from orders`)
		phases := map[string]int{}
		for n := range kills {
			args := y.create("new", dir, "--temp")
			if n%2 == 1 {
				args = y.relocate("orders", "--to", "archive")
			}
			word := []string{"location:", "temp_tablespaces:", "Journal "}[rng.IntN(3)]
			if n%2 == 1 {
				word = []string{"orders/", "orders_pkey/", "orders_t_idx/", "Journal "}[rng.IntN(4)]
			}
			y.killed(rng, word, args...)
			phases[word]++
			undone := rng.IntN(2) == 0
			if strings.Contains(y.run(0, "journal"), "interrupted") {
				if undone {
					y.killed(rng, "back to", "undo") // and the undo too, unless it is over by then
					if strings.Contains(y.run(0, "journal"), "interrupted") {
						y.run(0, "undo")
					}
				} else {
					y.run(0, "apply", "--resume")
				}
			}
			y.settled(dir)
			if got := y.ask(`select md5(string_agg(n || t, ',' order by n)) from orders`); got != sum {
				t.Fatal("the data is another")
			}
			// what stands is taken back, all but the first tablespace
			for strings.Contains(y.ask(`select coalesce(string_agg(spcname, ' '), '') from pg_tablespace`)+
				y.ask(`select case when exists
 (select from pg_class where reltablespace <> 0 and relname like 'orders%') then ' new' else '' end`), "new") {
				y.run(0, "undo")
			}
			y.absent("new", dir)
			if t.Failed() {
				t.Fatalf("kill %d at %q", n, word)
			}
		}
		t.Logf("kills by the word that was heard: %v", phases)
	})
}

// killed runs the program and kills it after it has said a word.
func (y *walServer) killed(rng *rand.Rand, word string, args ...string) {
	y.Helper()
	cmd, out := y.command(args...)
	at := &herald{word: word, heard: make(chan struct{})}
	both := io.MultiWriter(out, at)
	cmd.Stdout, cmd.Stderr = both, both
	if err := cmd.Start(); err != nil {
		y.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	select {
	case <-ended:
	case <-at.heard:
		time.Sleep(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
	}
	_ = cmd.Process.Kill() // where it has ended already, that is one of the moments
	<-ended
}

// settled verifies that a creation and a move are whole or not there, and that nothing invalid is left.
func (y *walServer) settled(dir string) {
	y.Helper()
	if y.ask(`select count(*) from pg_tablespace where spcname = 'new'`) == "1" {
		y.present("new", dir)
	} else {
		y.absent("new", dir)
	}
	await.That(y.T, "no session of the program that was killed is at work", func() (bool, any) {
		n := y.ask(`select count(*) from pg_locks where locktype = 'advisory'`)
		return n == "0", n
	})
	if got := y.ask(`select count(*) || ' ' || count(*) filter (where not indisvalid) from pg_index i
 join pg_class c on c.oid = i.indexrelid where i.indrelid = 'orders'::regclass`); got != "2 0" {
		y.Errorf("indexes and invalid ones: %s", got)
	}
	if n := y.ask(`select count(distinct reltablespace) from pg_class where relname in ('orders', 'orders_pkey',
 'orders_t_idx')`); n != "1" {
		y.Errorf("the table and its indexes are in %s tablespaces", n)
	}
	if y.Failed() {
		fmt.Fprintln(os.Stderr, y.run(0, "journal"))
	}
}

// inOneLine undoes the folding of lines: where one is folded depends on the length of a path.
func inOneLine(said string) string { return strings.Join(strings.Fields(said), " ") }

// inMemory reports whether a directory is on a filesystem in memory.
func inMemory(t *testing.T, dir string) bool {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	return st.Type == unix.TMPFS_MAGIC
}
