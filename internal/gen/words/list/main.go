// Command list writes what a catalogue lacks, as gettext entries with an empty
// msgstr that can be filled in and added to it:
//
//	go run ./internal/gen/words/list fr
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/gen/words"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "list:", err)
		os.Exit(1)
	}
}

func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("one language, of %v", say.Languages())
	}
	texts, _, err := words.All(os.DirFS("."))
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
		fmt.Printf("\nmsgctxt %s\nmsgid %s\n", strconv.Quote(t.ID), strconv.Quote(t.English))
		if t.Many != "" {
			fmt.Printf("msgid_plural %s\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n", strconv.Quote(t.Many))
			continue
		}
		fmt.Println("msgstr \"\"")
	}
	return nil
}
