package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"time"

	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// remembered is who held the memory, as the part of a page.
type remembered struct {
	id    int64 // grows with every look, so that a stream sends each one once
	taken int64
	html  template.HTML
}

// remember looks at the memory. The part is made once for all who read it.
func (s *Server) remember(ctx context.Context) (*remembered, error) {
	d, err := s.o.Site.Memory(ctx)
	if err != nil {
		return nil, err
	}
	body, err := web.DiagnoseMemory(d, s.view())
	if err != nil {
		return nil, err
	}
	head, err := piece("memory", map[string]any{"At": s.taken(d.TakenAt),
		"When": time.Unix(d.TakenAt, 0).UTC().Format(time.RFC3339)})
	if err != nil {
		return nil, err
	}
	return &remembered{s.o.Now().UnixNano(), d.TakenAt, html.Join(head, body)}, nil
}

// memoryPage shows who holds the memory. Where script runs it is kept up to date.
func (s *Server) memoryPage(w http.ResponseWriter, r *http.Request) error {
	m, err := s.memory.get(r.Context())
	if err != nil {
		return err
	}
	body, err := piece("live", map[string]any{"Events": "/memory/events", "Body": m.value.html})
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, sheet{Title: "Memory", Here: "/memory", Body: body, Script: s.script.path,
		Made: s.asOf(m.value.taken, m.took)})
}

const (
	// every is how often a stream looks for a new result; the cell says whether
	// there is one.
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
		return text(w, status, "pgfettle: "+why+"\n")
	}
	defer leave()
	w.Header().Set("Content-Type", "text/event-stream")
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
		switch {
		case r.Context().Err() != nil || s.o.Context.Err() != nil:
		case err != nil:
			s.tell("/memory/events: " + err.Error())
			if err := send("failed", 0, map[string]string{"what": sentence(err.Error())}); err != nil {
				return err
			}
		case m.value.id != last:
			last = m.value.id
			if err := send("memory", last, map[string]string{"html": string(m.value.html)}); err != nil {
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
