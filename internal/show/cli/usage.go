package cli

import (
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

const (
	// helpWidth is the width of every help text, in columns: the smallest terminal.
	helpWidth = 80
	// flagColumn is the widest name of a flag beside which its text begins; wider
	// names have a line of their own.
	flagColumn = 28
)

// help is the whole help of a command in the language of a catalog.
func help(c *cobra.Command, words *say.Catalogue) string {
	text := c.Long
	if text == "" {
		text = c.Short
	}
	return inWords(text, words) + "\n\n" + usage(c, words)
}

// usage is what follows the long text of a command in its help: usage, examples,
// commands, flags, exit codes.
func usage(c *cobra.Command, words *say.Catalogue) string {
	var b strings.Builder
	head := func(t say.Template) string { return say.M(t).In(words) }
	b.WriteString(head("Usage:"))
	if c.Runnable() {
		b.WriteString("\n  " + c.UseLine())
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n  " + c.CommandPath() + " COMMAND")
	}
	if c.HasExample() {
		b.WriteString("\n\n" + head("Examples:") + "\n" + c.Example)
	}
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\n" + head("Commands:"))
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() || sub.Name() == "help" {
				name := "  " + typeset.Pad(sub.Name(), c.NamePadding()) + " "
				for i, line := range typeset.Wrap(words.Text(sub.Short), helpWidth-typeset.Width(name)) {
					if i > 0 {
						name = strings.Repeat(" ", typeset.Width(name))
					}
					b.WriteString("\n" + name + line)
				}
			}
		}
	}
	if c.HasAvailableLocalFlags() {
		b.WriteString("\n\n" + head("Flags:") + "\n" + flagList(c.LocalFlags(), words))
	}
	if c.HasAvailableInheritedFlags() {
		b.WriteString("\n\n" + head("Global flags:") + "\n" + flagList(c.InheritedFlags(), words))
	}
	b.WriteString("\n\n" + exitTable(words))
	if c.HasAvailableSubCommands() {
		b.WriteString("\n\n" + say.M("For one command: {command}", "command", c.CommandPath()+
			" COMMAND --help").In(words))
	}
	return b.String() + "\n"
}

// flagList lists flags with their texts aligned and wrapped. Widths are counted in
// characters; the list of the flag library counts bytes.
func flagList(flags *pflag.FlagSet, words *say.Catalogue) string {
	type row struct{ name, text string }
	var rows []row
	wide := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name, text := flagWords(f, words)
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
// with the default, in the language of a catalog.
func flagWords(f *pflag.Flag, words *say.Catalogue) (name, text string) {
	name, text, value := flagParts(f)
	text = words.Text(text)
	if value == "" {
		return name, text
	}
	return name, say.M("{text} (default {value})", "text", say.Text(text), "value", value).In(words)
}

// flagParts are a flag as it is typed, its text in English, and its default value where
// the text does not name one.
func flagParts(f *pflag.Flag) (name, text, value string) {
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
		return name, text, ""
	}
	if strings.Contains(text, "(default ") {
		return name, text, ""
	}
	return name, text, shortTime(f.DefValue)
}
