package kernel

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/tier"
)

// formPins make a plan of every kind of value: plain and quoted settings, kernel
// parameters in pairs, a pool of huge pages; and none that asks
// for a restart before it may be made.
var formPins = []string{"pg:shared_buffers=1GB", `pg:log_line_prefix=%m [%p] it's "%a" \:`,
	"sysctl:vm.overcommit_memory=0", "sysctl:vm.swappiness=10",
	"sysctl:vm.dirty_bytes=536870912", "sysctl:vm.dirty_background_bytes=67108864"}

type plannedDoc struct {
	Changes []struct {
		Address string
		To      string
		ToBase  string `json:"to_base"`
		Effect  string
	}
}

func (h *host) planned(t *testing.T) plannedDoc {
	t.Helper()
	var p plannedDoc
	if err := json.Unmarshal([]byte(h.form("json")), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

func (h *host) form(format string, more ...string) string {
	args := []string{"plan", "--format", format, h.server.DataDir}
	if format != "json" {
		args = append(args, "--accept-risk", "all") // all of the plan has to be in force after it
	}
	for _, p := range append(more, formPins...) {
		args = append(args, "--pin", p)
	}
	return h.Want(0, args...).Stdout
}

// carriedOut verifies that kernel, files and server have what was planned, and that a plan of the result has nothing
// more to change.
func (h *host) carriedOut(t *testing.T, p plannedDoc) {
	t.Helper()
	sysctl, err := os.ReadFile(h.Path(dropIn))
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]int{}
	for _, c := range p.Changes {
		kind, name, _ := strings.Cut(c.Address, ":")
		kinds[kind]++
		switch kind {
		case "sysctl":
			if got := is(t, "/proc/sys/"+strings.ReplaceAll(name, ".", "/")); got != c.ToBase {
				t.Errorf("%s is %s, planned %s", name, got, c.ToBase)
			}
			line := regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(name)+
				` ?= ?(.*)$`).FindAllStringSubmatch(string(sysctl), -1)
			if len(line) != 1 || line[0][1] != c.ToBase {
				t.Errorf("%s: lines %q, planned %s", name, line, c.ToBase)
			}
		case "thp":
			if got := is(t, "/sys/kernel/mm/transparent_hugepage/"+name); !strings.Contains(got, "["+c.ToBase+"]") {
				t.Errorf("%s is %s, planned %s", c.Address, got, c.ToBase)
			}
			text, err := os.ReadFile(h.Path("/etc/tmpfiles.d/60-pgfettle.conf"))
			if line := "w /sys/kernel/mm/transparent_hugepage/" + name + " - - - - " + c.ToBase + "\n"; err != nil ||
				strings.Count(string(text), line) != 1 {
				t.Errorf("%s: %v: %s", c.Address, err, text)
			}
		}
	}
	if kinds["pg"] < 10 || kinds["sysctl"] < 4 || kinds["thp"] != 1 {
		t.Errorf("the plan has too little in it: %v", kinds)
	}
	// What waits for a restart gets one: a form never restarts unasked.
	if err := h.server.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := h.server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range h.planned(t).Changes {
		t.Errorf("planned again: %s → %s", c.Address, c.To)
	}
	if got, want := h.ask(t, "show log_line_prefix"), `%m [%p] it's "%a" \:`; got != want {
		t.Errorf("log_line_prefix %q, want %q", got, want)
	}
	h.onHugePages(t)
}

// back puts the kernel and the server back as they were: no form does that by
// itself.
func (h *host) back(t *testing.T, before map[string]string) {
	t.Helper()
	if err := h.server.Stop(); err != nil {
		t.Error(err)
	}
	putBack(before, values(t))
}

// TestScriptOnAHost: the script is run by sh, and does what was planned; a second
// run changes nothing; what it kept is what was there.
func TestScriptOnAHost(t *testing.T) {
	h := newHost(t, 15)
	worsen(t)
	before := values(t)
	t.Cleanup(func() { h.back(t, before) })
	was := "# somebody's\n vm.swappiness=33\nvm.stat_interval = 1\n"
	if err := os.WriteFile(h.Path(dropIn), []byte(was), 0o640); err != nil {
		t.Fatal(err)
	}
	auto := cell.Files(t, h.auto())[h.auto()]
	p := h.planned(t)
	script := filepath.Join(h.Dir, "script.sh")
	if err := os.WriteFile(script, []byte(h.form("script")), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("shellcheck"); err != nil {
		tier.Missing(t, tier.Kernel, "%v", err)
	}
	if out, err := exec.Command("shellcheck", "--shell=sh", "--severity=style", script).CombinedOutput(); err != nil {
		t.Errorf("shellcheck: %v\n%s", err, out)
	}
	big := filepath.Join(h.Dir, "big.sh")
	if err := os.WriteFile(big, []byte(h.form("script", "sysctl:vm.nr_hugepages=1000000")), 0o600); err != nil { // 2 TB
		t.Fatal(err)
	}
	untouched := h.Files("/etc", "/var/lib")
	if r := h.Exec(nil, nil, "sh", big); r.Code != 1 || !strings.Contains(r.Stderr, "no room for 1000000 huge pages") {
		t.Errorf("more pages than memory: %s", r)
	}
	if diff := cmp.Diff(untouched, h.Files("/etc", "/var/lib")) + cmp.Diff(before, values(t)); diff != "" {
		t.Errorf("refused, and touched:\n%s", diff)
	}
	run := func() {
		t.Helper()
		if r := h.Exec(nil, nil, "sh", script); r.Code != 0 || r.Stderr != "" {
			t.Fatal(r)
		}
	}
	run()
	files, live, sql := h.Files("/etc"), values(t), cell.Files(t, h.auto())
	if st, err := os.Stat(h.Path(dropIn)); err != nil || st.Mode().Perm() != 0o640 {
		t.Errorf("the mode of a file that was there: %v, %v", st.Mode(), err)
	}
	run()
	for what, diff := range map[string]string{"files": cmp.Diff(files, h.Files("/etc")),
		"values": cmp.Diff(live, values(t)), "settings": cmp.Diff(sql, cell.Files(t, h.auto()))} {
		if diff != "" {
			t.Errorf("%s after a second run:\n%s", what, diff)
		}
	}
	for name, want := range map[string]string{dropIn: was, h.auto(): auto} {
		kept, err := filepath.Glob(h.Path("/var/lib/pgfettle/script-*/files" + name))
		if err != nil || len(kept) != 1 {
			t.Fatalf("%s is not kept: %v, %v", name, kept, err)
		}
		if b, err := os.ReadFile(kept[0]); err != nil || !strings.HasSuffix(want, string(b)) || len(b) == 0 {
			t.Errorf("kept of %s: %v\n%s", name, err, b)
		}
	}
	h.carriedOut(t, p)
}

// TestPlaybookOnAHost: ansible-playbook carries it out with the collections that
// it names; a second run changes nothing.
func TestPlaybookOnAHost(t *testing.T) {
	if _, err := exec.LookPath("ansible-playbook"); err != nil {
		tier.Missing(t, tier.Kernel, "%v", err)
	}
	h := newHost(t, 15)
	worsen(t)
	before := values(t)
	t.Cleanup(func() { h.back(t, before) })
	p := h.planned(t)
	book := filepath.Join(h.Dir, "book.yml")
	if err := os.WriteFile(book, []byte(h.form("ansible")), 0o644); err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`(?m)^  hosts: "?([^"\n]*)"?$`).FindSubmatch([]byte(h.form("ansible")))
	if name == nil {
		t.Fatal("the playbook names no host")
	}
	recap := func() string {
		t.Helper()
		owner := h.Exec(nil, nil, "stat", "-c", "%U", h.server.DataDir).Stdout
		r := h.Exec(nil, []string{"ANSIBLE_LOCAL_TEMP=" + h.Dir + "/home/local", "ANSIBLE_REMOTE_TEMP=" + h.Dir +
			"/home/remote", "ANSIBLE_PIPELINING=1", "ANSIBLE_NOCOLOR=1",
			"ANSIBLE_BECOME_METHOD=su", "ANSIBLE_PYTHON_INTERPRETER=/usr/bin/python3", "LC_ALL=C.UTF-8"},
			"ansible-playbook", "-i", string(name[1])+",", "-c", "local",
			"-e", "pgfettle_owner="+strings.TrimSpace(owner), book)
		if r.Code != 0 {
			t.Fatal(r)
		}
		_, last, _ := strings.Cut(r.Stdout, "PLAY RECAP")
		return strings.Join(strings.Fields(last), " ") + "\n" + r.Stdout
	}
	if first := recap(); strings.Contains(first, " changed=0 ") || !strings.Contains(first, " failed=0 ") {
		t.Errorf("first run: %s", first)
	}
	h.carriedOut(t, p)
	if second := recap(); !strings.Contains(second, " changed=0 ") || !strings.Contains(second, " failed=0 ") {
		t.Errorf("second run: %s", second)
	}
	h.carriedOut(t, plannedDoc{Changes: p.Changes})
}
