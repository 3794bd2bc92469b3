// Command score runs pgfettle on the corpus of real inputs and prints recall and
// precision of each reader.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/pgfettle/pgfettle/test/readers"
)

func main() {
	verbose := flag.Bool("v", false, "tell each fact that is missing or wrong")
	dir := flag.String("corpus", "test/readers/corpus", "the folder of the corpus")
	update := flag.Bool("update", false, "write the table into docs/readers.md")
	flag.Parse()
	if err := run(*dir, *verbose, *update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(dir string, verbose, update bool, kinds []string) error {
	cases, err := readers.ReadCorpus(dir, kinds...)
	if err != nil {
		return err
	}
	var sums readers.Sums
	for i := range cases {
		at, err := os.MkdirTemp("", "pgf-score-")
		if err != nil {
			return err
		}
		r, err := readers.Measure(context.Background(), &cases[i], at)
		if rmErr := os.RemoveAll(at); err == nil {
			err = rmErr
		}
		if err != nil {
			return err
		}
		sums.Add(r)
		if verbose {
			for _, m := range r.Misses() {
				fmt.Println(m)
			}
		}
	}
	fmt.Print(sums.Table())
	if !update {
		return nil
	}
	const page = "docs/readers.md"
	b, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	text, err := readers.Publish(string(b), readers.ScoreMark, sums.Table())
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(text), 0o600)
}
