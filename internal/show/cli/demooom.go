package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

type demoOOMOptions struct {
	demo       demoOptions
	overcommit string
	format     string
}

func newDemoOOM(env *Env) *cobra.Command {
	o := &demoOOMOptions{}
	cmd := &cobra.Command{
		Use:   "oom",
		Short: "Show what one greedy query does to all sessions, without strict overcommit and with it",
		Long: `Start a throwaway PostgreSQL server in a control group of its own that may use
` + app.OOMDemoLimit.String() + ` of memory, set a few sessions to work, and let another one sort more than
that in memory. Twice:

First as a Linux host is by default: the kernel promises the memory, cannot keep its
promise, and kills the process; the server ends all sessions and recovers. Then
under strict overcommit, as pgfettle plans it for a host that serves only PostgreSQL:
the kernel refuses, and one query fails with «out of memory». Shown are the lines of
the kernel's and the server's log, the sessions that were lost, the time that no
session could work, and both rounds side by side.

Nothing outside of the group can run out of memory. The kernel's own switch,
vm.overcommit_memory, is for the whole host, so a limit on the address space of each
process of the server (RLIMIT_AS) stands in for it. With --overcommit real the
kernel's own values are set for some seconds and put back; that is done only where
PGFETTLE_TEST_KERNEL=disposable says that this machine may be touched, since any
program may meet the limit.

It needs a memory controller that it may make a group in: root, or a group of
version 2 that is delegated. Everything is removed at the end, and after a crash by
the next run.`,
		Example: `  pgfettle demo oom
  pgfettle demo oom --pg 15 --format json`,
		Args: atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemoOOM(cmd.Context(), env, o) },
	}
	o.demo.serverFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.overcommit, "overcommit", oomresult.StandIn,
		"how the second round has strict overcommit: stand-in or real")
	f.StringVar(&o.format, "format", "text", plainFormsHelp)
	complete(cmd, "overcommit", oomresult.StandIn, oomresult.Real)
	complete(cmd, "format", "text", "json")
	return cmd
}

func runDemoOOM(ctx context.Context, env *Env, o *demoOOMOptions) error {
	if err := choice("overcommit", o.overcommit, oomresult.StandIn, oomresult.Real); err != nil {
		return err
	}
	if err := choice("format", o.format, "text", "json"); err != nil {
		return err
	}
	if err := o.demo.checkMajor(); err != nil {
		return err
	}
	if o.overcommit == oomresult.Real {
		switch {
		case !disposable(env):
			return &say.Problem{
				Message: "--overcommit real changes values of the kernel that hold for every program of this host",
				Hint: "on a machine that may be touched set PGFETTLE_TEST_KERNEL=disposable; everywhere else leave " +
					"the flag out", Code: exitRefused}
		case env.Target.UID() != 0:
			return &say.Problem{Message: "--overcommit real changes values of the kernel", Hint: "run it as root",
				Code: exitNoAccess}
		}
	}
	res, err := env.host().OOMDemo(ctx, o.demo.request(env), o.overcommit)
	if res != nil && len(res.Swept) > 0 {
		env.tell("note", "an earlier run was killed; removed what it had left: "+strings.Join(res.Swept, ", "))
	}
	if err != nil {
		return err
	}
	if o.format == "json" {
		err = json.Demo(env.Stdout, res)
	} else {
		err = term.Write(env.Stdout, reports.Demo(res), env.Style())
	}
	if err != nil {
		return err
	}
	return cameOut(res)
}

// cameOut is the error of an exercise that did not show what it is for.
func cameOut(res *oomresult.OOM) error {
	const hint = "the lines of the logs say what happened; a host with strict overcommit already refuses in the " +
		"first round too"
	for i, want := range []string{oomresult.Killed, oomresult.Refused} {
		r := res.Rounds[i]
		if r.Query.Outcome != want {
			return &say.Problem{Message: fmt.Sprintf(
				"the exercise did not come out: the query of round %d was %s, not %s", i+1, r.Query.Outcome, want),
				Detail: r.Query.Message, Hint: hint}
		}
	}
	if r := res.Rounds[1]; r.Load.Lost > 0 || !r.Query.Alive {
		return &say.Problem{Message: fmt.Sprintf(
			"the exercise did not come out: under strict overcommit %d sessions were lost", r.Load.Lost), Hint: hint}
	}
	return nil
}

// serverFlags are those that choose the server programs.
func (o *demoOptions) serverFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.major, "pg", 0,
		"major version to run, `N` from 13 to 18 (default: the newest installed, else the newest there is)")
	f.BoolVar(&o.fetch, "fetch", false, "fetch the server programs even where some are installed")
}

func (o *demoOptions) checkMajor() error {
	if o.major != 0 && (o.major < 13 || o.major > 18) {
		return say.Usage(fmt.Sprintf("--pg: %d is out of range", o.major), "write a major version from 13 to 18")
	}
	return nil
}
