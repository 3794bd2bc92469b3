package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// disposable says that the kernel of this machine may be touched by a demo.
func disposable(env *Env) bool { return env.Getenv("PGFETTLE_TEST_KERNEL") == "disposable" }

// demoPins keep a server that gets no pool of huge pages able to start.
func demoPins(env *Env) map[knob.Address]string {
	if disposable(env) {
		return nil
	}
	return map[knob.Address]string{"pg:huge_pages": "try"}
}

// demoApply carries the plan out on the throwaway server, checks it again, and
// takes all back.
func demoApply(ctx context.Context, env *Env, inst *app.DemoServer, l *loaded, p *plan.Plan, before document.Check, step func(string, ...any)) (err error) {
	// A folder of our own: the server's belongs to its user, who could swap what
	// lies in it.
	dir, err := os.MkdirTemp("", "pgfettle-demo-")
	if err != nil {
		return fmt.Errorf("journal of the demo: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	w, kind, err := demoWorld(env, inst, l, filepath.Join(dir, "journal"))
	if err != nil {
		return err
	}
	part := *p
	if !disposable(env) {
		part.Changes = nil
		for _, c := range p.Changes {
			if c.Layer == knob.Instance {
				part.Changes = append(part.Changes, c)
			}
		}
	}
	auto := filepath.Join(inst.DataDir, "postgresql.auto.conf")
	was, err := env.Target.ReadFile(auto, plan.MaxFile)
	if err != nil {
		return fmt.Errorf("settings before: %w", err)
	}
	s := &chosenPart{options: selection.Options{MaxEffect: knob.Restart}, plan: perUnit(&part, l.Snapshot), snapshot: l.Snapshot}
	s.choose()
	kind.Pool = poolOf(s.chosen)
	step("pgfettle apply --yes --max-effect restart %s", inst.DataDir)
	if !disposable(env) {
		fmt.Fprintln(env.Stdout, "The server's part alone: this host is not touched, and gives it no huge pages.")
	}
	if err := term.Write(env.Stdout, outline.Unselected(s.left, env.words), env.Style().Under()); err != nil {
		return err
	}
	res, err := apply.Run(ctx, w, s.plan, l.Snapshot, s.options)
	if err == nil {
		err = inForce(ctx, kind, l, res.Journal, s.chosen)
	}
	undone := false
	defer func() {
		// The server goes anyway; the kernel's part must not stay behind.
		if res.Journal != nil && !undone {
			_, e := apply.Undo(context.WithoutCancel(ctx), w, l.Snapshot, res.Journal.ID, apply.UndoOptions{MaxEffect: knob.Restart})
			err = errors.Join(err, e)
		}
	}()
	if err := told(env, res.Journal, err); err != nil {
		return err
	}
	if res.Journal == nil {
		return nil // nothing to change
	}

	again, err := env.host().OpenScratch(ctx, inst.DataDir)
	if err != nil {
		return err
	}
	if in := &again.Snapshot.Instances[0]; memory.HugePagesHeld(again.Snapshot, in) > 0 {
		fmt.Fprintf(env.Stdout, "\nThe server runs on huge pages: %d, all of its shared memory.\n", memory.HugePagesHeld(again.Snapshot, in))
	}
	fmt.Fprintln(env.Stdout)
	step("pgfettle check %s, before and after", inst.DataDir)
	if err := term.Write(env.Stdout, outline.Compare(before, judge(again, check.Options{}), env.words), env.Style()); err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout)
	step("pgfettle undo --max-effect restart")
	undone = true
	if err := undo(ctx, env, w, again, res.Journal.ID, apply.UndoOptions{MaxEffect: knob.Restart}); err != nil {
		return err
	}
	is, err := env.Target.ReadFile(auto, plan.MaxFile)
	if err != nil {
		return fmt.Errorf("settings after: %w", err)
	}
	if !bytes.Equal(was, is) {
		return fmt.Errorf("%s is not as it was", auto)
	}
	fmt.Fprintf(env.Stdout, "%s is as it was, byte for byte.\n", typeset.Line(auto))
	return nil
}

// demoWorld is the world of the throwaway server: we ourselves run it, so we
// restart it too.
func demoWorld(env *Env, inst *app.DemoServer, l *loaded, journals string) (*apply.System, *pgctl.Server, error) {
	w, kind, err := world(env, l, &placeOptions{dir: journals}, restartOptions{})
	if err != nil {
		return nil, nil, err
	}
	reload := w.Activate
	w.Activate = func(ctx context.Context, key string, e knob.Effect) error {
		if e < knob.Restart {
			return reload(ctx, key, e)
		}
		if err := inst.Stop(); err != nil {
			return err
		}
		return inst.Start(ctx)
	}
	return w, kind, nil
}
