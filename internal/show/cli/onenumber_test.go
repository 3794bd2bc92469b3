package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
	"github.com/pgfettle/pgfettle/test/hosts"
)

// numbers are the values of a setting that the commands advise for one host, with
// who said each.
type numbers map[string][]string

func (n numbers) add(who, value string) {
	if !slices.Contains(n[value], who) {
		n[value] = append(n[value], who)
	}
}

// advised finds advice in the words of any form: a value to be set, and not one that is reported for the server.
func (n numbers) advised(who, setting, text string) {
	text = strings.Join(strings.Fields(text), " ") // a page breaks lines
	for _, form := range []string{`ALTER SYSTEM SET %s = '([0-9]+[kMGT]B)'`, `Set %s = '([0-9]+[kMGT]B)'`,
		`allows at most %s = '([0-9]+[kMGT]B)'`, `Set %s to at most ([0-9]+[kMGT]B)`} {
		for _, m := range regexp.MustCompile(fmt.Sprintf(form, setting)).FindAllStringSubmatch(text, -1) {
			n.add(who, m[1])
		}
	}
}

// teller runs the commands over one evidence file.
type teller struct {
	t interface {
		Fatalf(string, ...any)
		Helper()
	}
	file, kernel, policy string
	profile              rule.Profile
}

func (x *teller) run(args ...string) string {
	x.t.Helper()
	var out, errs bytes.Buffer
	if code := Main(context.Background(), args, strings.NewReader(""), &out, &errs, nil); code != 0 {
		x.t.Fatalf("pgfettle %v: exit code %d: %s", args, code, errs.String())
	}
	return out.String()
}

// told collects what every command advises for a setting: the plan and its forms, the
// checks, the page of the knob, the report, and the diagnoses, which take no profile.
func (x *teller) told(setting string) numbers {
	x.t.Helper()
	n := numbers{}
	site := []string{"--policy", x.policy, x.file}
	var p struct {
		Changes []struct{ Address, To string }
	}
	x.read(&p, append([]string{"plan", "--format", "json"}, site...)...)
	for _, c := range p.Changes {
		if c.Address == "pg:"+setting {
			n.add("plan", c.To)
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^`+setting+` = '?([0-9]+[kMGT]B)`).FindAllStringSubmatch(
		x.run(append([]string{"plan", "--format", "conf"}, site...)...), -1) {
		n.add("plan --format conf", m[1])
	}
	var c struct{ Findings []struct{ ID, Do string } }
	x.read(&c, append([]string{"check", "--format", "json"}, site...)...)
	for _, f := range c.Findings {
		n.advised("check "+f.ID, setting, f.Do)
	}
	var e struct {
		Here []struct {
			Planned string
			Changes bool
		}
	}
	x.read(&e, append([]string{"explain", "pg:" + setting, "--format", "json"}, site...)...)
	for _, h := range e.Here {
		if h.Changes {
			n.add("explain", h.Planned)
		}
	}
	n.advised("report", setting, html.UnescapeString(x.run(append([]string{"report"}, site...)...)))
	if x.profile != rule.Mixed {
		return n
	}
	n.advised("diagnose oom", setting, x.run("diagnose", "oom", "--format", "json", x.file, x.kernel))
	var m struct {
		Instances []struct {
			Options []struct{ Do []string }
		}
	}
	x.read(&m, "diagnose", "memory", "--format", "json", x.file)
	ofMemory := regexp.MustCompile(`^Set ` + setting + ` = (\S+) in postgresql\.conf `)
	for _, in := range m.Instances {
		for _, o := range in.Options {
			for _, do := range o.Do {
				if m := ofMemory.FindStringSubmatch(do); m != nil {
					n.add("diagnose memory", m[1])
				}
			}
		}
	}
	return n
}

func (x *teller) read(into any, args ...string) {
	x.t.Helper()
	if err := json.Unmarshal([]byte(x.run(args...)), into); err != nil {
		x.t.Fatalf("pgfettle %v: %v", args, err)
	}
}

// one fails where the commands advise more than one value, or another one than the
// rules have. It returns who said it.
func (x *teller) one(setting, want, host string) []string {
	x.t.Helper()
	n := x.told(setting)
	delete(n, "") // none
	if said := slices.Collect(maps.Keys(n)); len(said) > 1 || len(said) == 1 && said[0] != want {
		x.t.Fatalf("%s\n%s: want %s, and said are %v", host, setting, want, n)
	}
	return n[want]
}

// wanted are the numbers that the rules have: work_mem as it is wanted whatever it
// is now, and the shared_buffers that is planned.
func wanted(t *teller, s *snapshot.Snapshot) (work, buffers string) {
	t.t.Helper()
	out, err := rule.Decide(s, rules.All(), rule.Options{Profile: t.profile})
	if err != nil {
		t.t.Fatalf("%v", err)
	}
	a, ok := sizing.AtWorkOf(out, s.Instances[0].Key)
	if b, known := sizing.Buffers(out, s.Instances[0].Key); known && ok {
		return unit.ShowGUC(fmt.Sprint(int64(a.WorkMem/unit.KB)), "kB"), b.GUC()
	}
	return "", ""
}

func (x *teller) files(dir string, a *evidence.Archive) {
	x.t.Helper()
	var text bytes.Buffer
	if _, err := a.WriteTo(&text); err != nil {
		x.t.Fatalf("%v", err)
	}
	x.file, x.policy = filepath.Join(dir, "host.evidence"), filepath.Join(dir, "policy.toml")
	for name, content := range map[string]string{x.file: text.String(),
		x.policy: fmt.Sprintf("profile = %q\n", x.profile)} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			x.t.Fatalf("%v", err)
		}
	}
}

// kernelLogs are of kills whose remedy is work_mem, and shared_buffers.
var kernelLogs = []string{"../../fact/kernlog/testdata/k601_global_numa2_journal.log",
	"../../fact/kernlog/testdata/k5xx_shared_memory_and_page_tables.log"}

// TestOneNumberAnywhere: whatever host, the plan, its forms, the checks, the page, the
// report and the diagnoses advise one work_mem and one shared_buffers.
func TestOneNumberAnywhere(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		h := hosts.Any().Draw(t, "host")
		if rapid.Bool().Draw(t, "much") {
			h.Spec.Settings["work_mem"] = fmt.Sprint(rapid.IntRange(4096, 1<<20).Draw(t, "kB of work_mem"))
		}
		if rapid.IntRange(0, 3).Draw(t, "large") == 0 {
			h.Spec.Settings["shared_buffers"] = fmt.Sprint(
				int64(h.Spec.RAM.Scale(rapid.Float64Range(0.3, 0.9).Draw(t, "share"))) / 8192)
		}
		x := &teller{t: t, kernel: rapid.SampledFrom(kernelLogs).Draw(t, "kernel log"),
			profile: rapid.SampledFrom([]rule.Profile{rule.Mixed, rule.Mixed, rule.Web, rule.OLTP, rule.DW,
				rule.OneC}).Draw(t, "profile of the policy")}
		a, err := h.Spec.Evidence()
		if err != nil {
			t.Fatalf("%v", err)
		}
		s, err := snapshot.Read(a)
		if err != nil {
			t.Fatalf("%v", err)
		}
		x.files(dir, a)
		w, b := wanted(x, s)
		x.one("work_mem", w, h.String())
		x.one("shared_buffers", b, h.String())
	})
}

// TestOneNumberOfTheFixtures is the same for the whole plans' hosts, the crowds of the diagnoses, and the host for
// which 5888MB and 6016MB were advised for one shared_buffers. Each of the commands has a value to advise for one of
// them.
func TestOneNumberOfTheFixtures(t *testing.T) {
	specs := map[string]string{
		"seen":    "ram=24070MB,cpus=2,pg=17",
		"crowd":   "ram=128GB,cpus=32,storage=nvme,pg=15,set.shared_buffers=16GB,set.max_connections=1500,set.huge_pages=off",
		"large":   "ram=16GB,cpus=8,pg=16,set.shared_buffers=12GB",
		"group":   "ram=64GB,cpus=16,pg=16,cgroup=4GB,container=docker,set.shared_buffers=2GB,set.max_connections=300,set.work_mem=64MB",
		"a spill": "ram=64GB,cpus=16,pg=18,set.work_mem=1GB",
	}
	list, err := filepath.Glob("../../judge/plan/testdata/hosts/*.txtar")
	if err != nil || len(list) == 0 {
		t.Fatalf("no hosts: %v", err)
	}
	for _, f := range list {
		ar, err := txtar.ParseFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(ar.Files[0].Data)) {
			if spec, ok := strings.CutPrefix(strings.TrimSpace(line), "host: "); ok {
				specs[filepath.Base(f)] = spec
			}
		}
	}
	work, buffers := map[string]bool{}, map[string]bool{}
	for name, spec := range specs {
		for _, kernel := range kernelLogs {
			t.Run(name+" "+filepath.Base(kernel), func(t *testing.T) {
				a, err := snapshot.Describe(spec)
				if err != nil {
					t.Fatal(err)
				}
				s, err := snapshot.Read(a)
				if err != nil {
					t.Fatal(err)
				}
				x := &teller{t: t, kernel: kernel, profile: rule.Mixed}
				x.files(t.TempDir(), a)
				w, b := wanted(x, s)
				for _, who := range x.one("work_mem", w, spec) {
					work[who] = true
				}
				said := x.one("shared_buffers", b, spec)
				for _, who := range said {
					buffers[who] = true
				}
				if name == "seen" && len(said) < 4 {
					t.Errorf("only %v said it", said)
				}
			})
		}
	}
	for _, who := range []string{"plan", "plan --format conf", "check work_mem_vs_memory", "explain", "report",
		"diagnose oom"} {
		if !work[who] {
			t.Errorf("%s never advised a work_mem: this test has compared too little", who)
		}
	}
	for _, who := range []string{"plan", "plan --format conf", "check shared_buffers_default",
		"check shared_buffers_vs_memory", "report", "diagnose oom", "diagnose memory"} {
		if !buffers[who] {
			t.Errorf("%s never advised a shared_buffers: this test has compared too little", who)
		}
	}
}
