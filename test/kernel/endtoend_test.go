package kernel

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// TestWholeApply: the real program applies a whole plan to kernel and server,
// the server runs on huge pages, fewer findings are left, every value holds, and
// undo brings kernel and files back as they were.
func TestWholeApply(t *testing.T) {
	for _, major := range []int{15, 18} {
		t.Run(fmt.Sprintf("pg%d", major), func(t *testing.T) {
			h := newHost(t, major)
			worsen(t)
			before, files, auto := values(t), h.Files("/etc"), cell.Files(t, h.auto())
			was := h.findings(t)

			apply := []string{"apply", "--yes", "--max-effect", "restart", h.server.DataDir}
			for _, pin := range []string{"pg:shared_buffers=1GB", "sysctl:vm.swappiness=10",
				"sysctl:vm.dirty_bytes=536870912", "sysctl:vm.dirty_background_bytes=67108864"} {
				apply = append(apply, "--pin", pin)
			}
			h.Want(0, apply...)
			j := h.lastJournal(t)
			addresses := map[string]bool{}
			for _, c := range j.Changes {
				addresses[c.Address] = true
				if c.State != "done" {
					t.Errorf("%s is %s", c.Address, c.State)
				}
				if name, ok := strings.CutPrefix(c.Address, "sysctl:"); ok {
					if got := is(t, "/proc/sys/"+strings.ReplaceAll(name, ".", "/")); got != c.After {
						t.Errorf("%s is %s in the kernel, and %s in the journal", name, got, c.After)
					}
				}
			}
			for _, a := range []string{"sysctl:vm.nr_hugepages", "sysctl:vm.swappiness", "sysctl:vm.dirty_bytes",
				"sysctl:vm.dirty_background_bytes", "thp:enabled", "pg:shared_buffers", "pg:huge_pages"} {
				if !addresses[a] {
					t.Errorf("%s was not applied", a)
				}
			}
			if got := is(t, thpEnabled); strings.Contains(got, "[always]") {
				t.Errorf("transparent huge pages: %s", got)
			}
			h.onHugePages(t)
			now := h.findings(t)
			for _, gone := range []string{"shared_buffers_default", "thp_always"} {
				if !was[gone] || now[gone] {
					t.Errorf("finding %s: before %v, after %v", gone, was[gone], now[gone])
				}
			}
			if len(now) >= len(was) {
				t.Errorf("%d findings before, %d after: %v, %v", len(was), len(now), was, now)
			}
			if r := h.Want(0, "status", "--exit-code", "--format", "json"); strings.Contains(r.Stdout, `"changed"`) ||
				strings.Contains(r.Stdout, `"lost"`) || !strings.Contains(r.Stdout, "sysctl:vm.nr_hugepages") {
				t.Errorf("status: %s", r)
			}
			if r := h.Want(0, apply...); h.journals(t) != 1 {
				t.Errorf("a second apply has something to do: %s", r)
			}

			h.Want(0, "undo", "--max-effect", "restart")
			if diff := cmp.Diff(before, values(t)); diff != "" {
				t.Errorf("values after the undo:\n%s", diff)
			}
			if diff := cmp.Diff(files, h.Files("/etc")); diff != "" {
				t.Errorf("files after the undo:\n%s", diff)
			}
			if diff := cmp.Diff(auto, cell.Files(t, h.auto())); diff != "" {
				t.Errorf("postgresql.auto.conf after the undo:\n%s", diff)
			}
			if got := h.ask(t, "show shared_buffers"); got != "128MB" {
				t.Errorf("shared_buffers after the undo: %s", got)
			}
			if err := h.server.Stop(); err != nil {
				t.Fatal(err)
			}
			if m := meminfo(t); m["HugePages_Total"] != 0 {
				t.Errorf("pages are left behind: %v", m)
			}
		})
	}
}

const thpEnabled = "/sys/kernel/mm/transparent_hugepage/enabled"

// worsen gives the kernel values that a plan changes, and them back at the end.
func worsen(t *testing.T) {
	t.Helper()
	word := regexp.MustCompile(`\[(.*)\]`).FindStringSubmatch(is(t, thpEnabled))
	if word == nil {
		tier.Missing(t, tier.Kernel, "this kernel has no transparent huge pages")
	}
	put := func(v string) {
		if err := os.WriteFile(thpEnabled, []byte(v), 0); err != nil {
			t.Fatal(err)
		}
	}
	put("always")
	t.Cleanup(func() { put(word[1]) })
}

func (h *host) auto() string { return h.server.DataDir + "/postgresql.auto.conf" }

// findings are the checks that fired.
func (h *host) findings(t *testing.T) map[string]bool {
	t.Helper()
	var doc struct {
		Findings []struct{ ID string }
	}
	if err := json.Unmarshal([]byte(h.Want(0, "check", "--format", "json", h.server.DataDir).Stdout),
		&doc); err != nil {
		t.Fatal(err)
	}
	out := map[string]bool{}
	for _, f := range doc.Findings {
		out[f.ID] = true
	}
	return out
}

type journalDoc struct {
	ID, State string
	Changes   []struct{ Address, Before, After, State string }
}

func (h *host) lastJournal(t *testing.T) journalDoc {
	t.Helper()
	var j journalDoc
	if err := json.Unmarshal([]byte(h.Want(0, "journal", "show", "--format", "json").Stdout), &j); err != nil {
		t.Fatal(err)
	}
	return j
}

func (h *host) journals(t *testing.T) int {
	t.Helper()
	var doc struct{ Journals []struct{ ID string } }
	if err := json.Unmarshal([]byte(h.Want(0, "journal", "--format", "json").Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	return len(doc.Journals)
}

// ask asks the server one thing.
func (h *host) ask(t *testing.T, query string) string {
	t.Helper()
	return ask(t, h.server, query)
}

func ask(t *testing.T, i *scratch.Instance, query string) string {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), i.ConnString())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(t.Context())
	r := c.ExecParams(t.Context(), query, nil, nil, nil, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		t.Fatalf("%s: %v", query, r.Err)
	}
	return string(r.Rows[0][0])
}

// onHugePages verifies that the server's shared memory is on them: as it says itself from 17 on, as its maps say, and
// as the kernel counts.
func (h *host) onHugePages(t *testing.T) {
	t.Helper()
	if h.server.Binaries.Version.Major() >= 17 {
		if got := h.ask(t, "show huge_pages_status"); got != "on" {
			t.Errorf("huge_pages_status is %s", got)
		}
	}
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", h.server.PID()))
	if err != nil || !strings.Contains(string(maps), "/anon_hugepage") {
		t.Errorf("no huge page is mapped by the server: %v", err)
	}
	m := meminfo(t)
	const least = 512 // 1 GB of buffers alone
	if used := m["HugePages_Total"] - m["HugePages_Free"] + m["HugePages_Rsvd"]; used < least ||
		m["HugePages_Surp"] != 0 || used > m["HugePages_Total"] {
		t.Errorf("%d huge pages are used or promised: %v", used, m)
	}
}

// meminfo reads the counts of huge pages.
func meminfo(t *testing.T) map[string]int {
	t.Helper()
	out := map[string]int{}
	for line := range strings.Lines(is(t, "/proc/meminfo")) {
		f := strings.Fields(line)
		if name, ok := strings.CutSuffix(f[0], ":"); ok && strings.HasPrefix(name, "HugePages_") {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			out[name] = n
		}
	}
	return out
}
