package collect

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

const controlProgram = "pg_controldata"

// Bounds of the question: the program reads one block, and prints some 3 kB.
const (
	controlTimeout = 5 * time.Second
	controlOutput  = 64 << 10
	// A standby writes its control file again and again, and may do so while the program reads it. To meet three writes
	// of a block in a row is no chance any more.
	controlTries = 3
)

// controlData asks pg_controldata of the instance's own programs for the settings of the primary of a standby, for
// which the server has no function. Of a primary they are its own settings, and nothing runs.
func (c *collector) controlData(ctx context.Context, in *instance) {
	m := notOfStandby(c.a, in.key)
	if m == nil {
		var text string
		if text, m = c.askControlData(ctx, in); m == nil {
			c.add(pg.ControlDataFile(in.key), []byte(text))
			return
		}
	}
	m.Name = pg.ControlDataFile(in.key)
	c.a.AddMissing(*m)
}

// controlDataElsewhere says why it is not asked where only the server was reached.
func (c *collector) controlDataElsewhere(answers *evidence.Archive, key string) {
	m := notOfStandby(answers, key)
	if m == nil {
		m = &evidence.Missing{State: known.Unread, Reason: "the server runs on another host",
			Reveal: "run pgfettle on that host"}
	}
	m.Name = pg.ControlDataFile(key)
	c.a.AddMissing(*m)
}

// notOfStandby is why the control file is of no interest, by what the server answered; nil for a standby.
func notOfStandby(answers fs.FS, key string) *evidence.Missing {
	recovery := pg.ReadControl(answers, key)
	switch v, ok := recovery.Get(); {
	case !ok:
		g := recovery.Gap()
		return &evidence.Missing{State: recovery.State(), Reason: g.Reason, Reveal: g.Reveal}
	case !v.InRecovery:
		return &evidence.Missing{State: known.Absent, Reason: "the server is not in recovery"}
	}
	return nil
}

// askControlData runs the program as the account of the instance; without root only one that root or the caller alone
// can change.
func (c *collector) askControlData(ctx context.Context, in *instance) (string, *evidence.Missing) {
	const manually = "run pg_controldata manually to see why"
	fault := func(state known.State, reason, reveal string) (string, *evidence.Missing) {
		return "", &evidence.Missing{State: state, Reason: reason, Reveal: reveal}
	}
	switch {
	case in.inside:
		return fault(known.Unread, controlProgram+": it is in a container, and is not run outside of it",
			"run pgfettle in the container")
	case in.dataDir == "":
		return fault(known.Forbidden, "the data directory is not known", asOwner)
	case in.binDir == "":
		return fault(known.Forbidden, "the link to the binary of the postmaster is closed to us", asOwner)
	}
	ask := target.Command{Bare: true, Timeout: controlTimeout, Limit: controlOutput}
	acc := trust.Of(c.t.UID(), os.Getegid())
	if c.root {
		acc = in.account
		as := acc.Alone()
		ask.As = &as
	}
	program, err := acc.Program(c.t, path.Join(in.binDir, controlProgram))
	switch {
	case gone(err):
		return fault(known.Absent, controlProgram+": no such file", "")
	case err != nil:
		reveal := asOwner
		var no *trust.Refusal
		if errors.As(err, &no) && no.Hint != "" {
			reveal = no.Hint
		}
		return fault(known.Unread, controlProgram+": "+plainly(err), reveal)
	}
	ask.Argv = []string{program, "-D", in.dataDir}
	for range controlTries {
		o, err := c.t.Run(ctx, ask)
		switch {
		case errors.Is(err, target.ErrNoCommands):
			return fault(known.Unread, "no programs are run on this target", "run pgfettle on that host")
		case err != nil:
			return fault(known.Unread, err.Error(), manually)
		case o.Code != 0 && bytes.Contains(o.Stderr, []byte("Permission denied")):
			return fault(known.Forbidden, "the data directory is closed to us", asOwner)
		case o.Code != 0:
			return fault(known.Unread, controlProgram+": "+firstLine(controlProgram, o.Stderr, o.Stdout), manually)
		}
		if !mismatched(o) {
			return pg.KeepControlLines(string(o.Stdout)), nil
		}
	}
	return fault(known.Unread, "pg_control: its checksum does not hold", manually)
}

// mismatched reports whether the program warns that the checksum does not fit what it prints: the file was being
// written, or is of another version, as the programs were replaced under the server. Until 16 it says so on its
// standard output.
func mismatched(o target.Output) bool {
	for _, text := range [][]byte{o.Stdout, o.Stderr} {
		if bytes.Contains(text, []byte("CRC checksum")) {
			return true
		}
	}
	return false
}
