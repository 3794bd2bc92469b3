package serverlogs

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const crash = "2026-11-24 06:39:30.000 UTC [100] LOG:  server process (PID 101) was terminated by signal 9: Killed\n"

// hostWithLogs is a tree of files in which a server has logged: the first file is the oldest.
func hostWithLogs(t *testing.T, files ...string) (*target.Local, *snapshot.Instance) {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(root+"/pg/17", 0o700); err != nil {
		t.Fatal(err)
	}
	for i, f := range files {
		name, text, _ := strings.Cut(f, "=")
		b := []byte(text)
		if strings.HasSuffix(name, ".gz") {
			var z bytes.Buffer
			w := gzip.NewWriter(&z)
			if _, err := w.Write(b); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			b = z.Bytes()
		}
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, b, 0o600); err != nil {
			t.Fatal(err)
		}
		when := time.Now().Add(time.Duration(i-len(files)) * time.Minute)
		if err := os.Chtimes(at, when, when); err != nil {
			t.Fatal(err)
		}
	}
	return &target.Local{Root: root}, &snapshot.Instance{DataDirectory: known.Is("/pg/17")}
}

func all(t *testing.T, found *Logs) string {
	t.Helper()
	var out strings.Builder
	for i := range found.Sources {
		r, err := found.Sources[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// TestLogIsFoundAfterRotation: the crash is in a file that logrotate has made.
func TestLogIsFoundAfterRotation(t *testing.T) {
	settings := pg.Settings{"log_directory": {Value: "log"}, "log_filename": {Value: "postgresql-%a.log"}}
	for name, files := range map[string][]string{
		"numbered":           {"pg/17/log/postgresql-Tue.log.1=" + crash, "pg/17/log/postgresql-Tue.log="},
		"packed":             {"pg/17/log/postgresql-Tue.log.2.gz=" + crash, "pg/17/log/postgresql-Tue.log="},
		"dated":              {"pg/17/log/postgresql-Tue.log-20261124=" + crash, "pg/17/log/postgresql-Tue.log="},
		"dated and packed":   {"pg/17/log/postgresql-Tue.log-20261124.gz=" + crash, "pg/17/log/postgresql-Tue.log="},
		"file in the folder": {"pg/17/logfile.1=" + crash, "pg/17/logfile="},
		"file, packed":       {"pg/17/server.log.3.gz=" + crash, "pg/17/server.log="},
		"current_logfiles": {"var/log/pg/a.log.1=" + crash, "var/log/pg/a.log=",
			"pg/17/current_logfiles=stderr /var/log/pg/a.log\n"},
		"the file of Debian": {"var/log/postgresql/postgresql-17-main.log.1=" + crash,
			"var/log/postgresql/postgresql-17-main.log="},
		"syslog": {
			"var/log/syslog.1.gz=Nov 24 06:39:30 db1 cron[7]: no\nNov 24 06:39:30 db1 postgres[100]: [9-1] " + crash,
			"var/log/syslog="},
		"elsewhere, absolute": {"var/log/other/postgresql-Tue.log.1=" + crash, "var/log/other/nginx.log=no\n"},
	} {
		t.Run(name, func(t *testing.T) {
			h, in := hostWithLogs(t, files...)
			o := Options{Settings: settings}
			switch name {
			case "elsewhere, absolute":
				o.Settings = pg.Settings{"log_directory": {Value: "/var/log/other"},
					"log_filename": {Value: "postgresql-%a.log"}}
			case "syslog":
				o.Settings = pg.Settings{"log_destination": {Value: "syslog"}}
			case "the file of Debian":
				in.DataDirectory = known.Is("/var/lib/postgresql/17/main")
			}
			found, err := Find(t.Context(), h, in, o)
			if err != nil {
				t.Fatal(err)
			}
			if got := all(t, found); got != crash {
				t.Errorf("%q\n%+v", got, found)
			}
		})
	}
}

// TestLogOfStandardErrorIsAFile: the postmaster's standard error is a file, and
// no device.
func TestLogOfStandardErrorIsAFile(t *testing.T) {
	for to, want := range map[string]string{"/srv/pg.out": crash, "/dev/shm/pg.out": crash, "/dev/pts/3": ""} {
		h, in := hostWithLogs(t, strings.TrimPrefix(to, "/")+"="+crash)
		in.Processes = known.Is([]host.Process{{PID: 42}})
		fd := filepath.Join(h.Root, "proc/42/fd")
		if err := os.MkdirAll(fd, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(fd, "2")); err != nil {
			t.Fatal(err)
		}
		found, err := Find(t.Context(), h, in, Options{Settings: pg.Settings{}})
		if err != nil {
			t.Fatal(err)
		}
		if got := all(t, found); got != want {
			t.Errorf("%s: %q\n%+v", to, got, found)
		}
	}
}

// TestLogsAreBounded: the newest win, and what was omitted is said.
func TestLogsAreBounded(t *testing.T) {
	var files []string
	for i := range 14 {
		files = append(files, fmt.Sprintf("pg/17/log/%02d.log=%d\n", i, i),
			fmt.Sprintf("pg/17/log/%02d.csv=%d\n", i, i))
	}
	h, in := hostWithLogs(t, files...)
	found, err := Find(t.Context(), h, in, Options{Settings: pg.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Sources) != 2*DefaultFiles || found.Sources[0].Path != "/pg/17/log/04.log" ||
		found.Sources[1].Format != pglog.CSV || len(found.Missing) != 1 {
		t.Errorf("%+v", found)
	}
	long := strings.Repeat("0123456789abcde\n", 1000)
	h, in = hostWithLogs(t, "pg/17/log/a.log="+long, "pg/17/log/b.log="+long)
	found, err = Find(t.Context(), h, in, Options{Settings: pg.Settings{}, Bytes: 24_008})
	if err != nil {
		t.Fatal(err)
	}
	if got := all(t, found); got != long+long[:8000] || len(found.Missing) != 1 {
		t.Errorf("%d bytes: %+v", len(got), found)
	}
	// A packed one that is too long is cut, and it is said; so is one that lies.
	h, in = hostWithLogs(t, "pg/17/log/a.log.1.gz="+long)
	found, err = Find(t.Context(), h, in, Options{Settings: pg.Settings{}, Bytes: 1600})
	if err != nil || len(found.Sources) != 1 || len(found.Missing) != 1 {
		t.Fatalf("%v %+v", err, found)
	}
	r, err := found.Sources[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); len(b) != 1600 || !errors.Is(err, ErrCut) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestLogsThatCannotBeListed: what is no file, or is closed, is said and not opened.
func TestLogsThatCannotBeListed(t *testing.T) {
	h, in := hostWithLogs(t, "pg/17/log/a.log="+crash, "secret=no\n")
	for _, err := range []error{syscall.Mkfifo(h.Root+"/pg/17/log/fifo", 0o600),
		os.Symlink("/secret", h.Root+"/pg/17/log/b.log")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	found, err := Find(t.Context(), h, in, Options{Settings: pg.Settings{}})
	if err != nil {
		t.Fatal(err)
	}
	if got := all(t, found); got != crash || len(found.Missing) != 2 {
		t.Errorf("%q %+v", got, found)
	}
	h, in = hostWithLogs(t, "pg/17/log=a file\n")
	found, err = Find(t.Context(), h, in, Options{Settings: pg.Settings{}})
	if err != nil || len(found.Sources) != 0 || len(found.Missing) != 1 {
		t.Errorf("%v %+v", err, found)
	}
}
