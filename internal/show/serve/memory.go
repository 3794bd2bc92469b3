package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// remembered is the processes that held the memory. It is kept for all readers, and shown in the language of each.
type remembered struct {
	id     int64 // grows with every look, so that a stream sends each one once
	report *memory.Report

	mu   sync.Mutex
	told map[string]template.HTML // by language
}

// remember looks at the memory.
func (s *Server) remember(ctx context.Context) (*remembered, error) {
	d, err := s.o.Site.Memory(ctx)
	if err != nil {
		return nil, err
	}
	return &remembered{id: s.o.Now().UnixNano(), report: d, told: map[string]template.HTML{}}, nil
}

// part is the part of a page, made once for all who read it in a language.
func (s *Server) part(m *remembered, t *tongue) (template.HTML, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if have, ok := m.told[t.lang]; ok {
		return have, nil
	}
	body, err := web.DiagnoseMemory(m.report, t.view())
	if err != nil {
		return "", err
	}
	at := m.report.TakenAt
	head, err := t.piece("memory", map[string]any{"At": s.taken(at),
		"When": time.Unix(at, 0).UTC().Format(time.RFC3339)})
	if err != nil {
		return "", err
	}
	m.told[t.lang] = html.Join(head, body)
	return m.told[t.lang], nil
}

// memoryPage shows who holds the memory. Where script runs it is kept up to date.
func (s *Server) memoryPage(w http.ResponseWriter, r *http.Request) error {
	m, err := s.memory.get(r.Context())
	if err != nil {
		return err
	}
	t := tongueOf(r)
	part, err := s.part(m.value, t)
	if err != nil {
		return err
	}
	body, err := t.piece("live", map[string]any{"Events": "/memory/events", "Body": part})
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/memory"), Here: "/memory", Body: body,
		Script: s.script.path,
		Made:   s.asOf(m.value.report.TakenAt, m.took)})
}

const (
	// every is how often a stream looks for a new result; the cell reports whether there is one.
	every = keepLeast
	// patience is how long a reader of a stream may take for one event.
	patience = 20 * time.Second
	// streamsEnd bounds a stream, so that a reader who was forgotten does not keep
	// the host being looked at for weeks; a browser connects again by itself.
	streamsEnd = time.Hour
)

// events sends each new look to a page that is open, as server-sent events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) error {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", "text/event-stream")
		return nil
	}
	leave, status, why := s.streams.take(s.who(r))
	if status != 0 {
		// One line, as no person sees it but in the tools of a browser.
		w.Header().Set("Retry-After", again)
		return plainly(w, r, status, why)
	}
	defer leave()
	t := tongueOf(r)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Content-Language", t.lang)
	w.Header().Set("X-Accel-Buffering", "no") // nginx would keep events back
	c := http.NewResponseController(w)
	send := func(event string, id int64, data any) error {
		b, err := json.Marshal(data)
		if err != nil {
			return err
		}
		_ = c.SetWriteDeadline(time.Now().Add(patience)) // where the connection has none, as in a test, it needs none
		if _, err := fmt.Fprintf(w, "event: %s\nid: %d\ndata: %s\n\n", event, id, b); err != nil {
			return gone(err)
		}
		if err := c.Flush(); err != nil {
			return errGone
		}
		_ = c.SetWriteDeadline(time.Time{}) // until the next event nothing is late
		return nil
	}
	end := time.NewTimer(s.streamFor)
	defer end.Stop()
	tick := time.NewTicker(s.streamEvery)
	defer tick.Stop()
	last := int64(0)
	for {
		m, err := s.memory.get(r.Context())
		var part template.HTML
		if err == nil && m.value.id != last {
			part, err = s.part(m.value, t)
		}
		switch {
		case r.Context().Err() != nil || s.o.Context.Err() != nil:
		case err != nil:
			s.tell("/memory/events: " + err.Error())
			if err := send("failed", 0, map[string]string{"what": sentence(say.ErrorIn(err, t.words))}); err != nil {
				return err
			}
		case m.value.id != last:
			last = m.value.id
			if err := send("memory", last, map[string]string{"html": string(part)}); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-end.C:
			return nil
		case <-r.Context().Done():
			return nil
		case <-s.o.Context.Done():
			return send("end", 0, nil)
		}
	}
}
