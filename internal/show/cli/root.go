package cli

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/shell"
)

const rootLong = `pgfettle checks a PostgreSQL host and its instances, and explains each finding.
It recommends one consistent configuration of server and kernel, with a reason
for each value.

apply changes the recommended settings, move-wal moves pg_wal to another
filesystem, and tablespace creates and fills tablespaces. undo reverts each of
them. No other command permanently changes the host or its instances.`

const rootExample = `  pgfettle check                    # faults of this host and its instances
  pgfettle plan                     # recommended settings, with reasons
  pgfettle plan --for 'ram=64GB,cpus=16,storage=nvme,pg=17'
  pgfettle apply                    # apply the plan (asks first)
  pgfettle undo                     # undo the last apply
  pgfettle probe                    # measure disks, clock and memory
  pgfettle explain shared_buffers   # effect of a setting, and how it is chosen
  pgfettle demo                     # try all of this on a throwaway server`

// newRoot builds the whole tree of commands.
func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "pgfettle",
		Short:         "Check and tune PostgreSQL and the Linux host it runs on",
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
	root.SetUsageFunc(func(c *cobra.Command) error {
		_, err := io.WriteString(c.OutOrStderr(), usage(c, env.words))
		return err
	})
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		// --help is served before any other step of a command: the language is opened here. One
		// that there is not, is refused where a command runs; its help is English.
		_ = env.speak()
		_, _ = io.WriteString(c.OutOrStdout(), help(c, env.words)) // no one is left to report to
	})
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolVar(&env.NoColor, "no-color", false, "no colors (as with NO_COLOR)")
	root.PersistentFlags().StringVar(&env.Lang, "lang", "",
		"`LANG` language of human-readable output: en, fr, ru (default from the locale; JSON: en)")
	root.PersistentFlags().StringArrayVar(&env.Trusted, "trust", nil, trustHelp)
	complete(root, "lang", say.Languages()...)
	root.PersistentPreRunE = func(*cobra.Command, []string) error { return env.speak() }
	root.AddCommand(newCheck(env), newPlan(env), newApply(env), newUndo(env), newJournal(env), newStatus(env),
		newHistory(env), newWatch(env), newTop(env), newServe(env), newMetrics(env), newReport(env), newCreate(env),
		newMoveWAL(env), newTablespace(env),
		newDiagnose(env), newRead(env), newProbe(env), newBench(env), newProve(env), newSnapshot(env), newExplain(env),
		newPolicy(env), newDemo(env), newVersion(env), newMan(env))
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	strict(root)
	root.Flags().BoolP("version", "v", false, "print the version")
	helpFlags(root)
	return root
}

// helpFlags defines --help of every command, which cobra would word with its name.
func helpFlags(c *cobra.Command) {
	c.Flags().BoolP("help", "h", false, "show this help")
	for _, sub := range c.Commands() {
		helpFlags(sub)
	}
}

// strict makes a command that only groups others refuse the name of any other
// command; cobra would print its help and exit with 0.
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
			completionHelp(c)
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
	return say.Usage(say.M("unknown command {name} for {command}", "name", say.Quoted(name), "command",
		cmd.CommandPath()),
		say.DidYouMean(name, names, say.M("Use one of: {names}.", "names", say.Names(names, 0))))
}

// completionHelp words the help of the command that cobra brings along.
func completionHelp(c *cobra.Command) {
	c.Short = "Print a shell completion script"
	c.Long = "Print the completion script for a shell."
	c.Example = "  pgfettle completion bash > /etc/bash_completion.d/pgfettle"
	for _, shell := range c.Commands() {
		name := shell.Name()
		shell.Short = "Print the completion script for " + name
		shell.Long = map[string]string{
			"bash": `Print the completion script for bash. It requires the package bash-completion.

To load it in the current session:

  source <(pgfettle completion bash)

To load it in every new session:

  pgfettle completion bash > /etc/bash_completion.d/pgfettle`,
			"zsh": `Print the completion script for zsh. It requires the completion system
(autoload -U compinit; compinit).

To load it in the current session:

  source <(pgfettle completion zsh)

To load it in every new session:

  pgfettle completion zsh > "${fpath[1]}/_pgfettle"`,
			"fish": `Print the completion script for fish.

To load it in the current session:

  pgfettle completion fish | source

To load it in every new session:

  pgfettle completion fish > ~/.config/fish/completions/pgfettle.fish`,
			"powershell": `Print the completion script for PowerShell.

To load it in the current session:

  pgfettle completion powershell | Out-String | Invoke-Expression

To load it in every new session, add that line to your PowerShell profile.`,
		}[name]
		if f := shell.Flags().Lookup("no-descriptions"); f != nil {
			f.Usage = "print completions without descriptions"
		}
	}
}

// flagError words the errors of the flag library; an unknown flag gets the nearest
// known ones.
func flagError(cmd *cobra.Command, err error) error {
	hint := say.M("List the flags: {command} --help", "command", cmd.CommandPath())
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
		return say.Usage(say.M("unknown flag {dashes}{typed}", "dashes", dashes, "typed", typed), say.DidYouMean("--"+
			typed, names, hint))
	}
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		f := bad.GetFlag()
		kinds := map[string]say.Template{"int": "Use a whole number.", "bool": "Use true or false.",
			"float64": "Use a number.", "uint64": "Use a whole number.",
			"duration": "Use a duration such as 30s or 2m."}
		if kind, ok := kinds[f.Value.Type()]; ok {
			hint = say.M(kind)
		}
		return say.Usage(say.M("invalid value for --{name}: {value}", "name", f.Name, "value",
			say.Quoted(bad.GetValue())), hint)
	}
	var missing *pflag.ValueRequiredError
	if errors.As(err, &missing) {
		return say.Usage(say.M("missing value for --{name}", "name", missing.GetFlag().Name), hint)
	}
	return say.Usage(say.OfError(err), hint)
}

// atMost refuses more than n arguments and names the first excess one. Several
// arguments such as host=db1 user=x are a conninfo that the shell has split.
func atMost(n int, what say.Template) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return tooMany(cmd.CommandPath(), args, n, what)
	}
}

// tooMany is the error of more than n arguments of a command.
func tooMany(command string, args []string, n int, what say.Template) error {
	hint := say.M("{command} takes {what}.", "command", command, "what", say.M(what))
	if quoted := conninfoSplit(args); quoted != "" {
		hint = say.M("Quote the conninfo: {command} {quoted}", "command", command, "quoted", quoted)
	}
	return say.Usage(say.M("too many command-line arguments (first is {argument})", "argument", say.Quoted(args[n])),
		hint)
}

// filesOrTarget are the arguments of a command that takes any number of files, and a
// conninfo.
func filesOrTarget(cmd *cobra.Command, args []string) error {
	for i, a := range args {
		if _, err := os.Stat(a); err != nil && conninfoSplit(args[:i+1]) != "" {
			return tooMany(cmd.CommandPath(), args, i, "")
		}
	}
	return nil
}

// conninfoWord reports whether an argument is one keyword of a conninfo with its value.
func conninfoWord(arg string) bool {
	name, _, ok := strings.Cut(arg, "=")
	return ok && name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// conninfoSplit writes arguments with a conninfo at their end as they have to be typed:
// the conninfo as one word. It is "" if the last two are no parts of a conninfo. A
// password is not repeated.
func conninfoSplit(args []string) string {
	first := len(args)
	for first > 0 && conninfoWord(args[first-1]) {
		first--
	}
	if len(args)-first < 2 {
		return ""
	}
	words := slices.Clone(args[first:])
	for i, w := range words {
		if name, _, _ := strings.Cut(w, "="); name == "password" || name == "sslpassword" {
			words[i] = name + "=PASSWORD"
		}
	}
	var out []string
	for _, a := range args[:first] {
		out = append(out, shell.Quote(a))
	}
	return strings.Join(append(out, shell.Quote(strings.Join(words, " "))), " ")
}

// choice refuses a value that is none of the names.
func choice(flag, value string, names ...string) error {
	if slices.Contains(names, value) {
		return nil
	}
	return say.Usage(say.M("invalid value for --{flag}: {value}", "flag", flag, "value", say.Quoted(value)),
		say.M("Use one of: {names}.", "names", say.Names(names, 0)))
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
