package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/app/applying"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
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

// demoApply applies the plan to the throwaway server, checks it again, and undoes
// everything.
func demoApply(ctx context.Context, env *Env, inst *app.DemoServer, l *loaded, p *plan.Plan, before document.Check,
	step func(say.Template, ...any)) error {
	auto, err := applying.Demo(ctx, applying.DemoRequest{Place: (&placeOptions{}).place(env), Server: inst, Session: l,
		Plan: p, Disposable: disposable(env),
		Chosen: func(s *applying.Choice) error {
			step("{command}", "command", "pgfettle apply --yes --max-effect restart "+inst.DataDir)
			if !disposable(env) {
				fmt.Fprintln(env.Stdout,
					env.say("Server settings only: this host is not changed and provides no huge pages."))
			}
			return term.Write(env.Stdout, outline.Unselected(s.Left, env.words), env.Style().Under())
		},
		Applied: func(j *journal.Journal, err error) error { return showApplied(env, j, err) },
		Again: func(again *app.Session) error {
			if in := &again.Snapshot.Instances[0]; memory.HugePagesHeld(again.Snapshot, in) > 0 {
				fmt.Fprintf(env.Stdout, "\n%s\n", env.say(
					"The shared memory of the server uses huge pages: {n}, all of it.",
					"n", strconv.FormatInt(int64(memory.HugePagesHeld(again.Snapshot, in)), 10)))
			}
			fmt.Fprintln(env.Stdout)
			step("{command}, before and after", "command", "pgfettle check "+inst.DataDir)
			if err := term.Write(env.Stdout, outline.Compare(before, judge(again, check.Options{}), env.words),
				env.Style()); err != nil {
				return err
			}
			fmt.Fprintln(env.Stdout)
			step("{command}", "command", "pgfettle undo --max-effect restart")
			return nil
		},
		Undone: func(j *journal.Journal, err error) error { return undone(env, j, err) },
	})
	if err == nil && auto != "" {
		fmt.Fprintln(env.Stdout, env.say("{file} is restored, byte for byte.", "file", typeset.Line(auto)))
	}
	return err
}
