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
	update := flag.Bool("update", false, "write the table into docs/readers.md")
	flag.Parse()
	if err := run(*verbose, *update, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(verbose, update bool, kinds []string) error {
	cases, err := readers.ReadCorpus("test/readers/corpus", kinds...)
	if err != nil {
		return err
	}
	var sums readers.Sums
	for i := range cases {
		dir, err := os.MkdirTemp("", "pgf-score-")
		if err != nil {
			return err
		}
		r, err := readers.Measure(context.Background(), &cases[i], dir)
		if rmErr := os.RemoveAll(dir); err == nil {
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
	text, err := readers.Publish(string(b), sums.Table())
	if err != nil {
		return err
	}
	return os.WriteFile(page, []byte(text), 0o600)
}
