package cli

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The texts of a help are strings of the library of commands, wrapped manually. They are translated piece by piece: a
// paragraph, or the term and the text of a row of a table, each without its line breaks, so that commands share what
// they have in common.

// HelpTexts returns the pieces of every help, for the catalogs.
func HelpTexts() []string {
	var out []string
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		note := func(text string) string {
			out = append(out, text)
			return text
		}
		note(c.Short)
		retell(c.Long, note)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				_, text, _ := flagParts(f)
				note(text)
			}
		})
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(&Env{}))
	return out
}

// inWords returns a long text in the language of a catalog, wrapped for a help; in English
// as it is written.
func inWords(long string, c *say.Catalogue) string {
	if c == nil {
		return long
	}
	return retell(long, c.Text)
}

// row is a line of a table: a term, two spaces or more, and the text next to it.
var row = regexp.MustCompile(`^  (\S+(?: \S+)*?)(  +)(\S.*)$`)

// bullet begins a line of a list.
const bullet = "  - "

// retell puts a long text together again from pieces that a function translates. Lines that
// are indented and no rows are commands, and stay.
func retell(long string, piece func(string) string) string {
	var out []string
	var para []string // the lines of a paragraph, or the text of a row
	term, mark, column := "", "", 0
	end := func() {
		if len(para) == 0 {
			return
		}
		text := typeset.Wrap(piece(strings.Join(para, " ")), helpWidth-column)
		if column > 0 {
			first := mark
			if mark == "" {
				first = "  " + piece(term)
			}
			if mark == "" && typeset.Width(first)+2 > column {
				out = append(out, first)
				first = ""
			}
			out = append(out, typeset.Pad(first, column)+text[0])
		} else {
			out = append(out, text[0])
		}
		for _, t := range text[1:] {
			out = append(out, strings.Repeat(" ", column)+t)
		}
		para, term, mark, column = nil, "", "", 0
	}
	for line := range strings.SplitSeq(long, "\n") {
		m := row.FindStringSubmatch(line)
		switch {
		case line == "":
			end()
			out = append(out, "")
		case strings.HasPrefix(line, bullet):
			end()
			mark, column = bullet, len(bullet)
			para = []string{line[len(bullet):]}
		case m != nil && !strings.HasPrefix(line, "   "):
			end()
			term, column = m[1], 2+typeset.Width(m[1])+len(m[2])
			para = []string{m[3]}
		case column > 0 && strings.HasPrefix(line, strings.Repeat(" ", column)):
			para = append(para, strings.TrimSpace(line))
		case strings.HasPrefix(line, " "):
			end()
			out = append(out, line)
		default:
			if column > 0 {
				end()
			}
			para = append(para, line)
		}
	}
	end()
	return strings.Join(out, "\n")
}
