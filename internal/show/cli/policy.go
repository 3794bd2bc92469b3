package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/term"
)

func newPolicy(env *Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "Show or try the policy of this site",
		Long: `The policy is a file of this site, in TOML: values that plans keep to (pins),
findings that are accepted with a reason and a last day, the profile, and how far
a run may go (limits). check, plan and apply read it from
` + app.PolicyPlace + `, or from where their --policy says.`,
		Example: `  pgfettle policy example > policy.toml
  pgfettle policy check policy.toml
  pgfettle policy show`,
	}
	show := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Show the policy that holds",
		Long: `Show what the policy says, with the lines, and which acceptances have ended. FILE is
` + app.PolicyPlace + ` where none is named.`,
		Example: "  pgfettle policy show\n  pgfettle policy show policy.toml --format json",
		Args:    atMost(1, "one FILE at most"),
	}
	var format string
	show.Flags().StringVar(&format, "format", "text", "text or json")
	complete(show, "format", "text", "json")
	show.RunE = func(_ *cobra.Command, args []string) error {
		if err := choice("format", format, "text", "json"); err != nil {
			return err
		}
		p, err := policyNamed(env, args)
		if err != nil {
			return err
		}
		d := document.PolicyOf(p, today(env))
		if format == "json" {
			return json.Policy(env.Stdout, d)
		}
		return term.Write(env.Stdout, reports.Policy(d, env.words), env.Style())
	}
	try := &cobra.Command{
		Use:   "check [FILE]",
		Short: "Tell whether a policy can be read",
		Long: `Read a policy as the other commands do and tell what is wrong in it, with file and
line (exit code 2). FILE is ` + app.PolicyPlace + ` where none is named.
Whether a server takes a pinned value is seen when a plan is made.`,
		Example: "  pgfettle policy check\n  pgfettle policy check policy.toml",
		Args:    atMost(1, "one FILE at most"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := policyNamed(env, args)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(env.Stdout, reports.PolicyLine(document.PolicyOf(p, today(env))))
			return err
		},
	}
	example := &cobra.Command{
		Use:     "example",
		Short:   "Print a policy that shows everything",
		Long:    "Print a policy with everything that may stand in one, to begin with.",
		Example: "  pgfettle policy example > policy.toml",
		Args:    atMost(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(env.Stdout, policy.Example)
			return err
		},
	}
	cmd.AddCommand(show, try, example)
	return cmd
}

// policyNamed reads the policy that an argument names, else that of this site.
func policyNamed(env *Env, args []string) (*policy.Policy, error) {
	if name := strings.Join(args, ""); name != "" {
		return env.host().ReadPolicy(name, true)
	}
	if _, err := os.Stat(app.PolicyPlace); errors.Is(err, fs.ErrNotExist) {
		return nil, &say.Problem{Message: "there is no " + app.PolicyPlace,
			Hint: "name a FILE; 'pgfettle policy example' prints one to begin with", Code: exitError}
	}
	return env.host().ReadPolicy(app.PolicyPlace, false)
}
