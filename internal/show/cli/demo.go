package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
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
		Short: "Try check, plan, apply and undo on a throwaway server",
		Long: `Run the whole cycle on a throwaway PostgreSQL server: start it, create some
activity, check it together with this host, plan for both, apply the plan to the
server, restart it, check again, undo everything, verify that the settings are
restored, and remove it. The plan for the host is shown but not applied, unless
PGFETTLE_TEST_KERNEL=disposable marks the kernel of this host as disposable.

Installed server programs are used. If there are none, or with --fetch, they are
downloaded once, verified, and kept in the cache directory. If you are root, the
server runs as an unprivileged user. It listens on a private socket only, not on
a port. Nothing else on this host is changed.`,
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
	f.StringVar(&o.profile, "profile", string(rule.Mixed), profileHelp)
	complete(cmd, "profile", "web", "oltp", "dw", "mixed", "desktop", "1c")
	cmd.AddCommand(newDemoOOM(env))
	return cmd
}

func runDemo(ctx context.Context, env *Env, o *demoOptions) (err error) {
	profile, err := rule.ParseProfile(o.profile)
	if err != nil {
		return say.Usage(say.M("--profile: {error}", "error", err),
			say.M("For a host with short transactions and reports, use mixed."))
	}
	if err := o.checkMajor(); err != nil {
		return err
	}
	began := time.Now()
	step := func(text say.Template, pairs ...any) {
		fmt.Fprintf(env.Stdout, "── %s\n\n", env.say(text, pairs...))
	}
	inst, err := env.host().StartDemo(ctx, o.request(env))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inst.Remove()) }()
	step("Throwaway server started: {programs}, data in {dir}, private socket, no TCP.",
		"programs", fmt.Sprint(inst.Programs), "dir", inst.DataDir)

	l, err := env.host().OpenScratch(ctx, inst.DataDir)
	if err != nil {
		return err
	}
	step("{command}", "command", "pgfettle check "+inst.DataDir)
	before := judge(l, check.Options{})
	if err := term.Write(env.Stdout, outline.ShortCheck(before, env.words), env.Style()); err != nil {
		return err
	}
	p, err := l.PlanBy(ctx, rule.Options{Profile: profile, Pins: demoPins(env)})
	if err != nil {
		return err
	}
	fmt.Fprintln(env.Stdout)
	step("{command}", "command", fmt.Sprintf("pgfettle plan --profile %s %s", profile, inst.DataDir))
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
	step("Throwaway server stopped and removed after {time}. On your own host, use pgfettle check, pgfettle plan "+
		"and pgfettle apply.", "time", time.Since(began).Round(100*time.Millisecond).String())
	return nil
}

// request selects the server programs; a download is reported.
func (o *demoOptions) request(env *Env) app.DemoRequest {
	return app.DemoRequest{Major: o.major, Fetch: o.fetch, Fetching: func(major int) {
		fmt.Fprintln(env.Stderr, "pgfettle: "+env.say("downloading PostgreSQL {major} (about 15 MB, once)",
			"major", strconv.Itoa(major)))
	}}
}
