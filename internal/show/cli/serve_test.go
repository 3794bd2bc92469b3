package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// announced is a stderr that hands on the address of the first line.
type announced struct {
	bytes.Buffer
	at chan string
}

func (a *announced) Write(b []byte) (int, error) {
	if _, rest, ok := strings.Cut(string(b), "serving "); ok {
		a.at <- strings.Fields(rest)[0]
	}
	return a.Buffer.Write(b)
}

// TestServe verifies that the command serves the pages of its target until it is stopped, shows what the commands of
// the same names show, and that the exit code shows what stopped it: a user (130), or a service manager (0).
func TestServe(t *testing.T) {
	dir := t.TempDir()
	evidence := filepath.Join("..", "..", "fact", "evidence", "testdata", "acme.evidence")
	token, policy := filepath.Join(dir, "token"), filepath.Join(dir, "policy.toml")
	for name, text := range map[string]string{token: "0123456789abcdef0123\n",
		policy: "profile = \"oltp\"\n\n[[accept]]\nid = \"config_file_errors\"\nreason = \"known <here>\"\nexpires " +
			"= \"never\"\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		cause error
		code  int
	}{"interrupted": {errors.New("interrupt signal received"), exitInterrupted},
		"terminated": {errors.New("terminated signal received"), exitFine}} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			errs := &announced{at: make(chan string, 1)}
			ended := make(chan int, 1)
			go func() {
				ended <- Main(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--token-file", token, "--policy",
					policy, "--history", filepath.Join(dir, "none.db"), evidence}, strings.NewReader(""),
					io.Discard, errs, nil)
			}()
			var at string
			select {
			case at = <-errs.at:
			case code := <-ended:
				t.Fatalf("exit code %d: %s", code, errs.String())
			}
			get := func(path, bearer string) (int, string) {
				r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(at, "/")+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Bearer "+bearer)
				res, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Fatal(err)
				}
				defer res.Body.Close()
				b, err := io.ReadAll(res.Body)
				if err != nil {
					t.Fatal(err)
				}
				return res.StatusCode, string(b)
			}
			if status, _ := get("/findings", "0123456789abcdef012"); status != http.StatusUnauthorized {
				t.Errorf("a wrong token: %d", status)
			}
			for path, want := range map[string]string{
				"/": "zeus", "/findings": "known &lt;here&gt;", "/plan": "Profile:</strong> oltp",
				"/plan?profile=dw": "Profile:</strong> dw", "/memory": "PostgreSQL 16", "/history": "none.db",
				"/plan/for?ram=8GB": "pgfettle plan --for ram=8GB",
			} {
				if status, body := get(path, "0123456789abcdef0123"); status != http.StatusOK ||
					!strings.Contains(body, want) {
					t.Errorf("%s: %d, it lacks %q:\n%s", path, status, want, body)
				}
			}
			cancel(c.cause)
			if code := <-ended; code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if talk := errs.String(); strings.Count(talk, "\n") != 1 {
				t.Errorf("it says %q", talk)
			}
		})
	}
}
