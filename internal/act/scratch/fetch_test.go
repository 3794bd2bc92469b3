package scratch

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// registry stands for the package registry: it answers without a network.
type registry func(path string) (status int, body []byte, err error)

func (r registry) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	status, body, err := r(req.URL.Path)
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(bytes.NewReader(body)),
		ContentLength: int64(len(body)), Request: req, Header: http.Header{}}, nil
}

// use puts a registry and a release in place of the real ones, and returns a cache directory that every user may pass
// through.
func use(t *testing.T, r registry, pin string) string {
	t.Helper()
	transport, known := http.DefaultTransport, releases
	http.DefaultTransport, releases = r, []release{{16, "16.15.0", map[string]string{platform(): pin}}}
	t.Cleanup(func() {
		if got, same := http.DefaultTransport.(registry); !same || got == nil {
			t.Error("the process's HTTP transport was not put back")
		}
		http.DefaultTransport, releases = transport, known
	})
	base, err := os.MkdirTemp("", "pgfettle-fetch-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(base, "cache")
}

// jar packs an archive as the registry does.
func jar(t *testing.T, archive []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("postgres-linux-x86_64.txz")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(archive); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tiny(t *testing.T) (archive []byte, sum string) {
	t.Helper()
	archive, err := os.ReadFile("testdata/tiny.txz")
	if err != nil {
		t.Fatal(err)
	}
	s := sha256.Sum256(archive)
	return archive, hex.EncodeToString(s[:])
}

// serving answers with a jar and with its right sum.
func serving(jar []byte) registry {
	return func(path string) (int, []byte, error) {
		if strings.HasSuffix(path, ".sha256") {
			s := sha256.Sum256(jar)
			return 200, []byte(hex.EncodeToString(s[:])), nil
		}
		return 200, jar, nil
	}
}

func TestFetch(t *testing.T) {
	archive, sum := tiny(t)
	dir := use(t, serving(jar(t, archive)), sum)
	b, err := Fetch(t.Context(), 16, FetchOptions{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if b.Version != 160015 || b.Dir != filepath.Join(dir, "16.15.0", "bin") {
		t.Errorf("%+v", b)
	}
	if to, err := os.Readlink(filepath.Join(dir, "16.15.0/lib/libpq.so")); err != nil || to != "libpq.so.5" {
		t.Errorf("link %q, %v", to, err)
	}
	if names := list(t, dir); len(names) != 1 {
		t.Errorf("left in the cache: %v", names)
	}
	// The second time, no server is contacted.
	http.DefaultTransport = registry(func(string) (int, []byte, error) {
		t.Error("asked again")
		return 0, nil, errors.New("offline")
	})
	if again, err := Fetch(t.Context(), 16, FetchOptions{Dir: dir}); err != nil || again != b {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestFetchTellsProgress(t *testing.T) {
	archive, _ := tiny(t)
	padded := append(bytes.Clone(archive), bytes.Repeat([]byte{0}, 100000)...)
	big := zipStored(t, padded)
	dir := use(t, serving(big), "")
	var last, total int64
	_, err := Fetch(t.Context(), 16, FetchOptions{Dir: dir, AllowUnpinned: true, Progress: func(d, n int64) {
		if d < last {
			t.Errorf("went back from %d to %d", last, d)
		}
		last, total = d, n
	}})
	if err != nil || last != int64(len(big)) || total != last {
		t.Errorf("%v: %d of %d told, %d sent", err, last, total, len(big))
	}
}

func zipStored(t *testing.T, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "postgres.txz", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestFetchRefuses(t *testing.T) {
	archive, sum := tiny(t)
	other := strings.Repeat("0", 64)
	good := jar(t, archive)
	for _, c := range []struct {
		what, pin, message string
		answer             registry
		detail             string
	}{
		{"a tampered archive", other, "not the ones", serving(good), ""},
		{"no network", sum, "could not be reached", func(string) (int, []byte, error) {
			return 0, nil, errors.New("no such host")
		}, ": no such host; server programs were looked for on PATH and in /usr/lib/postgresql/*/bin"},
		{"a certificate that is not known", sum, "could not be reached", func(string) (int, []byte, error) {
			return 0, nil, x509.UnknownAuthorityError{}
		}, "certificate signed by unknown authority"},
		{"an unknown version", sum, "did not give", func(string) (int, []byte, error) { return 404, nil, nil },
			"HTTP status 404"},
		{"rubbish", sum, "did not give", serving([]byte("<html>log in</html>")), ""},
		{"a jar without an archive", sum, "did not give", serving(nothingInside(t)), ""},
		{"a sum that does not fit", sum, "did not give", func(path string) (int, []byte, error) {
			if strings.HasSuffix(path, ".sha256") {
				return 200, []byte(other), nil
			}
			return 200, good, nil
		}, ""},
		{"too much", sum, "did not give", func(path string) (int, []byte, error) {
			return 200, make([]byte, maxDownload+1), nil
		}, ""},
		{"an unpinned platform", "", "is not known", serving(good), ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			dir := use(t, c.answer, c.pin)
			_, err := Fetch(t.Context(), 16, FetchOptions{Dir: dir})
			var p *say.Problem
			if !errors.As(err, &p) {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(p.Message.String(), c.message) || !strings.Contains(p.Hint.String(), "install") {
				t.Errorf("message %q, hint %q", p.Message.String(), p.Hint.String())
			}
			if !strings.Contains(p.Detail.String(), c.detail) {
				t.Errorf("detail %q", p.Detail.String())
			}
			if names := list(t, dir); len(names) != 0 {
				t.Errorf("left in the cache: %v", names)
			}
		})
	}
}

func nothingInside(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := zip.NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFetchTakesTurns: the process that fetches has the directory to itself; another one waits, within its limit, and
// uses what was fetched without another download.
func TestFetchTakesTurns(t *testing.T) {
	archive, sum := tiny(t)
	good := serving(jar(t, archive))
	var dir string
	asked := 0
	dir = use(t, func(path string) (int, []byte, error) {
		if asked++; asked == 1 {
			f, err := os.Open(dir)
			if err != nil {
				t.Error(err)
			} else if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err,
				syscall.EWOULDBLOCK) {
				t.Errorf("another may fetch into the folder at the same time: %v", err)
			}
			f.Close()
		}
		return good(path)
	}, sum)
	if _, err := Fetch(t.Context(), 16, FetchOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	once := asked

	// Now the test is the other process, and has the directory; what was fetched is out of sight.
	home := filepath.Join(dir, "16.15.0")
	if err := os.Rename(home, home+".away"); err != nil {
		t.Fatal(err)
	}
	other, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if err := syscall.Flock(int(other.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("interrupted")
	ended := make(chan error, 1)
	waiting := make(chan struct{})
	fetch := func(ctx context.Context) {
		_, err := Fetch(ctx, 16, FetchOptions{Dir: dir, Waiting: func() { waiting <- struct{}{} }})
		ended <- err
	}
	go fetch(ctx)
	<-waiting
	cancel(gone)
	if err := <-ended; !errors.Is(err, gone) {
		t.Errorf("who may not wait any more: %v", err)
	}
	go fetch(t.Context())
	<-waiting
	if err := os.Rename(home+".away", home); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || asked != once {
		t.Errorf("the registry was asked %d times, and %d times for the first: %v", asked, once, err)
	}
}

func TestFetchHeedsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	dir := use(t, func(string) (int, []byte, error) { cancel(); return 0, nil, context.Canceled },
		strings.Repeat("0", 64))
	if _, err := Fetch(ctx, 16, FetchOptions{Dir: dir}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if names := list(t, dir); len(names) != 0 {
		t.Errorf("left in the cache: %v", names)
	}
}

func TestFetchOfAnUnknownMajor(t *testing.T) {
	var p *say.Problem
	if _, err := Fetch(t.Context(), 9, FetchOptions{Dir: t.TempDir()}); !errors.As(err, &p) ||
		p.Code != say.CodeUsage || !strings.Contains(p.Hint.String(), "13 to 18") {
		t.Errorf("%v", err)
	}
}

func TestCacheThatOthersMayWrite(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := makeCache(dir); err == nil {
		t.Error("a folder that everybody may write was taken")
	}
}

func TestPins(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range releases {
		sum := r.pin("linux-amd64")
		if b, err := hex.DecodeString(sum); err != nil || len(b) != sha256.Size || seen[sum] {
			t.Errorf("%s: sum %q", r.version, sum)
		}
		seen[sum] = true
	}
	if len(releases) != 6 || Fetchable()[0] != 13 || Fetchable()[5] != 18 {
		t.Errorf("%v", Fetchable())
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
