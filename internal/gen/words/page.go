package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Page returns docs/languages.md: how languages work, and how far each one is.
func Page(texts []Text, unread []string, catalogues []*say.Catalogue) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("| texts | in English |")
	for _, c := range catalogues {
		fmt.Fprintf(&b, " %s |", c.Lang)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(catalogues)) + "\n")
	var reports []Report
	for _, c := range catalogues {
		reports = append(reports, Compare(c, texts))
	}
	all := Compare(&say.Catalogue{}, texts).Of
	for _, k := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "| %s | %d |", k, all[k])
		for _, r := range reports {
			fmt.Fprintf(&b, " %d |", r.Done[k])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| all | %d |", len(texts))
	for _, r := range reports {
		fmt.Fprintf(&b, " %d |", len(texts)-len(r.Missing))
	}
	fmt.Fprintf(&b,
		"\n\nPut together from pieces that cannot be read from the source, in whole or in part, so that they appear "+
			"in English: %d templates.\n", len(unread))
	for i, c := range catalogues {
		if len(reports[i].Stale) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## To look at again: %s\n\nTheir English was edited since; English is shown.\n\n", c.Lang)
		for _, e := range reports[i].Stale {
			fmt.Fprintf(&b, "- `%s`: %s\n", e.ID, e.English)
		}
	}
	return b.String()
}

const head = "# Languages\n\nMade by a test (`make generate`); do not edit the table.\n" + `
The texts for people are written in English, where they are used: in the literal of
a check or rule, in the template of what was seen, in the faces. Each has an id.
Other languages are data: ` + "`internal/base/say/catalogue/fr.po`" + ` and so on, gettext
files that the usual tools of translators open.

- ` + "`--lang fr`" + ` chooses a language for one command; else the first that is set of
  LC_ALL, LC_MESSAGES and LANG does. Where that names none of ours, it is English.
- What a catalogue does not have is told in English, so a page may be mixed.
- JSON, annotations, SARIF and the files of a plan are in English in every
  environment: who reads them has no locale. With ` + "`--lang`" + ` their texts for people
  follow it; ids, addresses, values, severities and areas never do.
- Names of GUCs, kernel parameters, commands and files are of no language.
- Errors and hints on stderr, ` + "`--help`" + ` and the docs are in English.

## Ids

` + "`check/ID/title`, `/why`, `/do`, `/seen`; `rule/ADDRESS/title`, `/why`, `/formula`, `/reason`,\n`/warning`; " +
	"`show/…`" + ` for the faces. A check may have several ` + "`seen`" + `: they share the id and
are told apart by their English, which each entry keeps as its msgid. So a translation
stands for one English text, letter for letter. When that text is edited, English is
shown until somebody has looked at the translation again: an old translation could
name another number, or another command. The number of a check, or its order in a
file, would not survive an edit; the text itself tells that there was one.

Arguments that are words themselves have the id of their placeholder:
` + "`check/huge_pages_short/{what}`" + `. Numbers with a unit are ` + "`value`" + `.

## To translate

` + "```sh\ngo run ./internal/gen/words/list fr   # what is missing, as entries with an empty msgstr\n```" + `

Fill in entries, put them into the file, run ` + "`go test ./internal/gen/words -update`" + `, which
sorts it, then ` + "`make generate`" + `. The test fails for an id that no text has, for a lost
or invented placeholder, and for a file out of order; entries whose English has been
edited are listed below and may be looked at later. A new language needs a file and
the rule of its plural forms in ` + "`internal/base/say/catalogue.go`" + `.

## How far they are

`
