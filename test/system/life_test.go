package system

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestLife is the life of one machine, on one disk: what is seen there before
// anything is done; an apply, with drop-ins, parameters of the kernel and of its
// boot, rules of udev and a restart through the unit; a boot after it; an undo; an
// instance that is created; another boot, which it starts at; its undo; a query that
// takes all memory; the plan as a script; a last boot; and the same query again.
func TestLife(t *testing.T) {
	needed(t)
	dir := t.TempDir()
	tools, err := tools(dir)
	if err != nil {
		t.Fatal(err)
	}
	img := fetched(t, dir)

	g := boot(t, img, tools)
	g.sh(t, firstBoot)
	facts(t, g)
	files, values := g.files(t), g.values(t)
	p := carryOut(t, g)
	applied := g.values(t)
	g.off(t)

	g = boot(t, img, tools)
	holds(t, g, p, applied)
	takeBack(t, g, files, values)
	extra := create(t, g)
	g.off(t)

	g = boot(t, img, tools)
	created(t, g, extra)
	uncreate(t, g)
	differ(t, "files after undo and a boot", files, g.files(t))
	differ(t, "values after undo and a boot", values, g.values(t))
	onHugePages(t, g, false)
	t.Run("MemoryRunsOut", func(t *testing.T) { killed(t, g) })
	p = script(t, g)
	g.off(t)

	g = boot(t, img, tools)
	scripted(t, g, p)
	t.Run("MemoryRunsOutStrictly", func(t *testing.T) { spared(t, g) })
}

// bounds are what the tests ask of a plan: huge pages, which a machine of 3 GB does not get by default, and so few
// sessions that strict overcommit has room for them.
//
// The timings are pinned as they are: whether they are planned depends on the clock
// source, and an emulated machine keeps its tsc at one boot and not at another.
var bounds = []string{"--pin", "pg:huge_pages=on", "--connections", "20", "--pin", "pg:track_io_timing=off", "--pin",
	"pg:track_wal_io_timing=off"}

func (g *guest) plan(t *testing.T) (*plan.Plan, string) {
	t.Helper()
	r := g.fettle(t, 0, append([]string{"plan", "--format", "json"}, bounds...)...)
	p, _, err := plan.Decode([]byte(r.Stdout))
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Stdout)
	}
	return p, r.Stdout
}

func change(t *testing.T, p *plan.Plan, a knob.Address) plan.Change {
	t.Helper()
	i := slices.IndexFunc(p.Changes, func(c plan.Change) bool { return c.Address == a })
	if i < 0 {
		t.Fatalf("the plan does not have %s", a)
	}
	return p.Changes[i]
}

// facts holds what the program sees against what the machine's own tools say.
func facts(t *testing.T, g *guest) {
	t.Helper()
	r := g.fettle(t, 0, "snapshot")
	a, err := evidence.Parse([]byte(r.Stdout))
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
	in := &s.Instances[0]
	want, got := map[string]string{}, map[string]string{}
	mem, ok1 := s.Host.Memory.Get()
	got["memory"], want["memory"] = fmt.Sprint(int64(mem.Total/unit.KB)),
		g.line(t, "awk '$1 == \"MemTotal:\" { print $2 }' /proc/meminfo")
	nodeList, ok2 := s.Host.Nodes.Get()
	var each []string
	for _, n := range nodeList {
		each = append(each, fmt.Sprintf("node%d %s %d", n.ID, n.CPUs, int64(n.Total/unit.KB)))
	}
	got["nodes"] = strings.Join(each, "; ")
	each = nil
	for n := range nodes {
		each = append(each,
			g.line(t,
				fmt.Sprintf(
					"d=/sys/devices/system/node/node%d; echo node%d $(cat $d/cpulist) $(awk '$3 == \"MemTotal:\" { "+
						"print $4 }' $d/meminfo)", n, n)))
	}
	want["nodes"] = strings.Join(each, "; ")
	cg, ok3 := in.CGroup.Get()
	got["cgroup"], want["cgroup"] = fmt.Sprintf("%d %s", cg.Version, cg.Path),
		"2 "+g.line(t, "systemctl show --value -p ControlGroup postgresql@15-main")
	u, ok4 := in.Unit.Get()
	got["unit"], want["unit"] = fmt.Sprintf("%s OOMPolicy=%s OOMScoreAdjust=%s", u.Name, u.OOMPolicy,
		u.Properties["OOMScoreAdjust"]),
		"postgresql@15-main.service OOMPolicy=stop OOMScoreAdjust=-900"
	data, ok5 := in.DataDirectory.Get()
	got["data"], want["data"] = data, g.sql(t, "show data_directory")
	version, ok6 := in.Server.Version.Get()
	got["version"], want["version"] = version.String(), strings.Fields(g.sql(t, "show server_version"))[0]
	kernel, ok7 := s.Host.Kernel.Get()
	got["kernel"], want["kernel"] = kernel.Release, g.line(t, "uname -r")
	virt, ok8 := s.Host.Virt.Get()
	got["container"], want["container"] = virt.Container, ""
	for i, ok := range []bool{ok1, ok2, ok3, ok4, ok5, ok6, ok7, ok8} {
		if !ok {
			t.Errorf("fact %d of those that are compared here is unknown", i+1)
		}
	}
	differ(t, "facts", want, got)

	var found struct {
		Findings []struct {
			ID       string `json:"id"`
			Severity string `json:"severity"`
		} `json:"findings"`
	}
	r = g.fettle(t, 3, "check", "--format", "json", "--fail-on", "warning")
	if err := json.Unmarshal([]byte(r.Stdout), &found); err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, f := range found.Findings {
		ids[f.ID] = f.Severity
	}
	for id, severity := range map[string]string{"oom_policy_stop": "warning", "thp_always": "notice"} {
		if ids[id] != severity {
			t.Errorf("check %s: %q, want %q; found were %v", id, ids[id], severity, ids)
		}
	}
}

// byHand are changes that no rule plans on this machine and that a person may add to
// a plan file of his own: every kind of knob of a host is then among those applied.
func byHand(pages string) []plan.Change {
	list := []plan.Change{
		{Address: "unit:LimitNOFILE", From: "524288", To: "65536", Effect: knob.Now},
		{Address: "block:nvme0n1/read_ahead_kb", From: "128", To: "256", Effect: knob.Now},
		{Address: "boot:transparent_hugepage", To: "madvise", Effect: knob.Reboot},
		{Address: "boot:hugepages", To: pages, Effect: knob.Reboot},
	}
	for i := range list {
		c := &list[i]
		c.Layer, c.FromBase, c.ToBase, c.Risk = c.Address.Layer(), c.From, c.To, knob.Low
		c.Title, c.Reason = "added by hand", say.Text("added by hand")
	}
	return list
}

// withChanges puts changes before those of a plan in its JSON form.
func withChanges(t *testing.T, text string, list []plan.Change) string {
	t.Helper()
	var doc map[string]any
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	all := []any{}
	for _, c := range list {
		all = append(all, c)
	}
	doc["changes"] = append(all, doc["changes"].([]any)...)
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// carryOut applies a plan and looks at the machine itself for what has become of
// it. It returns the plan with all that was applied.
func carryOut(t *testing.T, g *guest) *plan.Plan {
	t.Helper()
	p, text := g.plan(t)
	pages := change(t, p, "sysctl:vm.nr_hugepages").ToBase
	for a, to := range map[knob.Address]string{"unit:OOMPolicy": "continue", "thp:enabled": "madvise",
		"pg:huge_pages": "on", "sysctl:vm.overcommit_memory": "2"} {
		if c := change(t, p, a); c.To != to {
			t.Errorf("%s is planned to be %s, want %s", a, c.To, to)
		}
	}
	// where a rule has come to plan it, it is among those already
	extra := slices.DeleteFunc(byHand(pages), func(c plan.Change) bool {
		return slices.ContainsFunc(p.Changes, func(o plan.Change) bool { return o.Address == c.Address })
	})
	g.put(t, "/root/plan.json", withChanges(t, text, extra))
	p.Changes = append(extra, p.Changes...)
	was := g.postmaster(t)
	invocation := g.line(t, "systemctl show --value -p InvocationID postgresql@15-main")
	said := g.fettle(t, 0, "apply", "/root/plan.json", "--yes", "--max-effect", "reboot", "--accept-risk", "all")
	t.Logf("%s", lastLines(said.Stdout, 12))

	var j struct{ journal.Journal }
	id := g.lastJournal(t)
	if err := json.Unmarshal([]byte(g.fettle(t, 0, "journal", "show", id, "--format", "json").Stdout), &j); err != nil {
		t.Fatal(err)
	}
	if j.State != journal.Whole || len(j.Changes) != len(p.Changes) {
		t.Errorf("journal %s is %s, with %d changes of %d", id, j.State, len(j.Changes), len(p.Changes))
	}
	for _, c := range j.Changes {
		if c.State != journal.IsDone {
			t.Errorf("%s is %s: %s", c.Address, c.State, c.Reason)
		}
	}

	// The restart went through the unit: another start of it, another postmaster, in its cgroup, with what the drop-in
	// says.
	if now := g.line(t, "systemctl show --value -p InvocationID postgresql@15-main"); now == invocation || now == "" {
		t.Errorf("the unit was not started anew: %s", now)
	}
	pm := g.postmaster(t)
	if pm == was {
		t.Errorf("the postmaster is the same, %s", pm)
	}
	if s := g.line(t, "systemctl is-system-running"); s != "running" {
		t.Errorf("systemd says it is %s", s)
	}
	inForce(t, g, p)
	onHugePages(t, g, true)
	differ(t, "command line of the running "+
		"kernel", "BOOT_IMAGE root ro console mitigations no_timer_check", words(g.line(t, "cat /proc/cmdline")))
	for _, word := range []string{"transparent_hugepage=madvise", "hugepages=" + pages} {
		if n := g.line(t, "grep -cE '^[[:space:]]*linux.* "+word+"( |$)' /boot/grub/grub.cfg"); n == "0" {
			t.Errorf("update-grub did not write %s into any entry of grub.cfg", word)
		}
	}
	return p
}

// words is the names of a kernel's command line.
func words(cmdline string) string {
	var names []string
	for _, w := range strings.Fields(cmdline) {
		name, _, _ := strings.Cut(w, "=")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// lastJournal returns the id of the newest journal.
func (g *guest) lastJournal(t *testing.T) string {
	t.Helper()
	name := g.line(t, "ls /var/lib/pgfettle/journal | grep -v lock | sort | tail -1")
	id, _, _ := strings.Cut(name, ".")
	return id
}

func (g *guest) postmaster(t *testing.T) string {
	t.Helper()
	return g.line(t, "head -1 /var/lib/postgresql/15/main/postmaster.pid")
}

// inForce looks at the machine, and not at what the program says of it, for
// every change of the host that a plan has, and asks the server for its settings.
func inForce(t *testing.T, g *guest, p *plan.Plan) {
	t.Helper()
	pm := g.postmaster(t)
	want := map[string]string{}
	var script strings.Builder
	ask := func(a knob.Address, of, format string, args ...any) {
		fmt.Fprintf(&script, "echo %s%s \"$(%s)\"\n", a, of, fmt.Sprintf(format, args...))
	}
	for _, c := range p.Changes {
		name := c.Address.Name()
		want[string(c.Address)] = c.ToBase
		switch c.Address.Prefix() {
		case "sysctl":
			ask(c.Address, "", "sysctl -n %s", name)
		case "thp":
			ask(c.Address, "", `sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/%s`, name)
		case "block":
			dev, attr, _ := strings.Cut(name, "/")
			ask(c.Address, "", `sed 's/.*\[\(.*\)\].*/\1/' /sys/block/%s/queue/%s`, dev, attr)
		case "unit":
			if name == "NUMAPolicy" { // one value with its nodes
				ask(c.Address, "",
					"echo $(systemctl show --value -p NUMAPolicy postgresql@15-main) $(systemctl show --value -p "+
						"NUMAMask postgresql@15-main)")
				break
			}
			ask(c.Address, "", "systemctl show --value -p %s postgresql@15-main", name)
			switch name { // what systemd gave to the process
			case "LimitNOFILE":
				want[string(c.Address)+"/process"] = c.ToBase
				ask(c.Address, "/process", "awk '/^Max open files/ { print $4 }' /proc/%s/limits", pm)
			case "OOMScoreAdjust":
				want[string(c.Address)+"/process"] = c.ToBase
				ask(c.Address, "/process", "cat /proc/%s/oom_score_adj", pm)
			}
		case "pg":
		default:
			delete(want, string(c.Address)) // only the next boot has it
		}
	}
	got := table(t, g.sh(t, script.String()), 1)
	for name, value := range table(t,
		g.sql(t, "select 'pg:' || name || ' ' || setting from pg_settings where not pending_restart"), 300) {
		if _, planned := want[name]; planned {
			got[name] = value
		}
	}
	differ(t, "what was planned and what is in force", want, got)
	if cg := g.line(t, "cut -d: -f3 /proc/"+pm+"/cgroup"); !strings.HasSuffix(cg, "/postgresql@15-main.service") {
		t.Errorf("the postmaster is in the control group %s", cg)
	}
}

// onHugePages looks in the kernel's own books whether the server's shared memory
// is in huge pages. (huge_pages_status came with PostgreSQL 17.)
func onHugePages(t *testing.T, g *guest, want bool) {
	t.Helper()
	pm := g.postmaster(t)
	mapped := g.line(t, "grep -c anon_hugepage /proc/"+pm+"/maps || true")
	kb, err := strconv.Atoi(g.line(t, "awk '$1 == \"HugetlbPages:\" { print $2 }' /proc/"+pm+"/status"))
	if err != nil {
		t.Fatal(err)
	}
	held, err := strconv.Atoi(g.line(t,
		"awk '$1 == \"HugePages_Total:\" { n += $2 } $1 == \"HugePages_Free:\" { n -= $2 } $1 == "+
			"\"HugePages_Rsvd:\" { n += $2 } END { print n }' /proc/meminfo"))
	if err != nil {
		t.Fatal(err)
	}
	needs, err := strconv.Atoi(g.sql(t, "show shared_memory_size_in_huge_pages"))
	if err != nil {
		t.Fatal(err)
	}
	if !want {
		needs = 0
	}
	if (mapped != "0") != want || (kb > 0) != want || held != needs {
		t.Errorf(
			"on huge pages: want %t; maps has %s such mappings, the postmaster %d kB, %d pages of the pool are used "+
				"or reserved and %d are needed", want, mapped, kb, held, needs)
	}
}

// holds is the machine after a boot of its own: the values that were applied are
// there without anybody's help, and the program says so.
func holds(t *testing.T, g *guest, p *plan.Plan, applied map[string]string) {
	t.Helper()
	pages := change(t, p, "sysctl:vm.nr_hugepages").ToBase
	cmdline := strings.Fields(g.line(t, "cat /proc/cmdline"))
	for _, word := range []string{"transparent_hugepage=madvise", "hugepages=" + pages} {
		if !contains(cmdline, word) {
			t.Errorf("the machine was started without %s: %v", word, cmdline)
		}
	}
	if n := g.line(t, "journalctl -k -b --no-pager | grep -cE 'HugeTLB.*pre-allocated "+pages+
		" pages' || true"); n != "1" {
		t.Errorf("the kernel does not say that it reserved %s huge pages when it started:\n%s", pages,
			g.sh(t, "journalctl -k -b --no-pager | grep -i hugetlb"))
	}
	inForce(t, g, p)
	onHugePages(t, g, true)
	differ(t, "values after a boot", applied, g.values(t))

	var st struct{ Knobs []journal.Drift }
	if err := json.Unmarshal([]byte(g.fettle(t, 0, "status", "--exit-code", "--format", "json").Stdout),
		&st); err != nil {
		t.Fatal(err)
	}
	told := map[knob.Address]journal.Hold{}
	for _, d := range st.Knobs {
		told[d.Address] = d.Hold
	}
	want := map[knob.Address]journal.Hold{}
	for _, c := range p.Changes {
		want[c.Address] = journal.Holds
	}
	differ(t, "status after a boot", want, told)

	if again, _ := g.plan(t); len(again.Changes) != 0 {
		t.Errorf("planned again on the machine that the plan was applied to, there are changes: %+v", again.Changes)
	}
}

// takeBack undoes the apply. The server was restarted before the pool was taken
// from it, so with huge_pages = try, which it has again, it has got some pages of
// the pool; they go with its next restart, which also brings its limits back.
func takeBack(t *testing.T, g *guest, files, values map[string]string) {
	t.Helper()
	said := g.fettle(t, 0, "undo", "--max-effect", "restart")
	t.Logf("%s", lastLines(said.Stdout, 12))
	differ(t, "files after undo", files, g.files(t))
	differ(t, "values after undo", without(values, "process:"), without(g.values(t), "process:"))
	if !strings.Contains(said.Stderr, "huge pages") || !strings.Contains(said.Stderr, "beyond the pool of 0") {
		t.Errorf("it is not told that the server has huge pages beyond the pool:\n%s", said.Stderr)
	}
	if s := g.line(t, "systemctl is-system-running"); s != "running" {
		t.Errorf("systemd says it is %s", s)
	}
	var st struct{ Knobs []journal.Drift }
	if err := json.Unmarshal([]byte(g.fettle(t, 0, "status", "--format", "json").Stdout), &st); err != nil ||
		len(st.Knobs) != 0 {
		t.Errorf("after undo something is still held to be applied (%v): %+v", err, st.Knobs)
	}
	g.sh(t, "systemctl restart postgresql@15-main")
	differ(t, "values after undo and a restart of the server", values, g.values(t))
	onHugePages(t, g, false)
}

// without omits what begins with a prefix.
func without(all map[string]string, prefix string) map[string]string {
	out := map[string]string{}
	for k, v := range all {
		if !strings.HasPrefix(k, prefix) {
			out[k] = v
		}
	}
	return out
}

// files lists what of the machine's configuration there is, with owner, mode and
// sum of each: /etc, what update-grub writes, and what ALTER SYSTEM does.
func (g *guest) files(t *testing.T) map[string]string {
	t.Helper()
	text := g.sh(t, `set -e; cd /
places='etc boot/grub usr/lib/sysctl.d usr/lib/systemd/system var/lib/postgresql/15/main/postgresql.auto.conf'
find $places -xdev -printf '/%p %y %#m %U:%G %l\n'
find $places -xdev -type f -print0 | xargs -0 sha256sum | awk '{ print "sum:/" $2, $1 }'`)
	return table(t, text, 1000) // minbase has 1,400 such lines
}

// values lists what is in force: parameters of the kernel, switches of /sys, the
// unit as systemd has it and as its process does, and the server's settings.
func (g *guest) values(t *testing.T) map[string]string {
	t.Helper()
	// One program reads all files: a process for each takes its time under emulation. Not asked for is what the kernel
	// computes from the memory that was free when it started, of which a pool reserved at boot takes its part.
	text := g.sh(t, `set -e
{ grep -s -d skip '' /proc/sys/vm/* /proc/sys/kernel/numa_balancing /proc/sys/kernel/shm* /proc/sys/kernel/sem `+
		`/sys/kernel/mm/transparent_hugepage/* /sys/block/nvme*/queue/* || true; } |
  sed -E '/(user_reserve_kbytes|min_free_kbytes|lowmem_reserve_ratio):/d; s/:/ /; s/[[:space:]]+/ /g'
systemctl show -p `+
		`OOMPolicy,OOMScoreAdjust,LimitNOFILE,MemoryMax,TasksMax,DropInPaths,FragmentPath,ActiveState,`+
		`NeedDaemonReload,UnitFileState postgresql@15-main | sed 's/^/unit:/; s/=/ /'
pm=$(head -1 /var/lib/postgresql/15/main/postmaster.pid)
echo process:oom_score_adj $(cat /proc/$pm/oom_score_adj)
sed -n 's/^\(Max [a-z ]*[a-z]\)  */\1:/p' /proc/$pm/limits | tr ' ' '_' | sed 's/:/ /; s/^/process:/'
`)
	out := table(t, text, 60) // some 50 of vm.*, 30 of each disk
	rows := g.sql(t,
		"select 'pg:' || name || ' ' || setting || ' ' || source || ' ' || coalesce(sourcefile, '') from "+
			"pg_settings where name not in ('transaction_isolation')")
	for k, v := range table(t, rows, 300) {
		out[k] = v
	}
	return out
}

// table reads lines of a key and a value. Fewer than least are a fault of what
// made them.
func table(t *testing.T, text string, least int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for line := range strings.Lines(text) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, dup := out[k]; dup {
			t.Fatalf("%s is there twice", k)
		}
		out[k] = strings.TrimSpace(v)
	}
	if len(out) < least {
		t.Fatalf("only %d lines: %s", len(out), text)
	}
	return out
}

func differ[T any](t *testing.T, what string, want, got T) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-before or wanted +now):\n%s", what, d)
	}
}
