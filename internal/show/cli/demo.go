package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type demoOptions struct {
	major   int
	profile string
	fetch   bool
}

func newDemo(env *Env) *cobra.Command {
	o := &demoOptions{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Run check, plan, apply and undo on a throwaway server",
		Long: `Start a throwaway PostgreSQL server, give it a little life, check it together with
this host, plan for both, apply the server's part of the plan to it, restart it,
check again, undo all, show that everything is as it was, stop it, and leave nothing
behind. The host's part is only planned, unless PGFETTLE_TEST_KERNEL=disposable says
that this machine may be touched.

Server programs that are installed are used; where there are none (or with
--fetch) they are fetched once, verified, and kept in the cache folder. Run by
root, the server runs as an unprivileged user. It listens on a private socket
only, never on a port. Nothing else on the host is touched.`,
		Example: `  pgfettle demo
  pgfettle demo --pg 18 --profile oltp
  pgfettle demo oom`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemo(cmd.Context(), env, o) },
	}
	o.serverFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.profile, "profile", string(rule.Mixed), "what the host is for: web, oltp, dw, mixed, desktop or 1c")
	complete(cmd, "profile", "web", "oltp", "dw", "mixed", "desktop", "1c")
	cmd.AddCommand(newDemoOOM(env))
	return cmd
}

func runDemo(ctx context.Context, env *Env, o *demoOptions) (err error) {
	profile, err := rule.ParseProfile(o.profile)
	if err != nil {
		return say.Usage("--profile: "+err.Error(),
			"mixed is the one for a host that does both short transactions and reports")
	}
	if err := o.checkMajor(); err != nil {
		return err
	}
	began := time.Now()
	step := func(format string, args ...any) {
		fmt.Fprintf(env.Stdout, "── %s\n\n", fmt.Sprintf(format, args...))
	}
	inst, err := env.host().StartDemo(ctx, o.request(env))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inst.Remove()) }()
	step("A throwaway server runs: %s, data in %s, private socket, no TCP.", inst.Programs, inst.DataDir)

	l, err := env.host().OpenScratch(ctx, inst.DataDir)
	if err != nil {
		return err
	}
	step("pgfettle check %s", inst.DataDir)
	before := judge(l, check.Options{})
	if err := term.Write(env.Stdout, outline.Check(before, env.words), env.Style()); err != nil {
		return err
	}
	p, err := l.PlanBy(ctx, rule.Options{Profile: profile, Pins: demoPins(env)})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout)
	step("pgfettle plan --profile %s %s", profile, inst.DataDir)
	if err := term.Write(env.Stdout, outline.Plan(document.Plan{Plan: p, Subject: document.SubjectOf(l.Snapshot)},
		env.words), env.Style()); err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout)
	if err := demoApply(ctx, env, inst, l, p, before, step); err != nil {
		return err
	}
	if err := inst.Remove(); err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout)
	step("The throwaway server is stopped and removed; this took %s. On your own host: pgfettle check, pgfettle "+
		"plan, pgfettle apply.", time.Since(began).Round(100*time.Millisecond))
	return nil
}

// request says which server programs are run; that they are fetched is told.
func (o *demoOptions) request(env *Env) app.DemoRequest {
	return app.DemoRequest{Major: o.major, Fetch: o.fetch, Fetching: func(major int) {
		fmt.Fprintf(env.Stderr, "pgfettle: fetching the programs of PostgreSQL %d, once (about 15 MB)\n", major)
	}}
}
