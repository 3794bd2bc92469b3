package creation

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
)

// specimen is a step of a creation: its host, and what it should become.
type specimen struct {
	name    string
	prepare func(*toyHost) (knob.Address, string)
	// used: what its server has written stays, as a step of its own takes it away
	used bool
}

var specimens = []specimen{
	{name: "a directory", prepare: func(h *toyHost) (knob.Address, string) {
		return knob.Address("dir:" + h.top + "/srv"), fmt.Sprintf("0700 %d:%d", h.owner.UID, h.owner.GID)
	}},
	{name: "a cluster", prepare: func(h *toyHost) (knob.Address, string) {
		s := h.spec(false)
		return knob.Address("cluster:" + s.Data), s.Text()
	}},
	{name: "a cluster with its WAL elsewhere", prepare: func(h *toyHost) (knob.Address, string) {
		s := h.spec(true)
		return knob.Address("cluster:" + s.Data), s.Text()
	}},
	{name: "a password", prepare: func(h *toyHost) (knob.Address, string) {
		return knob.Address("password:" + h.cluster(false).Data), set
	}, used: true},
	{name: "a server", prepare: func(h *toyHost) (knob.Address, string) {
		return knob.Address("server:" + h.cluster(false).Data), started
	}, used: true},
	{name: "ports of nft", prepare: func(h *toyHost) (knob.Address, string) {
		h.nft["filter"] = "theirs"
		return "firewall:5432", "nft 10.0.0.0/8,fd00::/8"
	}},
	{name: "ports of firewalld", prepare: func(h *toyHost) (knob.Address, string) {
		theirs := rich("22", prefix("10.0.0.0/8"))
		h.rich = [2][]string{{theirs}, {theirs}}
		return "firewall:5432", "firewalld 10.0.0.0/8,fd00::/8"
	}},
}

// cluster is one that was made.
func (h *toyHost) cluster(wal bool) newcluster.Spec {
	h.t.Helper()
	s := h.spec(wal)
	k := apply.Knob{Address: knob.Address("cluster:" + s.Data), To: s.Text()}
	kind := h.host().Kinds()[knob.ClusterPrefix]
	h.must(kind.Set(h.t.Context(), k, live(s.Live())))
	return s
}

func look(t *testing.T, kind apply.Kind, k apply.Knob) journal.State {
	t.Helper()
	st, err := kind.Look(t.Context(), k)
	if err != nil {
		t.Fatalf("look: %v", err)
	}
	return st
}

// step is one specimen on a host of its own.
type step struct {
	*toyHost
	kind          apply.Kind
	k             apply.Knob
	before, after journal.State
	tree          map[string]string
	walls         string
}

func (s specimen) step(t *testing.T) *step {
	t.Helper()
	h := newToy(t)
	address, value := s.prepare(h)
	st := &step{toyHost: h, kind: h.host().Kinds()[address.Prefix()], k: apply.Knob{Address: address, To: value}}
	st.before = look(t, st.kind, st.k)
	if *st.before.Live != newcluster.Absent {
		t.Fatalf("it is %s", *st.before.Live)
	}
	var err error
	if st.after, err = st.kind.Want(st.before, st.k, value); err != nil {
		t.Fatal(err)
	}
	st.tree, st.walls = h.tree(), fmt.Sprint(h.nft, h.rich)
	h.points = 0
	return st
}

// to brings it to a state, or says why the engine would not: what is found has to be what was, what will be, or half of
// it.
func (s *step) to(goal journal.State) error {
	found, err := s.kind.Look(s.t.Context(), s.k)
	if err != nil || found.SameLive(goal) {
		return err
	}
	if p, ok := s.kind.(apply.Partial); !found.SameLive(s.before) && !found.SameLive(s.after) &&
		!(ok && p.Halfway(found, s.before, s.after, s.k)) {
		return fmt.Errorf("%s is not ours", *found.Live)
	}
	return s.kind.Set(context.WithoutCancel(s.t.Context()), s.k, goal)
}

// holds verifies that it has a state, and is as before in every other way if that is the state of before.
func (s *step) holds(what string, goal journal.State, used bool) {
	s.t.Helper()
	if found := look(s.t, s.kind, s.k); !found.SameLive(goal) {
		s.t.Errorf("%s: it is %s, not %s", what, *found.Live, *goal.Live)
	}
	if !goal.SameLive(s.before) {
		return
	}
	if d := cmp.Diff(s.walls, fmt.Sprint(s.nft, s.rich)); d != "" {
		s.t.Errorf("%s: the firewall:\n%s", what, d)
	}
	now := s.toyHost.tree()
	if used {
		now, s.tree = maps.Clone(now), maps.Clone(s.tree)
		for _, n := range []string{"postmaster.opts", "startup.log"} {
			delete(now, s.k.Address.Name()+"/"+n)
		}
	}
	if d := cmp.Diff(s.tree, now); d != "" {
		s.t.Errorf("%s: not as it was:\n%s", what, d)
	}
}

// TestCrash: the process dies at any point of a step, or of its way back. Whatever it has left, the next one finishes
// the step or takes it back.
func TestCrash(t *testing.T) {
	for _, s := range specimens {
		t.Run(s.name, func(t *testing.T) {
			whole := s.step(t)
			if err := whole.to(whole.after); err != nil {
				t.Fatal(err)
			}
			there := whole.points
			whole.holds("made", whole.after, s.used)
			if err := whole.to(whole.before); err != nil {
				t.Fatal(err)
			}
			back := whole.points - there
			whole.holds("taken back", whole.before, s.used)
			if whole.password != "" && whole.password != "NULL" {
				t.Errorf("the password is %s", whole.password)
			}
			if there < 2 || back < 2 {
				t.Fatalf("%d points there, and %d back", there, back)
			}
			for n := range there {
				for _, forward := range []bool{true, false} {
					one := s.step(t)
					one.fuse = n
					if err := one.to(one.after); err == nil {
						t.Errorf("it did not die at point %d", n)
					}
					one.revive()
					goal := one.before
					if forward {
						goal = one.after
					}
					what := fmt.Sprintf("died at point %d, then to %s", n, newcluster.Short(*goal.Live))
					if err := one.to(goal); err != nil {
						t.Errorf("%s: %v", what, err)
						continue
					}
					one.holds(what, goal, s.used)
				}
			}
			for n := range back {
				one := s.step(t)
				one.must(one.to(one.after))
				one.fuse = n
				if err := one.to(one.before); err == nil {
					t.Errorf("the way back did not die at point %d", n)
				}
				one.revive()
				what := fmt.Sprintf("died at point %d of the way back", n)
				if err := one.to(one.before); err != nil {
					t.Errorf("%s: %v", what, err)
					continue
				}
				one.holds(what, one.before, s.used)
			}
		})
	}
}
