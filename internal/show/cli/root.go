package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const rootLong = `pgfettle reads a PostgreSQL host and its instances, says what is wrong and why,
and plans one coherent configuration of both: server and kernel, each value with
its reason. apply carries the plan out, move-wal moves the WAL to a disk of its own,
and undo takes either back; nothing else changes anything.`

const rootExample = `  pgfettle check                     what is wrong with this host and its instances
  pgfettle plan                      what their settings should be, and why
  pgfettle plan --for 'ram=64GB,cpus=16,storage=nvme,pg=17'
  pgfettle apply                     make it so: shown, asked, noted in a journal
  pgfettle undo                      and take it back
  pgfettle probe                     measure disks, clock and memory for both
  pgfettle explain shared_buffers    one knob: what it trades, how it is decided
  pgfettle demo                      see it at work on a throwaway server`

// usageTemplate is cobra's, shortened, with the exit codes.
const usageTemplate = `Usage:{{if .Runnable}}
  {{.UseLine}}{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{if .HasAvailableSubCommands}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}{{if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}

` + exitTable + `{{if .HasAvailableSubCommands}}

'{{.CommandPath}} COMMAND --help' tells more of one command.{{end}}
`

// newRoot builds the whole tree of commands.
func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "pgfettle",
		Short:         "Check, plan and change the settings of a PostgreSQL host",
		Long:          rootLong,
		Example:       rootExample,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetUsageTemplate(usageTemplate)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolVar(&env.NoColor, "no-color", false, "never write colours (NO_COLOR does the same)")
	root.PersistentFlags().StringVar(&env.Lang, "lang", "",
		"language of texts for people, `en`, fr or ru (default: LC_ALL, LC_MESSAGES, LANG; JSON: en)")
	root.PersistentFlags().StringArrayVar(&env.Trusted, "trust", nil, trustHelp)
	complete(root, "lang", say.Languages()...)
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return env.speak() }
	root.AddCommand(newCheck(env), newPlan(env), newApply(env), newUndo(env), newJournal(env), newStatus(env),
		newHistory(env), newWatch(env), newTop(env), newServe(env), newMetrics(env), newReport(env), newMoveWAL(env),
		newDiagnose(env), newRead(env), newProbe(env), newBench(env), newProve(env), newSnapshot(env), newExplain(env),
		newPolicy(env), newDemo(env), newVersion(env), newMan(env))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	strict(root)
	return root
}

// strict makes a command that only holds others refuse what is none of them;
// cobra would print its help and end well.
func strict(root *cobra.Command) {
	for _, c := range root.Commands() {
		switch {
		case c.Name() == "help":
			c.Short, c.Long, c.Example = "Show the help of a command", "Show the help of a command.",
				"  pgfettle help plan"
			c.Run = nil
			c.RunE = func(_ *cobra.Command, args []string) error {
				found, rest, err := root.Find(args)
				if err != nil || len(rest) > 0 {
					return unknownCommand(found, rest[0])
				}
				return found.Help()
			}
		case c.Name() == "completion":
			c.Short = "Write the completion script of a shell"
			c.Example = "  pgfettle completion bash > /etc/bash_completion.d/pgfettle"
		}
		if c.HasSubCommands() && !c.Runnable() {
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return unknownCommand(cmd, args[0])
				}
				return cmd.Help()
			}
		}
	}
}

func unknownCommand(cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return say.Usage(fmt.Sprintf("%q is not a command of %s", name, cmd.CommandPath()),
		say.DidYouMean(name, names, "the commands are "+strings.Join(names, ", ")))
}

// flagError words pflag's errors; an unknown flag gets the nearest known ones.
func flagError(cmd *cobra.Command, err error) error {
	hint := fmt.Sprintf("'%s --help' lists the flags", cmd.CommandPath())
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		typed := unknown.GetSpecifiedName()
		dashes := "--"
		if len(typed) == 1 {
			dashes = "-"
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, "--"+f.Name)
			}
		})
		return say.Usage("unknown flag "+dashes+typed, say.DidYouMean("--"+typed, names, hint))
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		f := bad.GetFlag()
		kind := map[string]string{"int": "a whole number", "bool": "true or false"}[f.Value.Type()]
		if kind == "" {
			kind = "a value for it"
		}
		return say.Usage(fmt.Sprintf("--%s: %q is not %s", f.Name, bad.GetValue(), kind), hint)
	}
	return say.Usage(err.Error(), hint)
}

// atMost refuses more than n arguments, naming the first that is too many.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return say.Usage(fmt.Sprintf("%q is one argument too many", args[n]),
				fmt.Sprintf("%s takes %s", cmd.CommandPath(), what))
		}
		return nil
	}
}

// choice refuses a value that is none of the names.
func choice(flag, value string, names ...string) error {
	for _, n := range names {
		if n == value {
			return nil
		}
	}
	return say.Usage(fmt.Sprintf("--%s: %q is not known", flag, value), "write one of "+strings.Join(names, ", "))
}

// words completes a flag or an argument with fixed words.
func words(names ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// complete registers the words of a flag. An error is a flag that does not
// exist: a fault of the program text.
func complete(cmd *cobra.Command, flag string, names ...string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, words(names...)); err != nil {
		panic(err)
	}
}
