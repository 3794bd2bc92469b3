package memory_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	_ "github.com/pgfettle/pgfettle/test/golden" // the flag -update
	"github.com/pgfettle/pgfettle/test/hosts"
)

func crowds(t *testing.T) map[string]*memory.Report {
	t.Helper()
	list, err := hosts.Crowds()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*memory.Report{}
	for _, c := range list {
		out[c.Name] = memory.Diagnose(c.Snapshot, hosts.Buffers(c.Snapshot))
	}
	return out
}

// TestMemoryGolden holds the whole document of each host, except for the list of all processes, of which the first two
// stand for the rest.
func TestMemoryGolden(t *testing.T) {
	for name, r := range crowds(t) {
		t.Run(name, func(t *testing.T) {
			for i := range r.Instances {
				ps := r.Instances[i].Processes
				r.Instances[i].Processes = ps[:min(len(ps), 2)]
			}
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", " ")
			if err := enc.Encode(r); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", name+".json")
			if flag.Lookup("update").Value.String() == "true" {
				if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("-want +got\n%s", d)
			}
		})
	}
}

// TestMemoryAddsUp: the parts of the host are the whole, the kinds of processes
// are the sum, and so are the processes themselves.
func TestMemoryAddsUp(t *testing.T) {
	for name, r := range crowds(t) {
		if r.Host != nil {
			var sum unit.Bytes
			for _, p := range r.Host.Parts {
				if p.Size < 0 {
					t.Errorf("%s: %s is %s", name, p.Name, p.Size)
				}
				sum += p.Size
			}
			if sum != r.Host.Total {
				t.Errorf("%s: the parts add up to %s of %s", name, sum, r.Host.Total)
			}
		}
		for _, in := range r.Instances {
			var tables, private unit.Bytes
			n := 0
			for _, k := range in.Kinds {
				n, tables, private = n+k.Processes, tables+k.PageTables, private+k.Private
			}
			if n != len(in.Processes) || n != in.Sum.Processes || tables != in.Sum.PageTables ||
				private != in.Sum.Private {
				t.Errorf("%s: %d processes with %s and %s; the sum is %+v", name, n, tables, private, in.Sum)
			}
			for _, o := range in.Options[min(1, len(in.Options)):] {
				base := in.Options[0]
				if got := base.PageTables + base.Shared +
					base.Private - o.PageTables - o.Shared - o.Private; got != o.Saves || o.Saves < 0 {
					t.Errorf("%s: %s saves %s, and not %s", name, o.ID, got, o.Saves)
				}
			}
		}
	}
}

// TestMemoryOfTheArticles: the numbers of the founding articles. 1,500 connections and 16 GB without huge pages: 47 GB
// of page tables in the worst case, and next to nothing with them.
func TestMemoryOfTheArticles(t *testing.T) {
	r := crowds(t)
	in := r["many_connections"].Instances[0]
	if w := in.Options[0].PageTables; w < 46*unit.GB || w > 50*unit.GB {
		t.Errorf("the worst case is %s", w)
	}
	if in.Options[1].ID != memory.OnHuge || in.Options[1].PageTables > 600*unit.MB {
		t.Errorf("on huge pages: %+v", in.Options[1])
	}
	if l := r["many_connections"].Level; l != memory.Critical {
		t.Errorf("%s", l)
	}
	for _, o := range r["huge_pages"].Instances[0].Options {
		if o.ID == memory.OnHuge {
			t.Error("huge pages are in use and are advised all the same")
		}
	}
	// The kernel counts the shared memory of a backend on regular pages, and not that in huge pages: there java is
	// chosen, here a backend.
	if v := r["many_connections"].OOM[0].Next[0]; v.Kind == "" || v.Shared < 14*unit.GB {
		t.Errorf("chosen on ordinary pages: %+v", v)
	}
	if v := r["huge_pages"].OOM[0].Next[0]; v.Name != "java" {
		t.Errorf("chosen on huge pages: %+v", v)
	}
	for _, v := range r["huge_pages"].OOM[0].Next {
		if v.PID == 1 || v.PID == 7000 {
			t.Errorf("%s may not be chosen", v.Name)
		}
	}
	// Inside a container the limit of its cgroup is what counts, and the server names its processes by other numbers
	// than the host.
	c := r["container"]
	if c.OOM[0].Total != 4*unit.GB || c.OOM[0].Scope == "host" {
		t.Errorf("container: %+v", c.OOM[0])
	}
	if p := c.Instances[0].Processes[2]; p.Database == "" || p.PID != 102 {
		t.Errorf("container: %+v", p)
	}
	// A number that the server gave for another process identifies no process.
	for _, p := range r["many_connections"].Instances[0].Processes {
		if p.Role == "batch" {
			t.Errorf("%+v has the session of the process that bore its number before", p)
		}
	}
}

// TestOutcome holds what the death of a process means: only one that uses the shared memory ends all sessions.
func TestOutcome(t *testing.T) {
	for _, c := range []struct{ kind, version, want string }{
		{"backend", "17.5", "terminates all sessions"}, {"logger", "17.5", "its sessions continue"},
		{"stats collector", "14.2", "its sessions continue"}, {"archiver", "13.9", "its sessions continue"},
		{"archiver", "14.2", "terminates all sessions"}, {"postmaster", "17.5", "The whole instance stops"},
	} {
		major, minor, _ := strings.Cut(c.version, ".")
		m, err1 := strconv.Atoi(major)
		n, err2 := strconv.Atoi(minor)
		if err1 != nil || err2 != nil {
			t.Fatal(c.version)
		}
		s := &snapshot.Snapshot{Host: host.Host{Memory: known.Is(host.Memory{Total: unit.GB})},
			Instances: []snapshot.Instance{{Key: "1", DataDirectory: known.Is("/a"),
				Server: pg.Server{Version: known.Is(unit.MajorVersion(m) + unit.Version(n))},
				Processes: known.Is([]host.Process{{PID: 9, Name: "postgres", Kind: c.kind, RSS: unit.MB,
					OOMScoreAdj: known.Is(0)}})}}}
		r := memory.Diagnose(s, nil)
		if len(r.OOM) != 1 || !strings.Contains(r.OOM[0].Outcome.String(), c.want) {
			t.Errorf("%s of %s: %+v", c.kind, c.version, r.OOM)
		}
	}
}
