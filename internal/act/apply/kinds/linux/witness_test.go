package linux

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestWarnings: what would win over a change, and what is else to be known, is reported before it is made; one sentence
// for all that it applies to.
func TestWarnings(t *testing.T) {
	l := newLab(t, debian)
	l.lay("/etc/sysctl.d/90-late.conf", "vm.swappiness = 5\nvm.dirty_ratio = 30\n")
	w := &apply.System{Target: l, Kinds: Host{Files: l, Kernel: l}.Kinds()}
	change := func(a knob.Address) plan.Change { return plan.Change{Address: a, To: "1"} }
	p := &plan.Plan{Changes: []plan.Change{change("sysctl:vm.swappiness"), change("sysctl:vm.dirty_bytes"),
		change("sysctl:vm.overcommit_memory"), change("boot:quiet"), change("thp:enabled"), change("nothing:known")}}
	var got []string
	for _, f := range apply.Warnings(context.Background(), w, &snapshot.Snapshot{}, p.Changes) {
		got = append(got, fmt.Sprint(f.Of, " ", f.Text))
	}
	for i, want := range []string{
		"[sysctl:vm.swappiness] /etc/sysctl.d/90-late.conf line 1 (vm.swappiness = 5) is read after",
		"[sysctl:vm.dirty_bytes] /etc/sysctl.d/90-late.conf line 2 (vm.dirty_ratio = 30)",
		"[boot:quiet] the running kernel was started with quiet"} {
		if i >= len(got) || !strings.HasPrefix(got[i], want) {
			t.Fatalf("no sentence %d with %q:\n%s", i, want, strings.Join(got, "\n"))
		}
	}
	if len(got) != 3 {
		t.Errorf("more than that:\n%s", strings.Join(got, "\n"))
	}

	s := &snapshot.Snapshot{}
	s.Host.Tuned = known.Is("virtual-guest")
	s.Host.SysctlConf = known.Is([]host.SysctlSet{{Name: "vm.swappiness", Value: "5",
		File: "/etc/sysctl.d/90-late.conf", Line: 1, Read: true}})
	of := say.Strings(plan.Overrides(p, s))
	if len(of) != 2 || !strings.HasPrefix(of[0], "sysctl:vm.swappiness: /etc/sysctl.d/90-late.conf line 1") ||
		!strings.HasPrefix(of[1],
			"sysctl:vm.swappiness, sysctl:vm.dirty_bytes, sysctl:vm.overcommit_memory: TuneD is active") {
		t.Errorf("%q", of)
	}
}

// TestSysctlWitness: status names the file that has the value which was found.
func TestSysctlWitness(t *testing.T) {
	l := newLab(t, map[string]string{
		"/etc/sysctl.d/99-theirs.conf":     "# x\nvm.swappiness = 35\n",
		"/usr/lib/sysctl.d/50-vendor.conf": "vm.swappiness = 30\n",
		plan.SysctlFile:                    "vm.swappiness = 10\n",
	})
	w := Host{Files: l, Kernel: l}.Kinds()["sysctl"].(apply.Witness)
	k := apply.Knob{Address: "sysctl:vm.swappiness"}
	for live, want := range map[string]string{
		"35": "/etc/sysctl.d/99-theirs.conf line 2, which sets vm.swappiness to 35", "40": "", "10": ""} {
		if got := w.Witness(context.Background(), k, journal.State{Live: &live}); got != want {
			t.Errorf("%s: %q, want %q", live, got, want)
		}
	}
}

// TestPairInOneFile: a line for the ratio in our own file would be read after
// the one for the bytes, so it goes, and comes back with the former state.
func TestPairInOneFile(t *testing.T) {
	l := newLab(t, debian)
	l.lay(plan.SysctlFile, "vm.dirty_ratio = 30\n")
	kind, k := Host{Files: l, Kernel: l}.Kinds()["sysctl"], apply.Knob{Address: "sysctl:vm.dirty_bytes"}
	before := mustLook(t, kind, k)
	after := mustWant(t, kind, before, k, "1073741824")
	mustSet(t, kind, k, after)
	if text := l.text(plan.SysctlFile); text != "vm.dirty_bytes = 1073741824\n" {
		t.Errorf("the file is\n%s", text)
	}
	l.lay(plan.SysctlFile, l.text(plan.SysctlFile)+"vm.swappiness = 1\n")
	st, err := kind.Without(mustLook(t, kind, k), before, k)
	if err != nil || st.File.Text == nil || *st.File.Text != "vm.dirty_ratio = 30\nvm.swappiness = 1\n" {
		t.Errorf("without: %+v, %v", st.File, err)
	}
}

// TestTwoKnobsInOneFile: the first of two is undone first. The file is that of the second then, and gone with it.
func TestTwoKnobsInOneFile(t *testing.T) {
	l := newLab(t, debian)
	kind := Host{Files: l, Kernel: l}.Kinds()["sysctl"]
	type change struct {
		k             apply.Knob
		before, after journal.State
	}
	var done []change
	for address, value := range map[knob.Address]string{"sysctl:vm.swappiness": "10",
		"sysctl:vm.dirty_bytes": "1073741824"} {
		c := change{k: apply.Knob{Address: address}}
		c.before = mustLook(t, kind, c.k)
		c.after = mustWant(t, kind, c.before, c.k, value)
		mustSet(t, kind, c.k, c.after)
		done = append(done, c)
	}
	if text := l.text(plan.SysctlFile); text != sysctlForm.header+"vm.dirty_bytes = 1073741824\nvm.swappiness = 10\n" {
		t.Errorf("not sorted, or more than that:\n%s", text)
	}
	for i, c := range done {
		found := mustLook(t, kind, c.k)
		if !kind.Ours(found, c.after, c.k) {
			t.Fatalf("%s is not ours", c.k.Address)
		}
		st, err := kind.Without(found, c.before, c.k)
		if err != nil {
			t.Fatal(err)
		}
		mustSet(t, kind, c.k, st)
		if now := mustLook(t, kind, c.k); !now.SameLive(c.before) || (now.File.Text == nil) != (i == 1) {
			t.Errorf("%s: %s, file %v", c.k.Address, liveString(now), now.File.Text)
		}
	}
}
