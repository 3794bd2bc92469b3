package servers

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/test/cell"
)

// crowded is a server whose data is on a small disk, and a cell to change it from.
type crowded struct {
	*cell.Cell
	disk   *cell.Disk
	server *scratch.Instance
}

func newCrowded(t *testing.T, major int, kind string, settings map[string]string) *crowded {
	t.Helper()
	c := &crowded{disk: cell.DiskOf(t, "servers", kind, 112<<20)} // a fresh cluster has 40 MB and a WAL segment or two
	usual := os.TempDir()
	t.Setenv("TMPDIR", c.disk.At)
	c.server = cell.Server(t, "servers", major, scratch.Options{Settings: settings,
		InitDB: []string{"--wal-segsize=1"}})
	t.Setenv("TMPDIR", usual)
	c.Cell = cell.New(t, "servers")
	return c
}

// kept is what has to be as before: the configuration, and which files there are.
func (c *crowded) kept(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{"*", ".*", "*.d/*", "*.d/.*"} {
		names, err := filepath.Glob(filepath.Join(c.server.DataDir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			all[name] = ""
			if strings.HasSuffix(name, ".conf") {
				maps.Copy(all, cell.Files(t, name))
			}
		}
	}
	return all
}

// values are what the running server has.
func (c *crowded) values(t *testing.T, names ...string) string {
	t.Helper()
	conn := connect(t, c.server.ConnString())
	var out []string
	for _, n := range names {
		out = append(out, n+"="+sql(t, conn, "show "+n))
	}
	return strings.Join(out, " ")
}

// TestDiskFullUnderTheData: at every point at which the disk of the data
// directory can be full, the settings are all set or none of them, the server
// runs, and with room again they are set and taken back byte for byte.
func TestDiskFullUnderTheData(t *testing.T) {
	off := map[string]string{"allow_alter_system": "off", "include_dir": "conf.d"}
	for _, v := range []struct {
		title, kind string
		major       int
		settings    map[string]string
	}{{"ALTER SYSTEM", "ext4", 15, nil}, {"ALTER SYSTEM", "tmpfs", 18, nil}, {"a drop-in", "ext4", 18, off}} {
		t.Run(fmt.Sprintf("pg%d on %s by %s", v.major, v.kind, v.title), func(t *testing.T) {
			settings := maps.Clone(v.settings)
			delete(settings, "include_dir")
			c := newCrowded(t, v.major, v.kind, settings)
			if v.settings["include_dir"] != "" {
				folder := filepath.Join(c.server.DataDir, v.settings["include_dir"])
				if err := os.Mkdir(folder, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.Chown(folder, c.server.Account.UID, c.server.Account.GID); err != nil {
					t.Fatal(err)
				}
				if err := c.server.Configure(map[string]string{"include_dir": v.settings["include_dir"]}); err != nil {
					t.Fatal(err)
				}
				restart(t, c.server, nil)
			}
			pins := []string{"pg:work_mem=9MB", "pg:random_page_cost=1.3",
				"pg:log_line_prefix=" + strings.Repeat("%m", 40), "pg:shared_buffers=64MB", "pg:huge_pages=off"}
			for _, effect := range []string{"reload", "restart"} {
				t.Run(effect, func(t *testing.T) {
					args := []string{"apply", "--yes", "--max-effect", effect, c.server.DataDir}
					var only []string
					for _, p := range pins {
						address, _, _ := strings.Cut(p, "=")
						only = append(only, address)
						args = append(args, "--pin", p)
					}
					args = append(args, "--only", strings.Join(only, ","))
					c.Sh("rm -rf /var/lib/pgfettle")
					watched := []string{"work_mem", "random_page_cost", "shared_buffers", "huge_pages"}
					before, files := c.values(t, watched...), c.kept(t)
					failed := 0
					for _, leave := range levels(c.disk.Block, effect) {
						c.disk.Fill(t, leave)
						r := c.Run(args...)
						c.disk.Empty(t)
						if !c.server.Running() {
							t.Fatalf("%d bytes left: the server is down: %s", leave, r)
						}
						if r.Code == 0 {
							break
						}
						failed++
						// A restart that would fail is refused before anything is written.
						if want := map[string]int{"reload": 6, "restart": 1}[effect]; r.Code != want {
							t.Errorf("%d bytes left, exit code %d, want %d: %s", leave, r.Code, want, r)
						}
						if journals := c.Files("/var/lib/pgfettle/journal"); effect == "restart" && len(journals) > 1 {
							t.Errorf("%d bytes left, a journal was written", leave)
						}
						if strings.Count(r.Stderr, "pgfettle: error: ") != 1 ||
							strings.Count(r.Stderr, "pgfettle: hint: ") != 1 ||
							!strings.Contains(strings.ToLower(r.Stderr), "no space left on device") &&
								!strings.Contains(r.Stderr, "no room on disk") {
							t.Errorf("%d bytes left, not one error with one hint: %s", leave, r.Stderr)
						}
						if diff := cmp.Diff(files, c.kept(t)); diff != "" {
							t.Errorf("%d bytes left, files:\n%s", leave, diff)
						}
						if now := c.values(t, watched...); now != before {
							t.Errorf("%d bytes left: %s, and were %s", leave, now, before)
						}
						c.Sh("rm -rf /var/lib/pgfettle") // an apply that failed whole needs no undo
					}
					if failed == 0 {
						t.Error("the disk was never full")
					}
					if now := c.values(t, watched...); !strings.HasPrefix(now, "work_mem=9MB random_page_cost=1.3 ") {
						t.Errorf("with room: %s", now)
					}
					c.Want(0, "undo", "--max-effect", "restart")
					if diff := cmp.Diff(files, c.kept(t)); diff != "" {
						t.Errorf("taken back, files:\n%s", diff)
					}
					if now := c.values(t, watched...); now != before {
						t.Errorf("taken back: %s, and were %s", now, before)
					}
				})
			}
		})
	}
}

// levels are how much room is left, from none to enough.
func levels(block int64, effect string) []int64 {
	if effect == "restart" {
		const segment = 1 << 20 // that of these servers
		return []int64{0, block, 4 * block, segment, 4 * segment}
	}
	var out []int64
	for leave := int64(0); leave <= 16*block; leave += block {
		out = append(out, leave)
	}
	return out
}

// TestNoRestartOnAFullDisk: a server is not stopped that could not start again, also where the disk filled up only
// after the plan was examined.
func TestNoRestartOnAFullDisk(t *testing.T) {
	c := newCrowded(t, 15, "ext4", nil)
	p := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
	in := &read(t, evidenceOf(t, c.server, false)).Instances[0]
	pid := c.server.PID()
	c.disk.Fill(t, 2*c.disk.Block)
	err := p.Activate(t.Context(), in, knob.Restart)
	c.disk.Empty(t)
	wantProblem(t, err, 1, "no room on disk")
	if c.server.PID() != pid {
		t.Errorf("process %d was %d", c.server.PID(), pid)
	}
	activate(t, p, in, knob.Restart)
	if c.server.PID() == pid || !c.server.Running() {
		t.Error("not restarted, with room")
	}
}

// TestDiskFullUnderTheScratchCopy: no room to try the settings says nothing of
// the settings, and nothing is written untried.
func TestDiskFullUnderTheScratchCopy(t *testing.T) {
	c := cell.New(t, "servers")
	i := cell.Server(t, "servers", 15, scratch.Options{})
	scratch := c.Dir + "/scratch"
	d := c.Disk("tmpfs", 1<<20, scratch)
	c.Sh(`chmod 1777 "$0"`, scratch)
	auto := i.DataDir + "/postgresql.auto.conf"
	before := cell.Files(t, auto)
	// From room for the mark of whose the directory is, without which the place would be /tmp, to room for all but the
	// server's own lock file.
	for leave := int64(1); leave <= 10; leave++ {
		d.Fill(t, leave*d.Block)
		r := c.Exec(nil, []string{"TMPDIR=" + scratch}, cell.Binary(t), "apply", "--yes", "--pin", "pg:work_mem=9MB",
			"--only", "pg:work_mem", i.DataDir)
		d.Empty(t)
		if left := c.Files(scratch); len(left) != 1 {
			t.Errorf("%d blocks left, left behind: %v", leave, left)
		}
		if r.Code == 0 {
			if leave == 1 {
				t.Error("the disk was never full")
			}
			return
		}
		if r.Code != 1 || strings.Count(r.Stderr,
			"pgfettle: error: the settings cannot be tried on a scratch copy\n") != 1 ||
			!strings.Contains(r.Stderr, "hint: Free space in "+scratch) {
			t.Errorf("%d blocks left: %s", leave, r)
		}
		if diff := cmp.Diff(before, cell.Files(t, auto)); diff != "" {
			t.Errorf("%d blocks left:\n%s", leave, diff)
		}
	}
	t.Error("ten blocks are not enough")
}
