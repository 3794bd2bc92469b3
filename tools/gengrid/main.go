// Gengrid measures how much shared memory real servers ask the kernel for under
// many settings, and writes the table that the estimate is held against. No
// shared memory is touched: every request is made to fail, and the server tells
// its size.
//
//	PGFETTLE_TEST_PG=/path/to/13:/path/to/14:… go run ./gengrid -o ../internal/judge/memory/testdata/shared.tsv
package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/tools/generator"
)

func main() { generator.Main("gengrid", table) }

func table(ctx context.Context, list []scratch.Binaries) (string, error) {
	var t strings.Builder
	t.WriteString("version\tsettings\tbytes\n")
	for _, b := range list {
		n, err := measure(ctx, b, &t)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(os.Stderr, "%s: %d points\n", b, n)
	}
	return t.String(), nil
}

// measure writes a line for each point of the grid.
func measure(ctx context.Context, b scratch.Binaries, t *strings.Builder) (n int, err error) {
	i, err := scratch.New(ctx, b, scratch.Options{})
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := i.Remove(); err == nil {
			err = e
		}
	}()
	s, err := scratch.NewShadow(b, i.DataDir, i.Account)
	if err != nil {
		return 0, err
	}
	defer func() {
		if e := s.Remove(); err == nil {
			err = e
		}
	}()
	for _, point := range grid(b.Version.Major()) {
		a, err := s.AskByLimit(ctx, point)
		if err != nil {
			return n, fmt.Errorf("%s: %s: %w", b, spell(point), err)
		}
		fmt.Fprintf(t, "%s\t%s\t%d\n", b.Version, spell(point), a.Bytes)
		n++
	}
	return n, nil
}

func spell(point map[string]string) string {
	var words []string
	for _, k := range slices.Sorted(maps.Keys(point)) {
		words = append(words, k+"="+point[k])
	}
	return strings.Join(words, " ")
}
