package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// The exit codes. The table in every help is made from exits.
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

// exits are the rows of the table. It is the program's table, so it has the codes of apply too.
var exits = []struct {
	code int
	text say.Template
}{
	{exitFine, "success"},
	{exitError, "error"},
	{exitUsage, "invalid command line, or invalid value in it"},
	{exitFindings, "findings at or above --fail-on, or changes with --exit-code"},
	{exitStale, "stale plan: facts that it is based on have changed"},
	{exitRefused, "refused: risk not accepted, or another program manages the configuration"},
	{exitPartly, "partly applied; see the journal"},
	{exitNoAccess, "missing permission; the hint names it"},
	{exitInterrupted, "interrupted"},
}

// exitTable is shown in every help.
func exitTable(c *say.Catalogue) string {
	const column = 7
	lines := []string{say.M("Exit codes:").In(c)}
	for _, e := range exits {
		first := typeset.Pad("  "+strconv.Itoa(e.code), column)
		for _, line := range typeset.Wrap(say.M(e.text).In(c), helpWidth-column) {
			lines = append(lines, first+line)
			first = strings.Repeat(" ", column)
		}
	}
	return strings.Join(lines, "\n")
}

// errFindings ends a run whose output is complete but whose exit code is 3.
var errFindings = errors.New("findings")

// errWatched ends a command that runs until it is interrupted: the exit code says
// so, and there is nothing to report.
var errWatched = errors.New("watched")

// errEnded ends a service that was asked to stop: that is a success.
var errEnded = errors.New("ended")

// end writes an error to stderr and returns the exit code: the one place where
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
		e.tell(kindError, say.M("interrupted"))
		return exitInterrupted
	case errors.As(err, &pr):
		e.tell(kindError, say.M("{around}{problem}", "around", say.Around{Err: err, Inner: pr}, "problem", pr.Message))
		e.tell(kindDetail, pr.Detail)
		e.tell(kindHint, pr.Hint)
		if pr.Code == exitFine {
			return exitError
		}
		return pr.Code
	case errors.As(err, &pin):
		e.tell(kindError, say.OfError(pin))
		e.tell(kindHint, say.M("Use --pin ADDRESS=VALUE, such as --pin pg:work_mem=64MB. List the addresses: "+
			"pgfettle explain"))
		return exitUsage
	}
	e.tell(kindError, gapwords.OfError(err))
	return exitError
}

// say writes a text in the language of the reader.
func (e *Env) say(text say.Template, pairs ...any) string { return say.M(text, pairs...).In(e.words) }

// programs are those that a hint may begin with; a name keeps its case.
var programs = []string{"chronyc", "journalctl", "lsattr", "modprobe", "mount", "perf", "pg", "pgfettle", "systemctl",
	"zcat"}

// The kinds of talk, as a line of it begins.
const (
	kindError   say.Template = "error"
	kindDetail  say.Template = "detail"
	kindHint    say.Template = "hint"
	kindWarning say.Template = "warning"
	kindNote    say.Template = "note"
)

// tell writes one message: "pgfettle: hint: …". A hint is a sentence; those of gaps ("run pgfettle as root") begin in
// lower case, as they are parts of others.
func (e *Env) tell(kind say.Template, message say.Message) {
	text := message.In(e.words)
	if first, _, _ := strings.Cut(text, " "); kind == kindHint && !slices.Contains(programs, first) {
		text = typeset.Capital(text)
	}
	if text != "" {
		line := say.M("pgfettle: {kind}: {text}", "kind", say.M(kind), "text", say.Text(text))
		fmt.Fprintln(e.Stderr, typeset.Line(line.In(e.words)))
	}
}
