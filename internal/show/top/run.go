package top

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/pgfettle/pgfettle/internal/base/say"
	diagnow "github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
	"github.com/pgfettle/pgfettle/internal/show/json"
)

// Screen shows the view on a terminal until it is quit, and gives the terminal back
// as it was, whatever ends it. The error is the context's where that ended it.
func Screen(ctx context.Context, m *Model, in io.Reader, out io.Writer, environ []string) error {
	return screen(ctx, m, in, out, environ)
}

func screen(ctx context.Context, m tea.Model, in io.Reader, out io.Writer, environ []string) error {
	// Signals are the program's own: they end the context.
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithEnvironment(environ),
		tea.WithoutSignalHandler())
	_, err := p.Run()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrProgramPanic):
		return say.Err("the view stopped because of an internal error")
	}
	return say.Err("terminal: {error}", "error", err)
}

// Plain says how a view is written if there is no screen.
type Plain struct {
	Style Style
	Width int
	JSON  bool
	Asked *say.Catalogue // the language of JSON; nil: English
	Times int            // how many are written; 0: until the context ends
	Every time.Duration
}

// least is the time between the first two looks, so that rates can be computed: the counters of a busy server change
// within it.
const least = time.Second

// Write writes the view as text or JSON. Each is made from two looks, from which rates are computed. A look that hangs
// is abandoned after a while, and its data are unknown.
func Write(ctx context.Context, w io.Writer, src Source, subject Subject, p Plain, now func() time.Time) error {
	m := New(src, subject, p.Style, p.Every)
	host, server := &background[*diagnow.HostLook]{}, &background[*diagnow.ServerLook]{}
	spared := time.Duration(0) // how long the server is still left alone
	round := func() error {
		if subject.HostUnseen == nil {
			if h, ok := host.run(ctx, func() *diagnow.HostLook { return src.Host(p.Every) }); ok {
				m.saw(h)
			}
		}
		if subject.ServerUnseen == nil && spared <= 0 {
			s, ok := server.run(ctx, src.Server)
			if !ok {
				s = &diagnow.ServerLook{At: now(), Problem: hung()}
			}
			if spared = m.answered(s); spared <= p.Every {
				spared = 0
			}
		}
		m.in.At = now()
		return ctx.Err()
	}
	if err := round(); err != nil {
		return err
	}
	spared = 0                                // without two looks there are no rates
	wait := min(max(least, p.Every), 2*least) // no one waits a minute for the first
	for n := 0; p.Times == 0 || n < p.Times; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		spared -= wait
		wait = p.Every
		if err := round(); err != nil {
			return err
		}
		r := diagnow.Diagnose(m.in)
		if p.JSON {
			if err := json.Now(w, r.In(p.Asked)); err != nil {
				return err
			}
			continue
		}
		if n > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return say.Err("output: {error}", "error", err)
			}
		}
		if _, err := io.WriteString(w, snapshot(p.Style, r, p.Width, m.in.At.Format(time.TimeOnly),
			p.Every)); err != nil {
			return say.Err("output: {error}", "error", err)
		}
	}
	return nil
}
