package servers

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/tablespace"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// hostile is a name that ends an identifier, a line, a list and an address where it is
// not taken with care, and as long as a server has them.
var hostile = strings.Repeat("x", 63-len("\"; -- ',/@*%20\n\\é")) + "\"; -- ',/@*%20\n\\é"

// onDisks gives a snapshot disks that the test's host does not have: the data directory
// on flash, every tablespace on a disk that rotates.
func onDisks(s *snapshot.Snapshot) {
	in := &s.Instances[0]
	s.Host.Virt = known.Is(host.Virt{Kind: "none"})
	s.Host.Blocks = known.Is([]host.Block{{Device: "259:0", Name: "nvme0n1", Kind: "disk"},
		{Device: "8:0", Name: "sda", Kind: "disk", Rotational: known.Is(true)}})
	s.Host.Mounts = known.Is([]host.Mount{{Point: "/", Source: "/dev/nvme0n1", FSType: "ext4", Device: "259:0"}})
	in.Places = known.Map(in.Places, func(list []snapshot.Place) []snapshot.Place {
		list = slices.Clone(list)
		for i := range list {
			list[i].Device = "259:0"
			if list[i].Role == snapshot.TablespacePlace {
				list[i].Device = "8:0"
			}
		}
		return list
	})
}

func optionsOf(t *testing.T, s *snapshot.Snapshot, name string) []string {
	t.Helper()
	list, _ := s.Instances[0].Server.Tablespaces.Get()
	i := slices.IndexFunc(list, func(sp pg.Tablespace) bool { return sp.Name == name })
	if i < 0 {
		t.Fatalf("no tablespace %q among %+v", name, list)
	}
	return list[i].Options
}

// TestTablespaces plans options of two tablespaces, applies them to a server, reads them back and undoes them; what
// others changed in between stays.
func TestTablespaces(t *testing.T) {
	on(t, []int{13, 17, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{"default_transaction_read_only": "on"})
		sql := func(statements ...string) {
			t.Helper()
			if err := i.Exec(t.Context(), append([]string{"SET default_transaction_read_only = off"},
				statements...)...); err != nil {
				t.Fatal(err)
			}
		}
		names := []string{"archive", hostile}
		quote := func(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
		for n, name := range names {
			dir := i.DataDir + "-space" + string(rune('0'+n))
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if os.Geteuid() == 0 {
				if err := os.Chown(dir, i.Account.UID, i.Account.GID); err != nil {
					t.Fatal(err)
				}
			}
			sql(`CREATE TABLESPACE ` + quote(name) + ` LOCATION '` + dir + `'`)
		}
		sql(`ALTER TABLESPACE archive SET (random_page_cost = '1.50', seq_page_cost = 1)`, `CREATE ROLE plain LOGIN`)
		s := read(t, evidenceOf(t, i, true))
		before := map[string][]string{}
		for _, name := range names {
			before[name] = optionsOf(t, s, name)
		}
		onDisks(s)
		whole, err := plan.Make(s, rules.All(), rule.Options{Profile: rule.Mixed})
		if err != nil {
			t.Fatal(err)
		}
		p := &plan.Plan{Snapshot: whole.Snapshot}
		for _, c := range whole.Changes {
			if c.Address.Prefix() == "tablespace" {
				p.Changes = append(p.Changes, c)
			}
		}
		if want := map[bool]int{true: 6, false: 2}[b.Version.Major() < 18]; len(p.Changes) != want {
			t.Fatalf("%d changes, want %d: %+v", len(p.Changes), want, p.Changes)
		}
		srv := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{}}}
		defer srv.Close()
		world := func(of pgsetting.Kind) *apply.System {
			return &apply.System{Target: of.Target, Kinds: map[string]apply.Kind{"pg": of,
				"tablespace": &tablespace.Kind{Server: of.Server}}, Dir: t.TempDir(), Hostname: "h", Suffix: "a",
				Holder: "a test", Now: time.Now}
		}

		plain := pgsetting.Kind{Server: &pgctl.Server{Target: &target.Local{},
			Conninfo: strings.Replace(i.ConnString(), "user=postgres", "user=plain", 1)}}
		defer plain.Close()
		_, err = apply.Run(t.Context(), world(plain), p, s, selection.Options{MaxEffect: knob.Now})
		wantProblem(t, err, 7, "does not own the tablespace")

		w := world(srv)
		res, err := apply.Run(t.Context(), w, p, s, selection.Options{MaxEffect: knob.Now})
		if err != nil || res.Journal.State != journal.Whole {
			t.Fatalf("%v, %+v", err, res.Journal)
		}
		after := read(t, evidenceOf(t, i, true))
		for _, name := range names {
			if got := optionsOf(t, after, name); !slices.Contains(got, "random_page_cost=4") ||
				name == "archive" && !slices.Contains(got, "seq_page_cost=1") {
				t.Errorf("%q has %v", name, got)
			}
		}
		onDisks(after)
		if again, err := plan.Make(after, rules.All(), rule.Options{Profile: rule.Mixed}); err != nil ||
			slices.ContainsFunc(again.Changes, func(c plan.Change) bool { return c.Address.Prefix() == "tablespace" }) {
			t.Errorf("planned again: %v, %+v", err, again)
		}

		// a stopped server: said, and tried again when it is up
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := apply.Undo(t.Context(), w, s, res.Journal.ID,
			apply.UndoOptions{MaxEffect: knob.Now}); err == nil || !strings.Contains(err.Error(), "taken back") &&
			!strings.Contains(err.Error(), "not running") {
			t.Errorf("undo of a stopped server: %v", err)
		}
		_, err = apply.Run(t.Context(), world(srv), p, s, selection.Options{MaxEffect: knob.Now})
		wantProblem(t, err, 5, "is not running")
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		sql(`ALTER TABLESPACE archive SET (random_page_cost = 3)`)
		back, err := apply.Undo(t.Context(), w, s, res.Journal.ID, apply.UndoOptions{MaxEffect: knob.Now})
		if err != nil {
			t.Errorf("undo: %v", err)
		}
		for _, c := range back.Journal.Changes {
			theirs := c.Address == knob.Tablespace("archive", "random_page_cost")
			if theirs && (c.State != journal.IsKept || !strings.Contains(c.Reason, "it is now 3")) ||
				!theirs && c.State != journal.IsUndone {
				t.Errorf("%s is %s: %s", c.Address, c.State, c.Reason)
			}
		}
		now := read(t, evidenceOf(t, i, true))
		if got := optionsOf(t, now, hostile); !slices.Equal(got, before[hostile]) {
			t.Errorf("%q has %v, had %v", hostile, got, before[hostile])
		}
		if got := optionsOf(t, now, "archive"); !slices.Contains(got, "random_page_cost=3") {
			t.Errorf("somebody's value was overwritten: %v", got)
		}

		// gone since: nothing to take back, and nothing that hangs
		sql(`ALTER TABLESPACE archive SET (random_page_cost = '1.50')`)
		one := &plan.Plan{Changes: slices.DeleteFunc(slices.Clone(p.Changes), func(c plan.Change) bool {
			return c.Address != knob.Tablespace("archive", "random_page_cost")
		})}
		w = world(srv)
		res, err = apply.Run(t.Context(), w, one, s, selection.Options{MaxEffect: knob.Now})
		if err != nil {
			t.Fatal(err)
		}
		sql(`DROP TABLESPACE archive`)
		back, err = apply.Undo(t.Context(), w, s, res.Journal.ID, apply.UndoOptions{MaxEffect: knob.Now})
		if err != nil || back.Journal.Changes[0].State != journal.IsKept ||
			!strings.Contains(back.Journal.Changes[0].Reason, "no such tablespace") {
			t.Errorf("undo of what is gone: %v, %+v", err, back.Journal.Changes)
		}
		_, err = apply.Run(t.Context(), world(srv), one, s, selection.Options{MaxEffect: knob.Now})
		wantProblem(t, err, 4, "stale")
	})
}
