// Package generator is what the generators have in common that ask real servers:
// the flags that name the servers and the file to write, and an interrupt that
// lets them put away what they started.
package generator

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/debianpg"
)

// Main runs a generator over the servers that are named, or over those that can
// be fetched, and writes what it makes of them.
func Main(name string, generate func(context.Context, []scratch.Binaries) (string, error)) {
	servers := flag.String("servers", os.Getenv("PGFETTLE_TEST_PG"),
		"folders of server installations, separated by colons; empty: they are fetched")
	out := flag.String("o", "", "file to write; standard output when empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *servers, *out, generate); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, servers, out string, generate func(context.Context, []scratch.Binaries) (string,
	error)) error {
	list, err := scratch.ListedOrFetched(ctx, servers)
	if err != nil {
		return err
	}
	if servers == "" {
		for _, major := range debianpg.Majors {
			b, err := debianpg.Binaries(ctx, major)
			if err != nil {
				return err
			}
			list = append(list, b)
		}
	}
	text, err := generate(ctx, list)
	if err != nil {
		return err
	}
	if out == "" {
		_, err = os.Stdout.WriteString(text)
		return err
	}
	return os.WriteFile(out, []byte(text), 0o644)
}
