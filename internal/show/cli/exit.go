package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The exit codes. The table in every help is made from exitTable.
const (
	exitFine        = 0
	exitError       = say.CodeError
	exitUsage       = say.CodeUsage
	exitFindings    = 3
	exitStale       = say.CodeStale
	exitRefused     = say.CodeRefused
	exitPartly      = say.CodePartly
	exitNoAccess    = say.CodeNoAccess
	exitInterrupted = 130
)

// exitTable is shown in every help. It is the program's table, so it has the
// codes of apply too.
const exitTable = `Exit codes:
  0    fine
  1    error
  2    the command line or a value in it is wrong
  3    findings at or above --fail-on, or changes under --exit-code
  4    stale plan: a fact that it rests on has moved
  5    refused: a risk was not accepted, or a manager owns the configuration
  6    partly applied; the journal says what
  7    no access; the hint names the missing right
  130  interrupted`

// errFindings ends a run whose output is complete but whose exit code is 3.
var errFindings = errors.New("findings")

// errWatched ends a watch, whose only end is that somebody interrupts it: the
// exit code says so, and there is nothing to tell.
var errWatched = errors.New("watched")

// errEnded ends a service that was told to end: that is a success.
var errEnded = errors.New("ended")

// end tells an error on stderr and returns the exit code: the one place where
// both are decided.
func (e *Env) end(ctx context.Context, err error) int {
	var pr *say.Problem
	var pin *rule.PinError
	switch {
	case err == nil:
		return exitFine
	case errors.Is(err, errEnded):
		return exitFine
	case errors.Is(err, errFindings):
		return exitFindings
	case errors.Is(err, errWatched):
		return exitInterrupted
	case errors.Is(err, context.Canceled) || ctx.Err() != nil:
		e.tell("error", "interrupted")
		return exitInterrupted
	case errors.As(err, &pr):
		e.tell("error", outer(err, pr)+pr.Message)
		e.tell("detail", pr.Detail)
		e.tell("hint", pr.Hint)
		if pr.Code == exitFine {
			return exitError
		}
		return pr.Code
	case errors.As(err, &pin):
		e.tell("error", pin.Error())
		e.tell("hint", "write --pin ADDRESS=VALUE as in --pin pg:work_mem=64MB; 'pgfettle explain' lists the addresses")
		return exitUsage
	}
	e.tell("error", err.Error())
	return exitError
}

// outer is what an error was wrapped with, before the problem's own words.
func outer(err error, pr *say.Problem) string {
	whole, inner := err.Error(), pr.Error()
	if n := len(whole) - len(inner); n > 0 && whole[n:] == inner {
		return whole[:n]
	}
	return ""
}

// tell writes one line of talk: "pgfettle: hint: …".
func (e *Env) tell(kind, text string) {
	if text != "" {
		fmt.Fprintf(e.Stderr, "pgfettle: %s: %s\n", kind, typeset.Line(text))
	}
}
