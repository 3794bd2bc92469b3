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
		Short: "Show, validate or print an example policy",
		Long: `The policy is a TOML file of this site: values that plans must keep (pins),
accepted findings with a reason and an expiry date, the profile, and limits for
check and apply. The other commands read it from the file given with --policy,
or from ` + app.PolicyPlace + `.`,
		Example: `  pgfettle policy example > policy.toml
  pgfettle policy check policy.toml
  pgfettle policy show`,
	}
	show := &cobra.Command{
		Use:   "show [FILE]",
		Short: "Show the policy in effect",
		Long: `Show the contents of the policy with line numbers, and which acceptances have
expired. The default FILE is ` + app.PolicyPlace + `.`,
		Example: "  pgfettle policy show\n  pgfettle policy show policy.toml --format json",
		Args:    atMost(1, "at most one FILE"),
	}
	var format string
	show.Flags().StringVar(&format, "format", "text", plainFormsHelp)
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
		Short: "Validate a policy",
		Long: `Read a policy as the other commands do, and report errors with file and line
(exit status 2). Whether a server accepts a pinned value is checked when a plan
is made. The default FILE is ` + app.PolicyPlace + `.`,
		Example: "  pgfettle policy check\n  pgfettle policy check policy.toml",
		Args:    atMost(1, "at most one FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := policyNamed(env, args)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(env.Stdout, reports.PolicyLine(document.PolicyOf(p, today(env)), env.words))
			return err
		},
	}
	example := &cobra.Command{
		Use:     "example",
		Short:   "Print an example policy",
		Long:    "Print an example policy with every section and key, as a starting point.",
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
		return nil, &say.Problem{Message: say.M("policy file /etc/pgfettle/policy.toml does not exist"),
			Hint: say.M("Name a FILE, or create one: pgfettle policy example > policy.toml"), Code: exitError}
	}
	return env.host().ReadPolicy(app.PolicyPlace, false)
}
