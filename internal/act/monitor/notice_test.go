package monitor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/test/nobody"
)

// inbox is a sink that keeps what it is sent, and fails as often as configured.
type inbox struct {
	mu    sync.Mutex
	got   []string
	tried int
	err   func(n int) error // of the n-th attempt, from 1
}

func (b *inbox) Name() string { return "notify test" }

func (b *inbox) Send(_ context.Context, body []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tried++
	if b.err != nil {
		if err := b.err(b.tried); err != nil {
			return err
		}
	}
	b.got = append(b.got, string(body))
	return nil
}

// talker keeps lines of talk.
type talker struct {
	mu    sync.Mutex
	lines []string
}

func (k *talker) tell(_ Level, m say.Message) {
	s := m.String()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.lines = append(k.lines, s)
}

func appeared(severity string) history.Event {
	return history.Event{At: time.Now(), Kind: history.FindingAppeared, Instance: "/srv/pg", Subject: "fsync_off",
		After: severity, Detail: "fsync is off"}
}

// validNotice verifies that a document is what its published schema says.
func validNotice(t *testing.T, doc []byte) {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../../schema/notice.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatalf("%v: %s", err, doc)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v: %s", err, doc)
	}
}

// TestWhichNotices: changed settings and stale plans always, findings from a
// severity on where they appear, get worse or are resolved, and nothing else.
func TestWhichNotices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, talk := &inbox{}, &talker{}
		n := NewNotifier("pgfettle 1", "db1", check.Warning, time.Now, talk.tell, in)
		for i, e := range []history.Event{
			{Kind: history.SettingChanged, Instance: "/srv/pg", Subject: "work_mem", Before: "4MB", After: "64MB",
				Who: "ALTER SYSTEM", Where: "/srv/pg/postgresql.auto.conf:3", Since: time.Now()},
			{Kind: history.PlanStale, Subject: "total memory", Before: "16 GB", After: "64 GB"},
			appeared("warning"), appeared("critical"), appeared("notice"),
			{Kind: history.FindingSeverity, Subject: "x", Before: "notice", After: "warning"},
			{Kind: history.FindingSeverity, Subject: "y", Before: "critical", After: "warning"},
			{Kind: history.FindingVanished, Subject: "z", Before: "critical", Held: time.Now()},
			{Kind: history.FindingVanished, Subject: "z", Before: "notice"},
			{Kind: history.Restarted, Instance: "/srv/pg"}, {Kind: history.OOMKill}, {Kind: history.Gap},
		} {
			e.At = time.Now().Add(time.Duration(i) * time.Second)
			n.Offer(e)
		}
		n.Close(time.Minute)
		var kinds []string
		for _, doc := range in.got {
			validNotice(t, []byte(doc))
			kinds = append(kinds, doc[strings.Index(doc, `"kind":`):strings.Index(doc, `"subject":`)])
		}
		wants(t, "kinds", kinds, "setting", "plan-stale", `finding-appeared","severity":"warning"`,
			`finding-appeared","severity":"critical"`, `finding-severity","severity":"warning"`, `finding-vanished`)
		if !strings.Contains(in.got[5], `"held_since":"2000-01-01T00:00:00Z"`) ||
			!strings.Contains(in.got[5], "(since 2000-01-01T00:00:00Z)") {
			t.Error(in.got[5])
		}
		if !strings.Contains(in.got[0],
			`"text":"work_mem of /srv/pg: 4MB → 64MB (ALTER SYSTEM, /srv/pg/postgresql.auto.conf:3)"`) {
			t.Error(in.got[0])
		}
		wants(t, "talk", talk.lines)
	})
}

// TestFlapping: a finding that comes and goes a thousand times, every ten minutes, sends one notice an hour, and a
// thousand findings at once send no more than a burst; what was held back is reported with the next one.
func TestFlapping(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, talk := &inbox{}, &talker{}
		n := NewNotifier("pgfettle 1", "db1", check.Notice, time.Now, talk.tell, in)
		for range 1000 {
			n.Offer(appeared("warning"))
			time.Sleep(10 * time.Minute)
		}
		synctest.Wait()
		if len(in.got) != 167 { // one in six
			t.Errorf("%d notices", len(in.got))
		}
		if !strings.Contains(in.got[1], `"held_back":5`) || strings.Contains(in.got[0], "held_back") {
			t.Errorf("held back: %s", in.got[1])
		}
		validNotice(t, []byte(in.got[1]))
		in.got = nil
		time.Sleep(24 * time.Hour)
		for i := range 1000 {
			e := appeared("warning")
			e.Subject = fmt.Sprint("finding ", i)
			n.Offer(e)
		}
		synctest.Wait()
		if len(in.got) != burst {
			t.Errorf("%d of a thousand at once", len(in.got))
		}
		time.Sleep(90 * time.Second)
		n.Offer(history.Event{Kind: history.PlanStale, Subject: "total memory"})
		n.Close(time.Minute)
		if !strings.Contains(in.got[len(in.got)-1], `"held_back":960`) {
			t.Error(in.got[len(in.got)-1])
		}
	})
}

// TestTriesAgain: what may go by is tried again with growing pauses and in order; what will not is not; a receiver that
// stays away drops the oldest, and the end waits no longer than configured.
func TestTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		passing := errors.New("answered with status 503")
		in, talk := &inbox{err: func(n int) error {
			if n < 4 {
				return &Passing{passing}
			}
			return nil
		}}, &talker{}
		n := NewNotifier("pgfettle 1", "db1", check.Notice, time.Now, talk.tell, in)
		began := time.Now()
		n.Offer(appeared("warning"))
		n.Offer(appeared("critical"))
		n.Close(time.Minute)
		if len(in.got) != 2 || !strings.Contains(in.got[0], "warning") || time.Since(began) != 7*time.Second {
			t.Errorf("%d notices after %s", len(in.got), time.Since(began))
		}

		in = &inbox{err: func(int) error { return errors.New("answered with status 404") }}
		n = NewNotifier("pgfettle 1", "db1", check.Notice, time.Now, talk.tell, in)
		n.Offer(appeared("warning"))
		n.Close(time.Minute)
		if in.tried != 1 {
			t.Errorf("%d attempts at what was refused", in.tried)
		}
		wants(t, "talk", talk.lines, "notify test: notification failed: answered with status 404")

		talk.lines = nil
		in = &inbox{err: func(int) error { return &Passing{passing} }}
		n = NewNotifier("pgfettle 1", "db1", check.Notice, time.Now, talk.tell, in)
		n.Offer(appeared("warning"))
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if in.tried != tries {
			t.Errorf("%d attempts", in.tried)
		}
		for i := range 3 * mostQueued {
			time.Sleep(time.Minute / 4) // within what the sink is waited for
			e := appeared("warning")
			e.Subject = fmt.Sprint("finding ", i)
			n.queues[0].add([]byte(e.Subject))
		}
		began = time.Now()
		n.Close(5 * time.Second)
		if d := time.Since(began); d > 6*time.Second {
			t.Errorf("the end took %s", d)
		}
		if !slices.ContainsFunc(talk.lines, func(l string) bool {
			return strings.Contains(l, "the oldest are dropped")
		}) ||
			!strings.Contains(talk.lines[len(talk.lines)-1], fmt.Sprint("notifications not sent: ", mostQueued)) &&
				!strings.Contains(talk.lines[len(talk.lines)-2], "notifications not sent: ") {
			t.Errorf("talk: %q", talk.lines)
		}
	})
}

// script writes a program.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page me")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestExec: a program gets the document on its standard input, its arguments as
// they were written, and of our environment nothing but PATH.
func TestExec(t *testing.T) {
	t.Setenv("PGPASSWORD", "secret")
	dir := t.TempDir()
	name := script(t, `cat > "$1/doc"; env > "$1/env"; shift; printf '%s|' "$@" > "$0.args"`)
	argv, err := Words(fmt.Sprintf(`'%s' "%s" two\ words '$HOME;ls'`, name, dir))
	if err != nil {
		t.Fatal(err)
	}
	talk := &talker{}
	n := NewNotifier("pgfettle 1", "db1", check.Notice, time.Now, talk.tell, &Exec{Target: &target.Local{}, Argv: argv})
	n.Offer(appeared("warning"))
	n.Close(time.Minute)
	wants(t, "talk", talk.lines)
	read := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	doc := read(filepath.Join(dir, "doc"))
	if !strings.HasSuffix(doc, "}\n") {
		t.Errorf("%q", doc)
	}
	validNotice(t, []byte(doc))
	if args := read(name + ".args"); args != "two words|$HOME;ls|" {
		t.Errorf("arguments %q", args)
	}
	env := read(filepath.Join(dir, "env"))
	if strings.Contains(env, "secret") || !strings.Contains(env, "PGFETTLE_NOTICE=pgfettle.notice/1\n") ||
		!strings.Contains(env, "PATH=") || strings.Contains(env, "HOME=") {
		t.Errorf("environment:\n%s", env)
	}
}

// TestExecFails: a program that fails, floods or is missing is reported in one line, and not run again.
func TestExecFails(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ text, want string }{
		{`echo x >> "$1"; echo one >&2; echo "no route to host" >&2; exit 3`, "exit status 3: no route to host"},
		{`echo x >> "$1"; exec yes`, "larger than its limit"},
		{"", "no such file"},
	} {
		count := filepath.Join(dir, "count")
		_ = os.Remove(count)
		name := script(t, c.text)
		if c.text == "" {
			name = "/nowhere/at/all"
		}
		x := &Exec{Target: &target.Local{}, Argv: []string{name, count}}
		talk := &talker{}
		n := NewNotifier("pgfettle 1", "db1", check.Notice, time.Now, talk.tell, x)
		n.Offer(appeared("warning"))
		n.Close(time.Minute)
		wants(t, c.text, talk.lines, c.want)
		if b, _ := os.ReadFile(count); c.text != "" && string(b) != "x\n" {
			t.Errorf("%s: it ran %d times", c.text, len(b)/2)
		}
	}
}

// TestWords is how a command is split.
func TestWords(t *testing.T) {
	for in, want := range map[string][]string{
		"/bin/x":                   {"/bin/x"},
		"  a  b\tc\n":              {"a", "b", "c"},
		`a 'b c' "d e" f\ g`:       {"a", "b c", "d e", "f g"},
		`a '' ""`:                  {"a", "", ""},
		`a"b"'c'd`:                 {"abcd"},
		`a "\"q\" \n \\ \$x" '\n'`: {"a", `"q" \n \ $x`, `\n`},
		`a $HOME *.txt | b > c; d`: {"a", "$HOME", "*.txt", "|", "b", ">", "c;", "d"},
		`почта -s "база на db1" всем`: {"почта", "-s", "база на db1", "всем"},
	} {
		got, err := Words(in)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q is %q, %v; not %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", "  ", `''`, `a 'b`, `a "b`, `a \`, "a b\x00c"} {
		if got, err := Words(in); err == nil {
			t.Errorf("%q is %q", in, got)
		}
	}
}

// FuzzWords: whatever is typed is split or refused, and a split text that is
// quoted again is split the same.
func FuzzWords(f *testing.F) {
	f.Add(`a 'b c' "d\"e"`)
	f.Fuzz(func(t *testing.T, s string) {
		words, err := Words(s)
		if err != nil {
			return
		}
		var quoted []string
		for _, w := range words {
			quoted = append(quoted, "'"+strings.ReplaceAll(w, "'", `'\''`)+"'")
		}
		again, err := Words(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(words, again) {
			t.Fatalf("%q is %q and then %q, %v", s, words, again, err)
		}
	})
}

// hook returns a webhook to a handler, with a secret in its URL, and the URL.
func hook(t *testing.T, h http.HandlerFunc) (*Webhook, string) {
	t.Helper()
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	url := srv.URL + "/services/SECRET?token=SECRET"
	w, err := NewWebhook(url)
	if err != nil {
		t.Fatal(err)
	}
	return w, url
}

// TestWebhook: what the receiver answers decides whether it is tried again; no
// redirect to another host is followed; no error holds the URL.
func TestWebhook(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("another host got the notice")
	}))
	defer elsewhere.Close()
	moved := func(code int, to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/new" {
				if b := new(bytes.Buffer); r.Method != http.MethodPost ||
					func() bool { _, _ = b.ReadFrom(r.Body); return b.String() != `{"a":1}` }() {
					t.Errorf("%s %q after the redirect", r.Method, b)
				}
				return
			}
			http.Redirect(w, r, to, code)
		}
	}
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    string // of the error; "" is none
		passing bool
	}{
		{"taken", func(w http.ResponseWriter, r *http.Request) {
			b := new(bytes.Buffer)
			_, _ = b.ReadFrom(r.Body)
			if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" ||
				b.String() != `{"a":1}` || r.URL.Query().Get("token") != "SECRET" {
				t.Errorf("%s %s %q", r.Method, r.Header.Get("Content-Type"), b)
			}
			w.WriteHeader(http.StatusNoContent)
		}, "", false},
		{"broken", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "answered with status 500",
			true},
		{"busy", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) }, "answered with status 429", true},
		{"unknown", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, "answered with status 404",
			false},
		{"late", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that we hang up
			<-r.Context().Done()
		}, "no answer in time", true},
		{"hangs up", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // with something unread in it the connection would be reset
			if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
				c.Close()
			}
		}, "EOF", true},
		{"moved here", moved(http.StatusTemporaryRedirect, "/new"), "", false},
		{"moved as a get", moved(http.StatusFound, "/new"), "turn POST into GET", false},
		{"moved elsewhere", moved(http.StatusTemporaryRedirect, elsewhere.URL), "another host", false},
		{"in circles", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path+"x", http.StatusPermanentRedirect)
		}, "too many redirects", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := hook(t, c.handler)
			if c.name == "late" {
				h.client.Timeout = 50 * time.Millisecond // no answer ever comes
			}
			err := h.Send(t.Context(), []byte(`{"a":1}`))
			_, passing := errors.AsType[*Passing](err)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) ||
				passing != c.passing {
				t.Errorf("%v, passing %v", err, passing)
			}
			if strings.Contains(fmt.Sprint(err, h.Name()), "SECRET") || strings.Contains(fmt.Sprint(err), "127.0.0.1") {
				t.Errorf("%v of %s tells the URL", err, h.Name())
			}
		})
	}
}

// TestWebhookURL: notices go over https, or to this host; the URL is in no error.
func TestWebhookURL(t *testing.T) {
	for url, want := range map[string]string{
		"https://hooks.example.com/SECRET": "", "http://localhost:8080/SECRET": "", "http://[::1]/SECRET": "",
		"http://127.0.0.1/SECRET":         "",
		"http://hooks.example.com/SECRET": "only to this host", "ftp://example.com/SECRET": "not https",
		"https:///SECRET": "without a host",
		"SECRET":          "without a host", "https://exa mple.com/SECRET": "not a URL", "": "without a host",
	} {
		_, err := NewWebhook(url)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "SECRET")) {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestWebhookNobody: if nothing listens, the error is temporary.
func TestWebhookNobody(t *testing.T) {
	h, err := NewWebhook(fmt.Sprintf("http://%s/SECRET", nobody.Listens(t)))
	if err != nil {
		t.Fatal(err)
	}
	err = h.Send(t.Context(), nil)
	if _, passing := errors.AsType[*Passing](err); !passing || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v", err)
	}
}

// TestWebhookVerifies: an untrusted certificate is refused.
func TestWebhookVerifies(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the notice was sent")
	}))
	defer srv.Close()
	srv.Config.ErrorLog = nil
	h, err := NewWebhook(srv.URL + "/SECRET")
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Send(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("%v", err)
	}
}
