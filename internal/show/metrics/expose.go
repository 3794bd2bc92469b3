package metrics

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// mostScrapes is how many scrapes are answered at once: two Prometheus servers and a person. Further ones get an error
// to retry.
const mostScrapes = 4

// Handler serves the metrics of a source, to be mounted at /metrics. It answers in
// the text form or as OpenMetrics, as the one who asks prefers.
func Handler(s *Source) http.Handler {
	h := promhttp.HandlerFor(registry(s, true, true), promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: mostScrapes, EnableOpenMetrics: true,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this page is only read", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		h.ServeHTTP(w, r)
	})
}

func registry(s *Source, lasting, fresh bool) *prometheus.Registry {
	reg := prometheus.NewPedanticRegistry()
	reg.MustRegister(collector{source: s, lasting: lasting, fresh: fresh})
	return reg
}

// Form is a form of the exposition.
type Form string

// The forms.
const (
	Text        Form = "text"        // the text form of Prometheus, which node_exporter takes
	OpenMetrics Form = "openmetrics" // OpenMetrics 1.0
)

// Write writes what the source knows now. lasting says that the process goes on,
// so that its counters mean something.
func Write(w io.Writer, s *Source, form Form, lasting bool) error {
	format := expfmt.NewFormat(expfmt.TypeTextPlain)
	if form == OpenMetrics {
		format = expfmt.NewFormat(expfmt.TypeOpenMetrics)
	}
	families, err := registry(s, lasting, false).Gather()
	if err != nil {
		return say.Err("metrics: {error}", "error", err)
	}
	enc := expfmt.NewEncoder(w, format)
	for _, f := range families {
		if err := enc.Encode(f); err != nil {
			return say.Err("metrics: {error}", "error", err)
		}
	}
	if c, ok := enc.(expfmt.Closer); ok { // the mark of the end, which OpenMetrics wants
		return c.Close()
	}
	return nil
}

// WriteFile replaces a file with what the source knows now, for the textfile collector of node_exporter, which never
// sees a part of it: a temporary file next to it, whose name does not end in .prom, and a rename. Nothing is fsynced:
// what a crash loses the next run writes again, and a database host has better use for its disk.
func WriteFile(name string, s *Source, lasting bool) (err error) {
	if st, err := os.Lstat(name); err == nil && !st.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("not a regular file")}
	}
	temp := filepath.Clean(name) + "." + strconv.Itoa(os.Getpid())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		// Left by a process of our number that was killed. Only the name is removed,
		// whatever it leads to.
		if err = os.Remove(temp); err == nil {
			f, err = os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		}
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(temp))
		}
	}()
	err = Write(f, s, Text, lasting)
	// past the umask: node_exporter runs as another user
	for _, step := range []func() error{func() error { return f.Chmod(0o644) }, f.Close} {
		if e := step(); err == nil {
			err = e
		}
	}
	if err != nil {
		return err
	}
	return os.Rename(temp, name)
}
