package creating

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
)

func binary(t *testing.T) string { t.Helper(); return cell.Binary(t) }

// TestPassword: who has the password gets in over TCP, nobody else does, and neither it nor its verifier is anywhere
// but in the server's catalog: not in an argument of any process, not in journals, logs, files or output.
func TestPassword(t *testing.T) {
	const secret = "a'b\"c\\ ключ$1"
	live.OnAtOnce(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		s := newSite(t, b)
		end, seen := make(chan struct{}), make(chan string)
		go func() { seen <- arguments(end) }()
		cmd := s.cmd(nil, nil, append([]string{binary(t)}, s.args("--password-file", "-", "--format", "json")...)...)
		cmd.Stdin = strings.NewReader(secret + "\n")
		made := ended(t, cmd, cmd.Args)
		close(end)
		all := <-seen
		if made.Code != 0 || !strings.Contains(all, s.data) {
			t.Fatalf("%s\narguments that were seen: %d bytes", made, len(all))
		}
		port := strconv.Itoa(decode(t, made).Port)
		tcp := func(password string) cell.Ran {
			return s.psql(nil, []string{"PGPASSWORD=" + password}, "-h", "127.0.0.1", "-p", port, "-U", owner, "-c",
				"SELECT rolpassword FROM pg_authid WHERE rolname = current_user")
		}
		r := tcp(secret)
		verifier := strings.TrimSpace(r.Stdout)
		if r.Code != 0 || !strings.HasPrefix(verifier, "SCRAM-SHA-256$4096:") {
			t.Fatalf("%s\n%s", r, s.log(s.data))
		}
		for _, wrong := range []string{"wrong", verifier, secret + "x"} {
			if r := tcp(wrong); r.Code != 2 || !strings.Contains(r.Stderr, "password authentication failed") {
				t.Errorf("%q: %s", wrong, r)
			}
		}
		_, keys, _ := strings.Cut(verifier, ":")
		for what, text := range map[string]string{"an argument": all, "the output": made.Stdout + made.Stderr,
			"the log": s.log(s.data), "the journal": s.text("/var/lib/pgfettle"),
			"a file of /etc":    s.text("/etc/systemd"),
			"the configuration": s.text(s.data + "/conf.d")} {
			for _, part := range append(strings.FieldsFunc(keys, between), secret) {
				if strings.Contains(text, part) {
					t.Errorf("%s has %q", what, part)
				}
			}
		}
		if strings.Contains(s.text("/var/lib/pgfettle"), strconv.Quote(secret)) {
			t.Error("the journal has the password in quotes")
		}
		s.pgfettle(0, "undo", "--yes")
		s.gone()
	})
}

// between is what stands between the parts of a verifier.
func between(r rune) bool { return r == '$' || r == ':' }

// arguments gathers what every process of this machine was called with, until the end.
func arguments(end <-chan struct{}) string {
	all := map[string]bool{}
	for {
		select {
		case <-end:
			var out bytes.Buffer
			for a := range all {
				out.WriteString(a + "\n")
			}
			return out.String()
		default:
		}
		files, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			return err.Error()
		}
		for _, f := range files {
			if b, err := os.ReadFile(f); err == nil { // a process that is gone
				all[string(b)] = true
			}
		}
	}
}

// text is all that is in the files of a directory.
func (s *site) text(dir string) string {
	var out strings.Builder
	for _, text := range s.Files(dir) {
		out.WriteString(text)
	}
	return out.String()
}
