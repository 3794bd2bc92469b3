package scratch

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	embedded "github.com/fergusstrange/embedded-postgres"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// maxDownload bounds what a registry may send: the archives are 15 MB.
const maxDownload = 64 << 20

var errNoArchive = say.Err("the download has no archive in it")

// loading serializes downloads, as the library takes its HTTP client and its temporary directory from the process.
var loading sync.Mutex

// download has the library fetch an archive into work and returns its path.
//
// The library knows only how to start a server: fetch, unpack, initdb, run. Of that we want the first step, and
// certainly no unverified program to be run. So the directory that it is to unpack into cannot be made: its parent is a
// link that leads nowhere. The library then stops with an error after the archive has been written, and the archive is
// the sign of success.
func download(ctx context.Context, r release, work string, progress func(done, total int64)) (path string, err error) {
	loading.Lock()
	defer loading.Unlock()
	if err := os.Symlink("nowhere", filepath.Join(work, "sealed")); err != nil {
		return "", say.Err("cache directory: {reason}", "reason", err)
	}
	w := &watcher{ctx: ctx, next: http.DefaultTransport, progress: progress}
	http.DefaultTransport = w
	defer func() { http.DefaultTransport = w.next }()
	if tmp, ok := os.LookupEnv("TMPDIR"); ok { // where it leaves a log behind
		defer func() { _ = os.Setenv("TMPDIR", tmp) }()
	} else {
		defer func() { _ = os.Unsetenv("TMPDIR") }()
	}
	if err := os.Setenv("TMPDIR", work); err != nil {
		return "", say.Err("temporary directory: {reason}", "reason", err)
	}
	cache := filepath.Join(work, "archive")
	libErr := start(embedded.DefaultConfig().
		Version(embedded.PostgresVersion(r.version)).
		CachePath(cache).
		RuntimePath(filepath.Join(work, "sealed", "runtime")).
		BinariesPath(filepath.Join(work, "sealed", "binaries")).
		DataPath(filepath.Join(work, "sealed", "data")).
		Port(0).
		Logger(io.Discard))
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	found, err := filepath.Glob(filepath.Join(cache, "*.txz"))
	if err != nil || len(found) != 1 {
		p := &say.Problem{Message: say.M("no server binaries found and the registry could not be reached"),
			Hint: say.M(installHint),
			Code: say.CodeError}
		if w.answered.Load() {
			p.Message = say.M("the registry did not give PostgreSQL {version} for {platform}", "version", r.version,
				"platform", platform())
		}
		if libErr == nil { // it is one in any case, see above
			libErr = errNoArchive
		}
		p.Detail = say.All("; ", w.why(libErr),
			say.M("server programs were looked for on PATH and in {places}", "places", say.Names(folders, 0)))
		return "", p
	}
	return found[0], nil
}

// start runs the library, which panics where it cannot tidy up.
func start(c embedded.Config) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = say.Err("fetching server binaries: {reason}", "reason", fmt.Sprint(p))
		}
	}()
	return embedded.NewDatabase(c).Start()
}

// watcher is the transport while the library downloads: it heeds the context,
// counts, and bounds.
type watcher struct {
	ctx      context.Context
	next     http.RoundTripper
	progress func(done, total int64)
	answered atomic.Bool
	mu       sync.Mutex
	host     string // of the last request
	failed   error  // why it got no answer
	status   int    // of the last answer
}

// why says why a download failed. The library's own error says so only of what comes after the download: it begins
// with a check that localhost has a free port, whose error blames another process, and a request without an answer is
// an error without its reason.
func (w *watcher) why(libErr error) say.Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.failed != nil:
		return say.M("{host}: {reason}", "host", w.host, "reason", say.OfError(w.failed))
	case w.status != 0 && w.status != http.StatusOK:
		return say.M("{host}: HTTP status {status}", "host", w.host, "status", w.status)
	case w.status == 0: // it was not asked
		if l, err := net.Listen("tcp", "localhost:0"); err == nil {
			_ = l.Close()
		} else {
			return say.M("nothing was asked for, because localhost cannot be used here: {reason}", "reason",
				say.OfError(err))
		}
	}
	return say.OfError(libErr)
}

func (w *watcher) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := w.next.RoundTrip(req.WithContext(w.ctx))
	w.mu.Lock()
	w.host, w.failed, w.status = req.URL.Host, err, 0
	if err == nil {
		w.status = resp.StatusCode
	}
	w.mu.Unlock()
	if err != nil {
		return nil, err
	}
	w.answered.Store(true)
	resp.Body = &counted{body: resp.Body, w: w, total: max(resp.ContentLength, 0)}
	return resp, nil
}

// counted is the body of a response.
type counted struct {
	body        io.ReadCloser
	w           *watcher
	done, total int64
}

var errTooMuch = say.Err("the registry sends more than server binaries take")

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.body.Read(p)
	c.done += int64(n)
	if c.done > maxDownload {
		return n, errTooMuch
	}
	// The sum of the archive, some hundred bytes, is no progress.
	if c.w.progress != nil && max(c.done, c.total) > 4096 {
		c.w.progress(c.done, c.total)
	}
	return n, err
}

// Close never fails: the library would end the process.
func (c *counted) Close() error {
	_ = c.body.Close()
	return nil
}
