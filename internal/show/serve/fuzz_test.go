package serve

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	diagmemory "github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/test/page"
)

// FuzzForm verifies that whatever the form of a host is sent is answered with a plan or with what is wrong, on a page
// that is whole and runs nothing of it.
func FuzzForm(f *testing.F) {
	for _, s := range []string{"ram=64GB&cpus=16&storage=nvme&pg=17&profile=oltp&connections=300", "ram=1e99TB",
		"ram=8GB&kernel=\"><script>", "ram=8GB\x00&thp=\u202enever", "profile=%ff&active=-0", "ram=8GB&set.fsync=off"} {
		f.Add(s)
	}
	_, s := started(f, nil)
	f.Fuzz(func(t *testing.T, query string) {
		said, err := url.ParseQuery(query)
		if err != nil || len(query) > mostQuery/3 { // the rest is no address
			return
		}
		status, body := answered(s, "/plan/for?"+said.Encode())
		if status != http.StatusOK && status != http.StatusUnprocessableEntity {
			t.Errorf("%d: %s", status, body)
		}
		for _, p := range page.Problems([]byte(body), false) {
			t.Errorf("%q: %s", query, p)
		}
	})
}

// answered is what a server answers without a connection.
func answered(s *Server, address string) (int, string) {
	r := arrived(httptest.NewRequest(http.MethodGet, address, nil))
	r.Host = "localhost"
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// arrived is a request that came in by a loopback address.
func arrived(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey,
		net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8432})))
}

// hostile is a site whose documents have a text that tries to be run.
func hostile(e *stub, evil string) *stub {
	look, judged, planned, memory := e.look, e.check, e.plan, e.memory
	e.look = func(ctx context.Context) (*app.Session, error) {
		s, err := look(ctx)
		s.Snapshot.Host.Name = known.Is(evil)
		for i := range s.Snapshot.Instances {
			s.Snapshot.Instances[i].DataDirectory = known.Is(evil)
		}
		return s, err
	}
	e.check = func(l *app.Session) (check.Report, string, error) {
		c, _, err := judged(l)
		for i := range c.Findings {
			f := &c.Findings[i]
			f.Title, f.Seen, f.Why, f.Do, f.Instance = evil, say.Text(evil), evil, say.Text(evil), evil
		}
		c.Unknown = append(c.Unknown, known.Gap{Fact: evil, Reason: evil, Reveal: evil})
		return c, evil, err
	}
	e.plan = func(ctx context.Context, l *app.Session, a app.PlanAsk) (*plan.Plan, error) {
		p, err := planned(ctx, l, a)
		p.Warnings = append(p.Warnings, say.Text(evil))
		for i := range p.Changes {
			c := &p.Changes[i]
			c.From, c.To, c.Reason, c.Title, c.Instance = evil, evil, say.Text(evil), evil, evil
		}
		return p, err
	}
	e.memory = func(ctx context.Context) (*diagmemory.Report, error) {
		m, err := memory(ctx)
		m.Verdict = say.Text(evil)
		for i := range m.Instances {
			m.Instances[i].Label = evil
		}
		return m, err
	}
	return e
}

// FuzzTime verifies that whatever an address says of a time gives a time that is one, or a line beside its field.
func FuzzTime(f *testing.F) {
	f.Add("1d", "", "")
	f.Add("", "2026-11-20T10:00", "2026-11-21")
	f.Add("9y", "0000-00-00", "9999-12-31T23:59:59Z")
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, name, from, to string) {
		said := url.Values{"range": {name}, "from": {from}, "to": {to}}
		fields := when(said)
		sp := spanOf(said, fields, now)
		if wrongOnes(fields) {
			return
		}
		if long := sp.To.Sub(sp.From); long < shortest || long > farthest {
			t.Errorf("%v: from %s to %s", said, sp.From, sp.To)
		}
		for _, l := range tongues[say.English]().moves(said, sp, now) {
			u, err := url.Parse(l.Href)
			if err != nil || u.Path != "/history" {
				t.Errorf("%v: %s leads to %q", said, l.Text, l.Href)
				continue
			}
			again := when(u.Query())
			if spanOf(u.Query(), again, now); wrongOnes(again) {
				t.Errorf("%v: %s leads to %q, which is no time: %+v", said, l.Text, l.Href, again)
			}
		}
	})
}

// FuzzNext verifies that a login leads to a page of this server, whatever it is sent.
func FuzzNext(f *testing.F) {
	for _, s := range []string{"/plan?x=1", "//evil.example", "/\\evil.example", "https:evil.example", "/%2f%2fevil",
		"/\t/evil.example", "/..//evil.example"} {
		f.Add(s)
	}
	base, err := url.Parse("http://127.0.0.1:8432/login")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, next string) {
		to := localRedirect(next)
		u, err := base.Parse(to)
		if err != nil || u.Host != base.Host || u.Scheme != "http" || !strings.HasPrefix(to, "/") ||
			len(to) > 1 && (to[1] == '/' || to[1] == '\\') || strings.ContainsAny(to, "\t\r\n\\") {
			t.Errorf("%q leads to %q", next, to)
		}
	})
}

// FuzzHost verifies that no name but ours is taken for ours.
func FuzzHost(f *testing.F) {
	for _, s := range []string{"localhost:8432", "127.0.0.1", "[::1]:1", "evil.example", "db1.example.org:443",
		"localhost.evil.example", "[::1", "127.1", "localhost:evil"} {
		f.Add(s)
	}
	_, s := started(f, func(o *Options) { o.Listen.Hosts = []string{"db1.example.org"} })
	names := map[string]bool{"localhost": true, "db1.example.org": true}
	f.Fuzz(func(t *testing.T, host string) {
		r := arrived(httptest.NewRequest(http.MethodGet, "/healthz", nil))
		r.Host = host
		name, _ := splitHost(host)
		if s.mine(r) && !names[name] && !net.ParseIP(name).IsLoopback() {
			t.Errorf("%q is taken for ours, as %q", host, name)
		}
	})
}

// TestHostile verifies that what comes from a host, its history and its address is shown and never run: every page of a
// host that tries it is whole.
func TestHostile(t *testing.T) {
	const evil = `"><script>alert(1)</script><img src=x onerror=alert(1)> ‮{{.}}` + "\x1b[2J\x00"
	var looks atomic.Int64
	h, _ := started(t, func(o *Options) {
		o.Site = hostile(siteOf(describedHost(t), &looks), evil)
		o.Version, o.Target, o.History = evil, evil, mishaps(t, evil)
	})
	for _, path := range []string{"/", "/findings", "/plan", "/memory", "/history?range=1h",
		"/explain?q=" + url.QueryEscape(evil), "/explain/" + url.PathEscape(evil),
		"/plan?profile=" + url.QueryEscape(evil),
		"/history?from=" + url.QueryEscape(evil), "/history?instance=" + url.QueryEscape(evil),
		"/experiments/" + url.PathEscape(evil)} {
		r := get(t, h.URL+path)
		if strings.Contains(r.body, "<script>") || strings.Contains(r.body, "<img") ||
			strings.ContainsAny(r.body, "\x1b\x00‮") {
			t.Errorf("%s: it has what it should not:\n%s", path, r.body)
		}
		for _, p := range page.Problems([]byte(r.body), false) {
			t.Errorf("%s: %s", path, p)
		}
	}
}

// mishaps is a history of hostile texts.
func mishaps(t *testing.T, evil string) string {
	t.Helper()
	path := t.TempDir() + "/" + store.File
	st, err := store.Open(path, store.Options{Interval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Append(t.Context(), time.Now().Add(-time.Minute),
		[]history.Point{{Series: history.Series{Name: "connections", Instance: "/x<script>", Label: "<script>"},
			Value: 1}}); err != nil {
		t.Fatal(err)
	}
	if _, err := st.AppendEvent(t.Context(), history.Event{At: time.Now().Add(-time.Minute), Kind: history.OOMKill,
		Instance: evil, Subject: evil, Before: evil, After: evil, Who: evil, Where: evil, Detail: evil}); err != nil {
		t.Fatal(err)
	}
	return path
}
