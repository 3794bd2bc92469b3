// Package scripts runs the real main under testscript: each *.txtar is a
// session of commands with their output, error text and exit codes.
package scripts

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/show/cli"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"pgfettle": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		os.Exit(cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}, "pgfettle-staged": staged})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: ".",
		// What the person who runs the tests has set must not matter.
		Setup: func(e *testscript.Env) error {
			for _, v := range []string{"PGHOST", "PGPORT", "PGSERVICE", "PGUSER", "PGDATABASE", "PGPASSWORD",
				"NO_COLOR"} {
				e.Setenv(v, "")
			}
			e.Setenv("COLUMNS", "")
			e.Setenv("ESC", "\x1b")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":    exits,
			"describe": describe,
			"evidence": evidence,
			"jam":      jam,
			"unjam":    unjam,
			"watched":  watched,
			"spoil":    onJournal(spoil),
			"lose":     onJournal(lose),
			"unended":  onJournal(unended),
			"renamed":  onJournal(renamed),
		},
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

// exits CODE COMMAND… runs a command and holds that it ends with that code;
// 'stdout', 'stderr' and 'cmp' then look at what it wrote.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var ee *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &ee):
		got = ee.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// describe FILE SPEC [NAME=TEXT…] writes the evidence of a host that is only
// described, with more entries.
func describe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: describe FILE SPEC [NAME=TEXT…]")
	}
	a, err := snapshot.Describe(args[1])
	ts.Check(err)
	for _, more := range args[2:] {
		name, text, _ := strings.Cut(more, "=")
		ts.Check(a.Add(name, []byte(text+"\n")))
	}
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	ts.Check(err)
	_, err = a.WriteTo(f)
	ts.Check(err)
	ts.Check(f.Close())
}

// evidence FILE… makes evidence files of texts that a script can hold: a line
// "@ NAME" becomes the marker of an entry, which txtar would take for its own,
// and \xNN the byte.
func evidence(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: evidence FILE…")
	}
	marker := regexp.MustCompile(`(?m)^@ (.*)$`)
	octet := regexp.MustCompile(`\\x[0-9a-f]{2}`)
	for _, name := range args {
		text := marker.ReplaceAllString(ts.ReadFile(name), "-- $1 --")
		text = octet.ReplaceAllStringFunc(text, func(s string) string {
			n, err := strconv.ParseUint(s[2:], 16, 8)
			ts.Check(err)
			return string([]byte{byte(n)})
		})
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}
