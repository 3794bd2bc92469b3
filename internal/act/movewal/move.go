package movewal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// move is one move at work. At every moment pg_wal is a directory, or leads to one, that has all of the WAL: the server
// can be started by anyone. The order is
//
//	note            the move is begun; from here on a crash leaves a trace
//	make or empty   the new place
//	stop            and pg_control says that it was a clean end
//	copy, compare   fsync of each file and folder
//	note            phase switch, with the hash of pg_control
//	exchange        pg_wal with the link, or the copy, that lay beside it
//	start, verify
//	note            phase remove: the old copy is stale now
//	remove          the old copy, and the note last
//
// and the way back is the same from the other side, or where no server has run
// since the switch, the exchange alone.
type move struct {
	*Mover
	in  *snapshot.Instance
	dir string // resolved
	n   *record
	f   target.Folders
}

func (m *move) wal() string   { return path.Join(m.dir, Name) }
func (m *move) other() string { return path.Join(m.dir, otherName) }

// fill is the directory that the WAL is copied to.
func (m *move) fill() string {
	if m.n.To.inside() {
		return m.other()
	}
	return m.n.To.Path
}

// begin writes the note of a new move. made says that the directory from was made for an earlier one.
func (m *move) begin(ctx context.Context, from, to Place, made bool) error {
	up, err := m.Server.Runs(m.in)
	if err != nil {
		return err
	}
	if err := m.fitNow(ctx, from, to); err != nil {
		return err
	}
	if !to.inside() {
		_, err := m.Target.Stat(to.Path)
		to.Made = errors.Is(err, fs.ErrNotExist)
	}
	from.Made = made
	m.n = &record{From: from, To: to, Running: up, Phase: copying}
	if up {
		m.n.Log = m.Server.Log(ctx, m.in)
	}
	return m.save(m.dir, m.n)
}

// either goes forward, and where that fails, back.
func (m *move) either(ctx context.Context) error {
	err := m.forward(ctx)
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		err = say.Err("it was interrupted before the switch, and everything was restored")
		m.tell("interrupted: putting everything back")
	} else {
		m.tell("%v: putting everything back", err)
	}
	if e := m.backward(ctx); e != nil {
		return errors.Join(err, say.Err("putting back: {reason}", "reason", e))
	}
	return err
}

// interrupted is the error of a person who has had enough.
func (m *move) interrupted() error {
	if m.Interrupt == nil || m.n.Back {
		return nil
	}
	return m.Interrupt.Err()
}

// within is the context of what may be interrupted; ctx itself, which the engine
// gives, is not.
func (m *move) within(ctx context.Context) context.Context {
	if m.Interrupt == nil || m.n.Back {
		return ctx
	}
	return m.Interrupt
}

func (m *move) forward(ctx context.Context) error {
	here, err := m.Place(m.dir)
	if err != nil {
		return err
	}
	if m.n.Log != "" {
		m.Server.UseLog(m.in, m.n.Log)
	}
	switch {
	case here.same(m.n.From):
		if err := m.copied(ctx); err != nil {
			return err
		}
		if err := m.exchange(m.n.To.Link); err != nil {
			return err
		}
	case !here.same(m.n.To):
		return say.Err("{path} now leads to {dir}: it was changed", "path", m.wal(), "dir", here.Path)
	}
	if err := m.started(ctx, m.n.To); err != nil {
		return err
	}
	m.n.Phase = removing
	if err := m.save(m.dir, m.n); err != nil {
		return err
	}
	if err := m.leave(m.n.From, true); err != nil {
		// the move itself is done, and is not undone for this
		m.tell("the old copy of the WAL could not be removed: %v; the server needs it no more", err)
	}
	return m.end()
}

// end is the end of a move: nothing of it is left in the data directory.
func (m *move) end() error {
	a, b := trialLinks(m.dir)
	if err := errors.Join(m.f.Unlink(a), m.f.Unlink(b)); err != nil {
		return err
	}
	return m.f.Drop(path.Join(m.dir, recordName))
}

// copied stops the server and brings a whole copy of the WAL to the new place.
func (m *move) copied(ctx context.Context) error {
	up, err := m.Server.Runs(m.in)
	if err != nil {
		return err
	}
	m.n.Phase, m.n.Running = copying, m.n.Running || up
	if err := m.save(m.dir, m.n); err != nil {
		return err
	}
	if err := m.prepare(); err != nil {
		return err
	}
	if up {
		if err := m.stopped(ctx); err != nil {
			return err
		}
	}
	control, err := m.clean(ctx)
	if err != nil {
		return err
	}
	if err := m.interrupted(); err != nil {
		return err
	}
	if err := m.transfer(ctx); err != nil {
		return err
	}
	now, err := m.control()
	if err != nil {
		return err
	}
	if up, err := m.Server.Runs(m.in); err != nil || up || now != control {
		return errors.Join(say.Err("the server was started while its WAL was copied"), err)
	}
	m.n.Phase, m.n.Control = switching, now
	if err := m.save(m.dir, m.n); err != nil {
		return err
	}
	return m.interrupted()
}

// prepare makes the new place an empty directory.
func (m *move) prepare() error {
	if err := m.f.Unlink(m.other()); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	mode := fs.FileMode(0o700)
	if in, err := m.Target.Stat(m.n.From.Path); err == nil {
		mode = in.Mode.Perm() // 0750 where the group may read the cluster
	}
	if err := m.f.Make(m.fill(), mode); err != nil {
		return say.Err("new place: {reason}", "reason", err)
	}
	if err := m.f.Empty(m.fill()); err != nil {
		return say.Err("new place: {reason}", "reason", err)
	}
	return m.exchanges()
}

// trialLinks are two links on which is tried whether a filesystem can exchange.
func trialLinks(dir string) (a, b string) {
	return path.Join(dir, otherName+".a"), path.Join(dir, otherName+".b")
}

// exchanges tries whether the filesystem of the data directory can exchange two
// names: not on pg_wal itself. A link is exchanged for another by rename alone.
func (m *move) exchanges() error {
	if !m.n.From.inside() && !m.n.To.inside() {
		return nil
	}
	a, b := trialLinks(m.dir)
	for _, l := range []string{a, b} {
		if err := m.f.Unlink(l); err != nil {
			return err
		}
		if err := m.f.Symlink("nowhere", l); err != nil {
			return err
		}
	}
	err := m.f.Exchange(a, b)
	if errors.Is(err, target.ErrNoExchange) {
		err = say.Named(m.dir, say.Err("{reason} (ZFS before 2.2, NFS): a crash between two steps would leave a "+
			"server without its WAL, so move it manually, with the server stopped",
			"reason", err))
	}
	return errors.Join(err, m.f.Unlink(a), m.f.Unlink(b))
}

// stopped stops the server. What a checkpoint can write out while it still works
// does not have to be written while it is down.
func (m *move) stopped(ctx context.Context) error {
	m.tell("checkpoint, so that the stop is short")
	m.Server.Checkpoint(m.within(ctx), m.in)
	if err := m.interrupted(); err != nil {
		return err
	}
	m.tell("stopping the server")
	return m.Server.Stop(ctx, m.in)
}

// clean verifies that the server came to a clean end, and returns the hash of what it says so in. One that was cut off
// with us is started and stopped once more.
func (m *move) clean(ctx context.Context) (string, error) {
	for again := m.n.Running; ; again = false {
		state, err := m.state()
		switch {
		case err != nil:
			return "", err
		case state.Clean(), m.n.Back:
			return m.control()
		case !again:
			return "", say.Err("the server was not shut down cleanly: pg_control says {state}",
				"state", say.Quoted(state))
		}
		m.tell("the server was not shut down cleanly: starting and stopping it once more")
		if err := m.Server.Start(ctx, m.in); err != nil {
			return "", err
		}
		if err := m.Server.Stop(ctx, m.in); err != nil {
			return "", err
		}
	}
}

func (w *Mover) controlFile(dir string) ([]byte, error) {
	return w.folders(dir).Load(path.Join(dir, "global", "pg_control"), pg.ControlFileSize)
}

func (m *move) state() (pg.ClusterState, error) {
	b, err := m.controlFile(m.dir)
	if err != nil {
		return 0, err
	}
	c, err := pg.ParseControlFile(b)
	return c.State, err
}

func (m *move) control() (string, error) {
	b, err := m.controlFile(m.dir)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// transfer copies and compares.
func (m *move) transfer(ctx context.Context) error {
	ctx = m.within(ctx)
	size, err := m.f.Measure(m.n.From.Path)
	if err != nil {
		return err
	}
	m.tell("copying %s to %s", sizeText(size), m.n.To.Path)
	counted := func(what string) func(int64) {
		var done int64
		return func(n int64) {
			if done += n; m.Progress != nil {
				m.Progress(what, done, size.Bytes)
			}
		}
	}
	if err := m.f.Copy(ctx, m.n.From.Path, m.fill(), counted("copying")); err != nil {
		return say.Err("copy: {reason}", "reason", err)
	}
	if err := m.f.Same(ctx, m.n.From.Path, m.fill(), counted("comparing")); err != nil {
		return say.Err("the copy is not the same: {reason}", "reason", err)
	}
	m.tell("the copy is on disk and was compared")
	return nil
}

func sizeText(e unit.Extent) string {
	return fmt.Sprintf("%d files, %s", e.Files, unit.Bytes(e.Bytes))
}

// exchange puts into the place of pg_wal a link with a text, or what is next to it where the text is empty.
func (m *move) exchange(text string) error {
	if text != "" {
		if err := m.f.Unlink(m.other()); err != nil {
			return err
		}
		if err := m.f.Symlink(text, m.other()); err != nil {
			return err
		}
		if _, err := m.Target.Readlink(m.wal()); err == nil {
			m.tell("switching the link %s to %s", m.wal(), text)
			return m.f.Rename(m.other(), m.wal()) // a link for a link
		}
		m.tell("switching %s to a link to %s", m.wal(), text)
	} else {
		m.tell("switching %s to the directory itself", m.wal())
	}
	return m.f.Exchange(m.other(), m.wal())
}

// started starts the server where it ran before, and looks whether its WAL is
// where it should be.
func (m *move) started(ctx context.Context, at Place) error {
	up, err := m.Server.Runs(m.in)
	if err != nil {
		return err
	}
	if m.n.Running = m.n.Running || up; m.n.Running {
		if !up {
			m.tell("starting the server")
		}
		if err := m.Server.Start(ctx, m.in); err != nil {
			return err
		}
	}
	here, err := m.Place(m.dir)
	if err == nil && !here.same(at) {
		err = say.Err("{path} leads to {dir}", "path", m.wal(), "dir", here.Path)
	}
	return err
}

// leave removes what a place that is left still holds. stale says that it was the old place, whose WAL is beside pg_wal
// where that was the directory itself.
func (m *move) leave(p Place, stale bool) error {
	at := p.Path
	if p.inside() {
		at = m.other()
		if _, err := m.Target.Readlink(at); err == nil {
			return m.f.Unlink(at)
		}
	}
	size, err := m.f.Measure(at)
	if errors.Is(err, fs.ErrNotExist) {
		return m.f.Unlink(m.other())
	}
	if err := m.f.Empty(at); err != nil {
		return err
	}
	if p.inside() || p.Made {
		if err := m.f.Unmake(at); err != nil {
			return err
		}
	}
	if stale && err == nil {
		m.tell("removed the old copy: %s", sizeText(size))
	}
	if p.inside() {
		return nil
	}
	return m.f.Unlink(m.other())
}

// backward brings the WAL back to where it was when the move began.
func (m *move) backward(ctx context.Context) error {
	here, err := m.Place(m.dir)
	if err != nil {
		return err
	}
	if m.n.Log != "" {
		m.Server.UseLog(m.in, m.n.Log)
	}
	switch {
	case here.same(m.n.From):
	case !here.same(m.n.To):
		return say.Err("{path} now leads to {dir}: it was changed", "path", m.wal(), "dir", here.Path)
	default:
		up, err := m.Server.Runs(m.in)
		if err != nil {
			return err
		}
		now, err := m.control()
		if err != nil {
			return err
		}
		if up || m.n.Phase != switching || now != m.n.Control {
			// a server has run on the new place, and the old copy is stale
			m.n = &record{From: m.n.To, To: m.n.From, Running: m.n.Running || up, Back: true, Phase: copying,
				Log: m.n.Log}
			if err := m.save(m.dir, m.n); err != nil {
				return err
			}
			return m.forward(ctx)
		}
		if err := m.exchange(m.n.From.Link); err != nil {
			return err
		}
	}
	if err := m.started(ctx, m.n.From); err != nil {
		return err
	}
	if err := m.leave(m.n.To, false); err != nil {
		return err
	}
	return m.end()
}
