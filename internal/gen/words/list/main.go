// Command list writes what a language lacks. Texts are gettext entries with an empty msgstr that
// can be filled in and added to its catalog, of all packages or of those with a prefix. Pages of
// explain are comments, with the hash that their translation has to name.
//
//	go run ./internal/gen/words/list fr judge/checks
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/docs/pages"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/gen/words"
	"github.com/pgfettle/pgfettle/internal/judge/advice"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "list:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		return fmt.Errorf("one language, of %v, and perhaps the prefix of packages", say.Languages())
	}
	texts, _, err := words.All(".")
	if err != nil {
		return err
	}
	c, err := say.Open(os.Args[1])
	if err != nil {
		return err
	}
	if c == nil {
		return fmt.Errorf("%s is what the texts are written in", say.English)
	}
	for _, t := range words.Compare(c, texts).Missing {
		if len(os.Args) == 3 && !strings.HasPrefix(t.In[0], os.Args[2]) {
			continue
		}
		fmt.Printf("\n#: %s\nmsgid %s\n", strings.Join(t.In, " "), strconv.Quote(t.English))
		if t.Many == "" {
			fmt.Println("msgstr \"\"")
			continue
		}
		fmt.Printf("msgid_plural %s\n", strconv.Quote(t.Many))
		for i := range c.PluralForms() {
			fmt.Printf("msgstr[%d] \"\"\n", i)
		}
	}
	if len(os.Args) == 3 && !strings.HasPrefix("docs/pages", os.Args[2]) {
		return nil
	}
	t := advice.TranslationsOf(pages.Files, c.Lang, advice.All())
	for _, p := range t.Missing {
		fmt.Printf("# docs/pages/%s/%s.md is missing; of: %s\n", c.Lang, p.ID, p.Hash())
	}
	for _, p := range t.Stale {
		fmt.Printf("# docs/pages/%s/%s.md is outdated; of: %s\n", c.Lang, p.ID, p.Hash())
	}
	return nil
}
