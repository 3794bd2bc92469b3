package metrics_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/metrics"
)

// TestSourceIsNotHammered: however many ask, there is one collection at a time, and
// none before its time; a failed one keeps the values until they are too old.
func TestSourceIsNotHammered(t *testing.T) {
	r := full(t)
	var now clock
	var ran atomic.Int64
	var fails atomic.Pointer[error]
	enter, leave := make(chan struct{}, 100), make(chan struct{})
	s := &metrics.Source{Now: now.now, Wait: time.Hour, Collect: func(ctx context.Context) (*metrics.Reading, error) {
		ran.Add(1)
		enter <- struct{}{}
		<-leave
		if err := fails.Load(); err != nil {
			return nil, *err
		}
		return r, nil
	}}
	srv := httptest.NewServer(metrics.Handler(s))
	defer srv.Close()
	pages := make(chan string, 100)
	ask := func() { go func() { pages <- get(t, srv, "") }() }
	for range 4 { // as many as are answered at once
		ask()
	}
	<-enter
	leave <- struct{}{}
	for range 4 {
		if p := parsed(t, <-pages); value(t, p, "pgfettle_collection_success") != 1 || p["pgfettle_setting"] == nil {
			t.Error("a scrape that waited has no values")
		}
	}
	now.advance(metrics.Every - time.Second)
	get(t, srv, "")
	if ran.Load() != 1 {
		t.Fatalf("%d collections within one minute", ran.Load())
	}

	var failed error = &say.Problem{Message: say.M("no access"), Code: say.CodeNoAccess}
	fails.Store(&failed)
	now.advance(time.Second)
	ask()
	<-enter
	leave <- struct{}{}
	p := parsed(t, <-pages)
	if value(t, p, "pgfettle_collection_success") != 0 || value(t, p, "pgfettle_collections_total", "result",
		"no_access") != 1 || p["pgfettle_setting"] == nil {
		t.Error("after one failure the values are gone, or it is not told")
	}
	now.advance(metrics.Keep + metrics.Every)
	ask()
	<-enter
	leave <- struct{}{}
	if p := parsed(t, <-pages); p["pgfettle_setting"] != nil || p["pgfettle_collection_timestamp_seconds"] != nil ||
		p["pgfettle_build_info"] == nil {
		t.Error("values that are too old are still shown")
	}
	if ran.Load() != 3 {
		t.Errorf("%d collections", ran.Load())
	}
}

// TestSourceThatHangs: a collection that does not return is not waited for longer than a scrape may wait, no other is
// started meanwhile, and it is reported.
func TestSourceThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		end := make(chan struct{})
		defer close(end)
		h := metrics.Handler(&metrics.Source{Now: time.Now, Collect: func(context.Context) (*metrics.Reading, error) {
			ran.Add(1)
			<-end
			return nil, errors.New("too late")
		}})
		scrape := func() (page map[string]*dto.MetricFamily, took time.Duration) {
			began, w := time.Now(), httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			return parsed(t, w.Body.String()), time.Since(began)
		}
		p, took := scrape()
		if took != metrics.Wait {
			t.Errorf("a scrape waited %s, not %s", took, metrics.Wait)
		}
		if p["pgfettle_collection_success"] != nil || p["pgfettle_build_info"] == nil {
			t.Error("a first collection that is under way is told to have ended")
		}
		time.Sleep(metrics.Limit)
		if p, _ := scrape(); value(t, p, "pgfettle_collection_success") != 0 {
			t.Error("a collection that hangs is not told")
		}
		time.Sleep(time.Hour)
		scrape()
		if ran.Load() != 1 {
			t.Errorf("%d collections were begun beside the one that hangs", ran.Load())
		}
	})
}

// TestSourceEnds: a collection is canceled when its time is over, and that is its result. One that panics affects only
// itself, and is a fault whenever it panics, even after its time.
func TestSourceEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := &metrics.Source{Now: time.Now, Collect: func(ctx context.Context) (*metrics.Reading, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		if err := s.Once(t.Context()); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != metrics.Limit {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		for _, late := range []bool{false, true} {
			s.Collect = func(ctx context.Context) (*metrics.Reading, error) {
				if late {
					<-ctx.Done()
				}
				panic("a fault")
			}
			if err := s.Once(t.Context()); err == nil || !strings.Contains(err.Error(), "a fault") {
				t.Errorf("%v", err)
			}
		}
		var b bytes.Buffer
		if err := metrics.Write(&b, s, metrics.Text, true); err != nil {
			t.Fatal(err)
		}
		p := parsed(t, b.String())
		if value(t, p, "pgfettle_collections_total", "result", "timeout") != 1 ||
			value(t, p, "pgfettle_collections_total", "result", "error") != 2 {
			t.Errorf("%s", b.String())
		}
	})
}

func get(t *testing.T, srv *httptest.Server, accept string) string {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, srv.URL+"/metrics", nil)
	if err != nil {
		t.Error(err)
		return ""
	}
	req.Header.Set("Accept", accept)
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("%s %v", res.Status, err)
	}
	return string(b)
}

// TestHandlerForms: a client that asks for OpenMetrics gets it, others the text; nothing but reading is answered.
func TestHandlerForms(t *testing.T) {
	srv := httptest.NewServer(metrics.Handler(sourceOf(full(t))))
	defer srv.Close()
	if b := get(t, srv, "application/openmetrics-text; version=1.0.0"); !strings.HasSuffix(b, "# EOF\n") {
		t.Error("no OpenMetrics")
	}
	if b := get(t, srv, "text/plain"); strings.Contains(b, "# EOF") ||
		!strings.Contains(b, "# TYPE pgfettle_setting gauge") {
		t.Error("no text")
	}
	res, err := srv.Client().Post(srv.URL, "text/plain", strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", res.Status)
	}
}

// TestWriteFile: the file is replaced as a whole with the mode that node_exporter needs, nothing is left next to it,
// and what is no file stays.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	s := sourceOf(full(t))
	if err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "pgfettle.prom")
	if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	old, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	stale := name + "." + pid()
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), stale); err != nil { // as another user could have laid it
		t.Fatal(err)
	}
	if err := metrics.WriteFile(name, s, false); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if f := parsed(t, string(b)); f["pgfettle_findings"] == nil || f["pgfettle_collections_total"] != nil {
		t.Error("not what was to be written")
	}
	if st, err := os.Stat(name); err != nil || st.Mode().Perm() != 0o644 {
		t.Errorf("%v %v", st.Mode(), err)
	}
	if before, err := io.ReadAll(old); err != nil || string(before) != "old" {
		t.Errorf("who had the old file open reads %q: it was written in place", before)
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("%v is in the folder: %v", names, err)
	}
	if err := metrics.WriteFile(dir, s, false); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if err := metrics.WriteFile(filepath.Join(dir, "no", "x.prom"), s, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
