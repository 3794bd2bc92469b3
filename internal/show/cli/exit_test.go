package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

func TestEndTellsAndMaps(t *testing.T) {
	denied := &say.Problem{Message: say.M("cannot connect"), Detail: say.M("peer authentication failed"),
		Hint: say.M("run pgfettle as postgres"),
		Code: say.CodeNoAccess}
	for _, c := range []struct {
		name string
		err  error
		code int
		want string
	}{
		{"fine", nil, 0, ""},
		{"findings say nothing more", errFindings, 3, ""},
		{"a problem in three parts", denied, 7,
			"pgfettle: error: cannot connect\npgfettle: detail: peer authentication failed\npgfettle: hint: Run " +
				"pgfettle as postgres\n"},
		{"a wrapped problem keeps what it was wrapped with", fmt.Errorf("instance 5433: %w", denied), 7,
			"pgfettle: error: instance 5433: cannot connect\npgfettle: detail: peer authentication " +
				"failed\npgfettle: hint: Run pgfettle as postgres\n"},
		{"a problem without a code", &say.Problem{Message: say.M("x")}, 1, "pgfettle: error: x\n"},
		{"any other error", errors.New("mount table: bad\x1b[2J line\nnext"),
			1, "pgfettle: error: mount table: bad\\x1b[2J line next\n"},
		{"an impossible pin", &rule.PinError{Address: "pg:work_mem", Reason: say.M("too small")}, 2,
			"pgfettle: error: pin pg:work_mem: too small\npgfettle: hint: Use --pin ADDRESS=VALUE, such as --pin " +
				"pg:work_mem=64MB. List the addresses: pgfettle explain\n"},
		{"an interrupted read", fmt.Errorf("evidence: %w", context.Canceled), 130, "pgfettle: error: interrupted\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			e := &Env{Stderr: &out}
			if got := e.end(context.Background(), c.err); got != c.code {
				t.Errorf("exit code %d, want %d", got, c.code)
			}
			if out.String() != c.want {
				t.Errorf("said\n%swant\n%s", out.String(), c.want)
			}
		})
	}
}

// TestExitTableHasEveryCode verifies that each code of this program is in the table that every help shows.
func TestExitTableHasEveryCode(t *testing.T) {
	for _, code := range []int{exitFine, exitError, exitUsage, exitFindings, exitStale, exitRefused, exitPartly,
		exitNoAccess, exitInterrupted} {
		if !strings.Contains(exitTable(nil), "\n  "+strconv.Itoa(code)+" ") {
			t.Errorf("%d is not in the table", code)
		}
	}
}

// TestInterrupted verifies that a run whose context has ended says so and ends with 130, whatever it was doing.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{{"check"}, {"plan"}, {"snapshot"}} {
		var out, talk bytes.Buffer
		if code := Main(ctx, args, strings.NewReader(""), &out, &talk, nil); code != exitInterrupted {
			t.Errorf("%v: exit code %d", args, code)
		}
		if out.Len() > 0 {
			t.Errorf("%v wrote %d bytes of a document that is not whole", args, out.Len())
		}
		if talk.String() != "pgfettle: error: interrupted\n" {
			t.Errorf("%v said %q", args, talk.String())
		}
	}
}
