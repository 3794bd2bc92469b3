// Command pgfettle reads a PostgreSQL host and says what is wrong with it and
// what its settings should be. Here are only the process's own things: its
// streams, its signals, its exit code.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pgfettle/pgfettle/internal/show/cli"
)

// grace is how long a second signal is held to be the echo of the first:
// timeout(1) signals the process and then its group, within a millisecond.
const grace = 2 * time.Second

func main() { os.Exit(run()) }

// run keeps main from skipping what was deferred.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Some time after the first signal, the default effect of another one is restored, so that no one has to wait for a
	// clean end that does not come.
	context.AfterFunc(ctx, func() { time.AfterFunc(grace, stop) })
	return cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ())
}
