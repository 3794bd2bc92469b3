// Package cli is the command line: one file a command, each an options struct,
// a constructor and a run function. It reads what a person typed, calls the
// storeys below, and hands their documents to render. Data goes to stdout, talk
// to stderr; what an error looks like and which exit code it has is decided in
// exit.go and nowhere else.
package cli

import (
	"context"
	"io"

	"github.com/pgfettle/pgfettle/internal/app"
)

// Main runs one command line to its end and returns the exit code. args are
// without the program's name; environ is a list of NAME=VALUE.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string) int {
	env := &Env{Stdin: stdin, Stdout: stdout, Stderr: stderr, Vars: environ, Target: app.LocalTarget()}
	return env.Main(ctx, args)
}

// Main runs one command line in a given environment.
func (e *Env) Main(ctx context.Context, args []string) int {
	root := newRoot(e)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	if err != nil && e.words == nil {
		// An error in the command line is found before a command opens the language. If there is no such language, that
		// is either the error itself, or one more.
		_ = e.speak()
	}
	return e.end(ctx, err)
}
