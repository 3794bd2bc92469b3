package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	diagmemory "github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/test/await"
)

// stream is the events of a page that is open.
type stream struct {
	t      *testing.T
	lines  *bufio.Scanner
	status int
	header http.Header
}

func opened(t *testing.T, url string) *stream { t.Helper(); return openedIn(t, url, "en") }

func openedIn(t *testing.T, url, lang string) *stream {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Language", lang)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	s := bufio.NewScanner(res.Body)
	s.Buffer(nil, 1<<20)
	return &stream{t, s, res.StatusCode, res.Header}
}

// next returns the name of the next event and its data; "" at the end.
func (s *stream) next() (name string, data map[string]string) {
	s.t.Helper()
	for s.lines.Scan() {
		switch key, value, _ := strings.Cut(s.lines.Text(), ": "); key {
		case "event":
			name = value
		case "data":
			if err := json.Unmarshal([]byte(value), &data); err != nil {
				s.t.Fatal(err)
			}
		case "":
			return name, data
		}
	}
	return "", nil
}

// TestEvents verifies that an open page gets each new look once, that a failure is reported and the next look comes,
// that all pages share the looks, and that the end of the server is reported.
func TestEvents(t *testing.T) {
	c := newClock()
	var looks atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h, s := started(t, func(o *Options) {
		o.Now, o.Context = c.now, ctx
		memory := stubbed(o).memory
		stubbed(o).memory = func(ctx context.Context) (*diagmemory.Report, error) {
			if looks.Add(1) == 2 {
				return nil, context.DeadlineExceeded
			}
			return memory(ctx)
		}
	})
	s.streamEvery = time.Millisecond
	one, two := opened(t, h.URL+"/memory/events"), opened(t, h.URL+"/memory/events")
	if one.status != 200 || one.header.Get("Content-Type") != "text/event-stream" ||
		one.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %v", one.status, one.header)
	}
	n1, d1 := one.next()
	n2, d2 := two.next()
	if n1 != "memory" || n2 != "memory" || d1["html"] != d2["html"] || !strings.Contains(d1["html"], "PostgreSQL 17") ||
		looks.Load() != 1 {
		t.Fatalf("%s %s, %d looks: %v", n1, n2, looks.Load(), d1)
	}
	c.pass(keepLeast)
	if n, d := one.next(); n != "failed" || d["what"] == "" {
		t.Fatalf("%s %v", n, d)
	}
	c.pass(keepLeast)
	for n := ""; n != "memory"; {
		if n, d1 = one.next(); n == "" {
			t.Fatal("the stream ended")
		}
	}
	cancel()
	for n := ""; n != "end"; {
		if n, _ = one.next(); n == "" {
			t.Fatal("the end was not told")
		}
	}
	if n, _ := one.next(); n != "" {
		t.Errorf("after the end: %s", n)
	}
}

// TestStreamsEnd verifies that a stream that was forgotten ends, and has got each look until then.
func TestStreamsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, cancel := built(t, nil)
		defer cancel()
		s.streamFor = time.Minute // and not the hour: each of 720 looks makes a page
		began := time.Now()
		status, body := answered(s, "/memory/events")
		if took := time.Since(began); status != http.StatusOK || took != s.streamFor {
			t.Errorf("%d after %s", status, took)
		}
		// The last tick and the end come in one moment, and either may be first.
		if n := strings.Count(body, "event: memory\n"); n != int(s.streamFor/every) && n != int(s.streamFor/every)+1 ||
			strings.Count(body, "event: ") != n {
			t.Errorf("%d looks in %s: %s", n, s.streamFor, body)
		}
	})
}
