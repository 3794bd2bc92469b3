package applying

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/apply/kinds/pgsetting"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
)

// Request is an apply of a plan, and what a person sees of it on the way. An error of any
// of the functions ends the apply before anything is changed.
type Request struct {
	Place     *Place
	Restart   Restart
	Plan      *plan.Plan
	Session   *app.Session
	FromFile  bool // the plan is of a file, and may have become stale
	Options   selection.Options
	AcceptAll bool // every change of high risk is accepted

	Chosen  func(*Choice) error                  // shows what will be made
	Managed func(manager, key string) error      // shows what to configure in a program that manages an instance
	Left    func([]selection.Left) error         // shows what is omitted, and why
	Warned  func([]selection.Warning) error      // shows what else comes of it
	Consent func(context.Context, *Choice) error // asks, and declines parts; nil: nothing is asked
}

// Apply applies a plan. No chosen changes and no error means that nothing was changed and
// nothing was refused. The journal is nil if nothing was started; it can come with an
// error.
func Apply(ctx context.Context, r Request) (*Choice, *journal.Journal, error) {
	w, server, err := r.Place.world(r.Session, r.Restart)
	if err != nil {
		return nil, nil, err
	}
	s := &Choice{Options: r.Options, Plan: PerUnit(r.Plan, r.Session.Snapshot), Snapshot: r.Session.Snapshot,
		AcceptAll: r.AcceptAll}
	if r.Place.Root != "" {
		s.Files = w.Target
	}
	if err := s.Named(); err != nil {
		return nil, nil, err
	}
	s.Choose()
	if err := r.Chosen(s); err != nil {
		return nil, nil, err
	}
	if err := r.managed(server, s.Chosen); err != nil {
		return nil, nil, err
	}
	if err := r.Left(s.Left); err != nil {
		return nil, nil, err
	}
	if len(s.Chosen) == 0 {
		return s, nil, s.Nothing()
	}
	if err := r.Warned(apply.Warnings(ctx, w, s.Snapshot, s.Chosen)); err != nil {
		return nil, nil, err
	}
	if r.Consent != nil {
		if err := r.Consent(ctx, s); err != nil {
			return nil, nil, err
		}
		if len(s.Chosen) == 0 {
			return s, nil, s.Nothing()
		}
	}
	if r.FromFile {
		if err := r.Place.fresh(ctx, s.Plan, r.Session, s.Chosen); err != nil {
			return nil, nil, err
		}
	}
	j, err := s.run(ctx, w, server, r.Session)
	return s, j, err
}

// run makes what was chosen, and asks the servers for it.
func (s *Choice) run(ctx context.Context, w *apply.System, server *pgctl.Server, l *app.Session) (*journal.Journal,
	error) {
	server.Pool = poolOf(s.Chosen)
	res, err := apply.Run(ctx, w, s.Plan, s.Snapshot, s.Options)
	if err == nil {
		err = inForce(ctx, server, l, res.Journal, s.Chosen)
	}
	return res.Journal, err
}

// managed is the error of settings that are not ours to change, with the program that
// owns them and the instance; nil: there are none.
func (r *Request) managed(server *pgctl.Server, chosen []plan.Change) error {
	l := r.Session
	if l.Collected == nil {
		return nil // no server, only files
	}
	asked := map[string]bool{}
	for _, c := range chosen {
		in := l.Snapshot.Instance(c.Key)
		if in == nil || c.Address.Prefix() != "pg" || asked[c.Key] {
			continue
		}
		asked[c.Key] = true
		if err := server.Refuse(in); err != nil {
			manager, _ := in.Manager.Get()
			if e := r.Managed(manager, c.Key); e != nil {
				return e
			}
			return err
		}
	}
	return nil
}

// poolOf returns the huge pages that will be there when a server is restarted by this apply; 0 if it leaves the pool as
// it is.
func poolOf(chosen []plan.Change) int64 {
	for _, c := range chosen {
		if c.Address == knob.Sysctl("vm.nr_hugepages") && c.Effect == knob.Now {
			if n, err := strconv.ParseInt(c.ToBase, 10, 64); err == nil {
				return n
			}
		}
	}
	return 0
}

// inForce asks the servers whether they have every value that was applied: also
// those that the engine has no spelling of to compare.
func inForce(ctx context.Context, server *pgctl.Server, l *app.Session, j *journal.Journal,
	chosen []plan.Change) error {
	if j == nil || l.Collected == nil {
		return nil
	}
	of := map[string][]plan.Change{}
	for _, c := range chosen {
		for i := range j.Changes {
			done := &j.Changes[i]
			if c.Address.Prefix() == "pg" && done.Address == c.Address && done.Instance == c.Instance && done.Active() {
				of[c.Key] = append(of[c.Key], c)
			}
		}
	}
	var unmet []string
	for key, list := range of {
		bad, err := pgsetting.Kind{Server: server}.Verify(ctx, l.Snapshot.Instance(key), list)
		if err != nil {
			return err
		}
		for _, u := range bad {
			unmet = append(unmet, u.String())
		}
	}
	if len(unmet) == 0 {
		return nil
	}
	slices.Sort(unmet)
	return &say.Problem{Message: say.M("not all applied settings are in effect"), Detail: say.Text(strings.Join(unmet,
		"; ")),
		Hint: say.M("Remove the other definitions of these settings, or undo the apply: pgfettle undo {id}", "id",
			j.ID),
		Code: say.CodePartly}
}
