// Command pgfettle reads a PostgreSQL host and says what is wrong with it and
// what its settings should be. Here are only the process's own things: its
// streams, its signals, its exit code.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/show/cli"
)

func main() { os.Exit(run()) }

// run keeps main from skipping what was deferred.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// After the first signal the usual effect of a second one is back, so that
	// nobody has to wait for a clean end that does not come.
	context.AfterFunc(ctx, stop)
	return cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
}
