package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// newMan is for packages: it writes the man pages from the same texts as the
// help. The pages are written here in man(7) because the generator that comes
// with cobra goes through Markdown and needs a renderer of it in the binary.
func newMan(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "man DIR",
		Short:   "Write the man pages into a directory",
		Long:    "Write one man page for each command into DIR, which is created if needed.",
		Example: "  pgfettle man /usr/local/share/man/man1",
		Hidden:  true,
		Args:    atMost(1, "one DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return say.Usage(say.M("missing argument DIR"), say.M("Use: pgfettle man DIR"))
			}
			return writeMan(cmd.Root(), args[0], env)
		},
	}
}

func writeMan(root *cobra.Command, dir string, env *Env) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return say.Err("man pages: {error}", "error", err)
	}
	var walk func(*cobra.Command) error
	walk = func(c *cobra.Command) error {
		name := filepath.Join(dir, strings.ReplaceAll(c.CommandPath(), " ", "-")+".1")
		if err := os.WriteFile(name, []byte(manPage(c)), 0o644); err != nil {
			return say.Err("man pages: {error}", "error", err)
		}
		fmt.Fprintln(env.Stdout, name)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && sub.Name() != "help" {
				if err := walk(sub); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return walk(root)
}

func manPage(c *cobra.Command) string {
	var b strings.Builder
	title := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"pgfettle %s\" \"User Commands\"\n", strings.ToUpper(roff(title)), roff(Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", roff(title), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B %s\n", roff(c.UseLine()))
	b.WriteString(".SH DESCRIPTION\n" + roffBlock(c.Long))
	var flags []*pflag.Flag
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	c.InitDefaultHelpFlag()
	c.NonInheritedFlags().VisitAll(add)
	c.InheritedFlags().VisitAll(add)
	if len(flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, f := range flags {
		name, text := flagWords(f, nil)
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(text))
	}
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + roffVerbatim(c.Example))
	}
	b.WriteString(".SH EXIT STATUS\n" + roffVerbatim(strings.TrimPrefix(exitTable(nil), "Exit codes:\n")))
	return b.String()
}

// roff escapes what man(7) would take for its own.
func roff(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}

// roffBlock sets prose as paragraphs; indented lines stay as they are.
func roffBlock(text string) string {
	var b strings.Builder
	verbatim := false
	for _, l := range strings.Split(text, "\n") {
		in := strings.HasPrefix(l, "  ")
		if in != verbatim {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[in])
			verbatim = in
		}
		if l == "" {
			b.WriteString(".PP\n")
			continue
		}
		b.WriteString(roff(l) + "\n")
	}
	if verbatim {
		b.WriteString(".fi\n")
	}
	return b.String()
}

func roffVerbatim(text string) string {
	var b strings.Builder
	b.WriteString(".nf\n")
	for _, l := range strings.Split(text, "\n") {
		b.WriteString(roff(l) + "\n")
	}
	b.WriteString(".fi\n")
	return b.String()
}
