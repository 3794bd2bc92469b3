package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

const (
	// helpWidth is the width of every help text, in columns: the smallest terminal.
	helpWidth = 80
	// flagColumn is the widest name of a flag beside which its text begins; wider
	// names have a line of their own.
	flagColumn = 28
)

// usage is what follows the long text of a command in its help: usage, examples,
// commands, flags, exit codes.
func usage(c *cobra.Command) string {
	var b strings.Builder
	b.WriteString("Usage:")
	if c.Runnable() {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " COMMAND")
	}
	if c.HasExample() {
		b.WriteString("\n\nExamples:\n" + c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nCommands:")
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				b.WriteString("\n  " + typeset.Pad(sub.Name(), c.NamePadding()) + " " + sub.Short)
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\nFlags:\n" + flagList(c.LocalFlags()))
	}
	if c.HasAvailableInheritedFlags() {
		b.WriteString("\n\nGlobal flags:\n" + flagList(c.InheritedFlags()))
	}
	b.WriteString("\n\n" + exitTable)
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\nFor one command: " + c.CommandPath() + " COMMAND --help")
	}
	return b.String() + "\n"
}

// flagList lists flags with their texts aligned and wrapped. Widths are counted in
// characters; the list of the flag library counts bytes.
func flagList(flags *pflag.FlagSet) string {
	type row struct{ name, text string }
	var rows []row
	wide := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, text := flagWords(f)
		if f.Shorthand == "" {
			name = "    " + name
		}
		rows = append(rows, row{"  " + name, text})
		if w := typeset.Width(name) + 2; w <= flagColumn {
			wide = max(wide, w)
		}
	})
	indent := strings.Repeat(" ", wide+2)
	var lines []string
	for _, r := range rows {
		text := typeset.Wrap(r.text, helpWidth-wide-2)
		if typeset.Width(r.name) > wide {
			lines = append(lines, r.name, indent+text[0])
		} else {
			lines = append(lines, typeset.Pad(r.name, wide+2)+text[0])
		}
		for _, t := range text[1:] {
			lines = append(lines, indent+t)
		}
	}
	return strings.Join(lines, "\n")
}

// shortTime spells a duration without its zeros: 10m for 10m0s.
func shortTime(s string) string {
	if _, err := time.ParseDuration(s); err == nil {
		if short, whole := strings.CutSuffix(s, "m0s"); whole {
			return short + "m"
		}
	}
	return s
}

// flagWords are a flag as it is typed, with what stands for its value, and its text
// with the default.
func flagWords(f *pflag.Flag) (name, text string) {
	arg, text := pflag.UnquoteUsage(f)
	text = strings.TrimPrefix(text, arg+" ") // "`FILE` policy file": the name is not repeated
	name = "--" + f.Name
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	switch {
	case arg != "" && f.NoOptDefVal != "":
		name += "[=" + arg + "]"
	case arg != "":
		name += " " + arg
	}
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		if !strings.Contains(text, "(default ") {
			text += " (default " + shortTime(f.DefValue) + ")"
		}
	}
	return name, text
}
