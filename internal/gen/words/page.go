package words

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Page returns docs/languages.md: how languages work, and how far each one is. Of the pages of
// explain it has how many are in each language, English among them.
func Page(texts []Text, catalogs []*say.Catalogue, pages map[string]int) string {
	var b strings.Builder
	b.WriteString(head)
	b.WriteString("| texts of | in English |")
	for _, c := range catalogs {
		fmt.Fprintf(&b, " %s |", c.Lang)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(catalogs)) + "\n")
	var reports []Report
	for _, c := range catalogs {
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
	fmt.Fprintf(&b, "| docs/pages | %d |", pages[say.English])
	for _, c := range catalogs {
		fmt.Fprintf(&b, " %d |", pages[c.Lang])
	}
	fmt.Fprintf(&b, "\n| all | %d |", len(texts)+pages[say.English])
	for i, r := range reports {
		fmt.Fprintf(&b, " %d |", len(texts)-len(r.Missing)+pages[catalogs[i].Lang])
	}
	b.WriteString("\n")
	return b.String()
}

const head = "# Languages\n\nGenerated (`make generate`); do not edit the table.\n" + `
The texts for people are written in English, where they are used, as constants of the type
` + "`say.Template`" + `. Other languages are data: ` + "`internal/base/say/catalogue/fr.po`" + ` and so on, gettext
files that the usual tools of translators open. The pages of ` + "`pgfettle explain`" + ` are Markdown files:
` + "`docs/pages/ID.md`" + ` in English, ` + "`docs/pages/fr/ID.md`" + ` and so on in other languages.

- ` + "`--lang fr`" + ` chooses a language for one command. Without it, the first of LC_ALL, LC_MESSAGES and
  LANG that is set chooses, among the languages that are complete, if the locale's encoding is UTF-8;
  else texts are English.
- JSON, annotations, SARIF and the files of a plan are English in every environment. With ` + "`--lang`" + `
  their texts for people follow it; ids, addresses, values, severities and areas never do.
  Records (evidence, journals, histories, results of experiments) hold the texts that were written, in English.
- Names of settings, kernel parameters, commands and files are not translated.

## How a text is written

- A text is a whole sentence, or a whole clause, with ` + "`{name}`" + ` for what varies. Nothing is put together
  from pieces of sentences: other languages order them differently. Several clauses are one message
  by ` + "`say.All`" + `, a list is a ` + "`say.List`" + `.
- A number of things is ` + "`say.N(n, \"{n} role\", \"{n} roles\")`" + `: the catalog has the plural forms.
- An argument is a name or value as it is (a string), or it follows the language: a message, a list,
  ` + "`say.Number`" + ` (a number with its unit), ` + "`say.Span`" + ` (a duration), ` + "`unit.Bytes`" + `, an int.
- An error that a person reads is a ` + "`say.Problem`" + `, or
  ` + "`say.Err(\"… {error}\", \"error\", err)`" + `, which wraps what it is given.
  ` + "`say.Named(name, err)`" + ` puts a name before an error. What ` + "`fmt.Errorf`" + ` makes is for faults of the
  program, or is recognized as a whole (next line).
- A text that is stored in English and shown later (a reason in an evidence, an event of a history, a note of an
  experiment) has its template in ` + "`internal/fact/gapwords`" + `, which recognizes it when it is shown.
- A translation belongs to one English text, letter for letter. When that text is edited, English is shown
  until the text is translated again: the old translation could name another number or another command.

## To translate

` + "```sh\ngo run ./internal/gen/words/list fr   # what is missing, as entries with an empty msgstr\n```" + `

Fill in entries, append them to the file, and run ` + "`go test ./internal/gen/words -update`" + `, which sorts the
file by package and drops what the program no longer says; then ` + "`make generate`" + `. The test fails for a lost
or invented placeholder, and for a language that is called complete and is not. A new language needs a file,
and its plural rule and its numbers in ` + "`internal/base/say`" + `.

A page is translated in ` + "`docs/pages/LANG/ID.md`" + `. Its front matter has ` + "`of`" + `, ` + "`title`" + `,
and ` + "`read`" + `, ` + "`since`" + `, ` + "`until`" + `, and ` + "`verify`" + ` if they contain prose.
All else, and what is omitted, is taken from the English page. ` + "`of`" + ` is the hash of the English
text, which ` + "`list`" + ` prints for each page that has no translation, or an outdated one. Review the
translation before you write the new hash into it. Until then, the page is shown in English.

## Progress

`
