package cli

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
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
		Short: "Show an OOM kill with and without strict overcommit",
		Long: `Start a throwaway PostgreSQL server in a cgroup limited to ` + app.OOMDemoLimit.String() + ` of memory.
Several sessions work in it while another one sorts more data in memory than the
limit allows. There are two rounds:

Round 1 uses the default overcommit mode of Linux. The kernel grants the memory,
runs out of it, and kills the process. The server terminates all sessions and
runs crash recovery.

Round 2 uses strict overcommit, as pgfettle plans it for a host that runs only
PostgreSQL. The kernel refuses the allocation, and one query fails with "out of
memory". The report compares both rounds: log lines of kernel and server, lost
sessions, and the time without a working session.

Nothing outside of the cgroup can run out of memory. vm.overcommit_memory is a
setting of the whole host, so a limit on the address space of each server
process (RLIMIT_AS) stands in for it. With --overcommit real, the kernel
parameters are changed for some seconds and restored. Because this can affect
any program, it requires PGFETTLE_TEST_KERNEL=disposable, for disposable hosts.

Required is the right to create a cgroup with a memory controller: root, or a
delegated cgroup (version 2). Everything is removed at the end; after a crash,
the next run removes it.`,
		Example: `  pgfettle demo oom
  pgfettle demo oom --pg 15 --format json`,
		Args: atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDemoOOM(cmd.Context(), env, o) },
	}
	o.demo.serverFlags(cmd)
	f := cmd.Flags()
	f.StringVar(&o.overcommit, "overcommit", oomresult.StandIn,
		"`MODE` strict overcommit of the second round: stand-in, real")
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
				Message: say.M("--overcommit real changes kernel parameters that affect every program on this host"),
				Hint: say.M("On a disposable host, set PGFETTLE_TEST_KERNEL=disposable. Otherwise, omit " +
					"--overcommit."),
				Code: exitRefused}
		case env.Target.UID() != 0:
			return &say.Problem{Message: say.M("--overcommit real requires root"), Hint: say.M("Run the command as " +
				"root."),
				Code: exitNoAccess}
		}
	}
	res, err := env.host().OOMDemo(ctx, o.demo.request(env), o.overcommit)
	if res != nil && len(res.Swept) > 0 {
		env.tell(kindNote, say.M("removed leftovers of an earlier run that was killed: {swept}", "swept",
			say.Names(res.In(env.words).Swept, 0)))
	}
	if err != nil {
		return err
	}
	if o.format == "json" {
		err = json.Demo(env.Stdout, res.In(env.asked()))
	} else {
		err = term.Write(env.Stdout, reports.Demo(res, env.words), env.Style())
	}
	if err != nil {
		return err
	}
	return cameOut(res)
}

// cameOut is the error of a demonstration that did not show what it is for.
func cameOut(res *oomresult.OOM) error {
	const hint = "See the log lines above. A host that already uses strict overcommit refuses the memory in the " +
		"first round, too."
	for i, want := range []string{oomresult.Killed, oomresult.Refused} {
		r := res.Rounds[i]
		if r.Query.Outcome != want {
			return &say.Problem{Message: say.M("the demonstration failed: the query of round {value} was {outcome}, "+
				"not {want}", "value", fmt.Sprint(i+1), "outcome", r.Query.Outcome, "want", want),
				Detail: say.Text(r.Query.Message), Hint: say.M(hint)}
		}
	}
	if r := res.Rounds[1]; r.Load.Lost > 0 || !r.Query.Alive {
		return &say.Problem{Message: say.M("the demonstration failed: {lost} sessions were lost with strict overcommit",
			"lost", fmt.Sprint(r.Load.Lost)), Hint: say.M(hint)}
	}
	return nil
}

// serverFlags are those that choose the server programs.
func (o *demoOptions) serverFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.IntVar(&o.major, "pg", 0,
		"`N` major version to run, 13–19 (default the newest installed, or 18)")
	f.BoolVar(&o.fetch, "fetch", false, "download the server programs even if some are installed")
}

func (o *demoOptions) checkMajor() error {
	if o.major != 0 && !slices.Contains(params.Majors(), o.major) {
		return say.Usage(say.M("invalid value for --pg: {major}", "major", fmt.Sprint(o.major)),
			say.M("Use a major version from {first} to {last}.", "first", fmt.Sprint(params.Majors()[0]),
				"last", fmt.Sprint(slices.Max(params.Majors()))))
	}
	return nil
}
