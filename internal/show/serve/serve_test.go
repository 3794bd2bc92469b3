package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/hosts"
	"github.com/pgfettle/pgfettle/test/page"
)

// described is the evidence of a host with a plan of every effect.
func describedHost(t testing.TB) *evidence.Archive {
	t.Helper()
	a, err := snapshot.Describe(
		"ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17,disk=500GB,set.max_connections=300,set.autovacuum=off")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// acme is the evidence of a host that was seen in part, from strangers.
func acme(t testing.TB) *evidence.Archive {
	t.Helper()
	b, err := os.ReadFile("../../fact/evidence/testdata/acme.evidence")
	if err != nil {
		t.Fatal(err)
	}
	a, err := evidence.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// stub is a Site whose answers a test can replace.
type stub struct {
	look   func(context.Context) (*app.Session, error)
	check  func(*app.Session) (check.Report, string, error)
	plan   func(context.Context, *app.Session, app.PlanAsk) (*plan.Plan, error)
	memory func(context.Context) (*memory.Report, error)
}

func (s *stub) Look(ctx context.Context) (*app.Session, error)     { return s.look(ctx) }
func (s *stub) Check(l *app.Session) (check.Report, string, error) { return s.check(l) }
func (s *stub) Memory(ctx context.Context) (*memory.Report, error) { return s.memory(ctx) }
func (s *stub) Plan(ctx context.Context, l *app.Session, a app.PlanAsk) (*plan.Plan, error) {
	return s.plan(ctx, l, a)
}

// stubbed is the Site of a test.
func stubbed(o *Options) *stub { return o.Site.(*stub) }

// siteOf answers from an evidence as the commands do, and counts how often it was
// asked to look.
func siteOf(a *evidence.Archive, looks *atomic.Int64) *stub {
	host := &app.Host{Target: &target.Local{}}
	see := func() (*app.Session, error) {
		looks.Add(1)
		return host.NewSession(a)
	}
	return &stub{
		look: func(context.Context) (*app.Session, error) { return see() },
		check: func(l *app.Session) (check.Report, string, error) {
			return l.Check(check.Options{}), "", nil
		},
		plan: func(ctx context.Context, _ *app.Session, ask app.PlanAsk) (*plan.Plan, error) {
			o := rule.Options{Profile: rule.Mixed, Connections: ask.Connections, Active: ask.Active, Shared: ask.Shared}
			p, _, err := planner.Make(ctx, nil, a, o)
			return p, err
		},
		memory: func(context.Context) (*memory.Report, error) {
			s, err := see()
			if err != nil {
				return nil, err
			}
			return memory.Diagnose(s.Snapshot, hosts.Buffers(s.Snapshot)), nil
		},
	}
}

// started is a server on a loopback address with what a test wants otherwise.
func started(t testing.TB, change func(*Options)) (*httptest.Server, *Server) {
	t.Helper()
	s, cancel := built(t, change)
	h := httptest.NewServer(s)
	t.Cleanup(func() { cancel(); h.Close() })
	return h, s
}

// built is a server without an address: in a bubble of synctest there are no connections, whose waits it cannot see.
func built(t testing.TB, change func(*Options)) (s *Server, cancel func()) {
	t.Helper()
	var looks atomic.Int64
	ctx, cancel := context.WithCancel(context.Background())
	o := Options{Site: siteOf(describedHost(t), &looks), Now: time.Now, Version: "test", Context: ctx,
		Listen: Listen{Address: "127.0.0.1:0"}}
	if change != nil {
		change(&o)
	}
	return New(o), cancel
}

// answer is what a request got.
type answer struct {
	*http.Response
	body string
}

// send makes a request and reads its whole answer; redirections are not followed.
func send(t testing.TB, method, url string, header map[string]string, body string) answer {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		if k == "Host" {
			r.Host = v
			continue
		}
		r.Header.Set(k, v)
	}
	c := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := c.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{res, string(b)}
}

func get(t testing.TB, url string) answer { t.Helper(); return send(t, http.MethodGet, url, nil, "") }

// allPages are addresses of every page, with what is on it and nowhere else.
var allPages = map[string]string{
	"/":         "Memory budget",
	"/findings": "autovacuum is off",
	"/plan":     "shared_buffers",
	"/plan?profile=oltp&connections=100&active=20&storage=ssd&shared=yes": "pgfettle plan --profile oltp " +
		"--connections 100 --active 20 --storage ssd --dedicated=false",
	"/plan/for": "Memory, kernel, and server settings for a host that you describe",
	"/plan/for?ram=64+GB&swap=2GB&cpus=16&storage=nvme&pg=17&profile=oltp&connections=300": "pgfettle plan --for " +
		"ram=64GB,swap=2GB,cpus=16,storage=nvme,pg=17 --profile oltp --connections 300",
	"/memory":                              "data-live=\"/memory/events\"",
	"/history":                             "pgfettle watch",
	"/history/settings":                    "pgfettle watch",
	"/experiments":                         "pgfettle serve --experiments DIR",
	"/read":                                "The text is not stored",
	"/explain":                             "swappiness_high",
	"/explain?q=shared_buffers":            "pg:shared_buffers",
	"/explain?q=nothing+has+these+letters": "No name or title contains this text",
	"/explain/pg:shared_buffers":           "How the value is chosen",
	"/explain/shared_buffers":              "How the value is chosen",
	"/explain/swappiness_high":             "Why it matters",
	"/explain/connection-pooling":          "advice",
	"/explain/block:nvme0n1/scheduler":     "How the value is chosen",
}

// TestEveryPage verifies that each page is there, says what it is about, and is one that a strict browser, a keyboard
// and a screen reader can use.
func TestEveryPage(t *testing.T) {
	for name, a := range map[string]*evidence.Archive{"described": describedHost(t), "acme": acme(t)} {
		var looks atomic.Int64
		h, _ := started(t, func(o *Options) { o.Site = siteOf(a, &looks) })
		for path, want := range allPages {
			t.Run(name+path, func(t *testing.T) {
				r := get(t, h.URL+path)
				if r.StatusCode != http.StatusOK {
					t.Fatalf("%s: %s", r.Status, r.body)
				}
				if ct := r.Header.Get("Content-Type"); ct != "text/html; charset=utf-8" {
					t.Errorf("it is %s", ct)
				}
				if name == "described" && !strings.Contains(r.body, want) {
					t.Errorf("it lacks %q:\n%s", want, r.body)
				}
				for _, p := range page.Problems([]byte(r.body), false) {
					t.Error(p)
				}
				head := send(t, http.MethodHead, h.URL+path, nil, "")
				if head.StatusCode != http.StatusOK || head.body != "" {
					t.Errorf("HEAD: %s, %q", head.Status, head.body)
				}
			})
		}
	}
}

// TestErrorsArePages verifies that an error is shown on a page with the right status, as one that a browser shows.
func TestErrorsArePages(t *testing.T) {
	h, _ := started(t, nil)
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/nothing":                            {404, "There is no such page."},
		"/explain/swapiness_high":             {404, "swappiness_high"}, // what was meant
		"/explain/%3Cscript%3E":               {404, "&lt;script&gt;"},
		"/experiments/x":                      {404, "--experiments DIR"},
		"/login":                              {404, "There is no such page."},
		"/metrics":                            {404, "There is no such page."},
		"/assets/nothing.css":                 {404, "There is no such page."},
		"/assets/..%2fserve.go":               {404, "There is no such page."},
		"/plan?connections=many":              {422, "write a whole number from 1 to 262143"},
		"/plan?profile=x":                     {422, "profile"},
		"/plan/for?ram=much":                  {422, "is not an amount of memory"},
		"/plan/for/conf":                      {422, "does not describe a host"},
		"/plan/for/nothing?ram=64GB":          {404, "There is no such page."},
		"/plan/for?ram=64GB&cpus=2&sockets=4": {422, "a socket has at least one CPU"},
	} {
		t.Run(path, func(t *testing.T) {
			r := get(t, h.URL+path)
			if r.StatusCode != want.status || !strings.Contains(r.body, want.text) {
				t.Errorf("%s, want %d and %q:\n%s", r.Status, want.status, want.text, r.body)
			}
			for _, p := range page.Problems([]byte(r.body), false) {
				t.Error(p)
			}
		})
	}
}

// TestSiteFails verifies that a host that cannot be inspected is reported, with the hint, that the pages that need no
// look stay, and that it is reported on stderr once.
func TestSiteFails(t *testing.T) {
	var said []string
	var looks atomic.Int64
	h, _ := started(t, func(o *Options) {
		o.Now = newClock().now // it stands still: a failure is kept for as long as the test takes
		stubbed(o).look = func(context.Context) (*app.Session, error) {
			looks.Add(1)
			return nil, &say.Problem{Message: say.M("cannot connect"), Detail: say.M("<b>peer</b> failed"),
				Hint: say.M("run as postgres"),
				Code: say.CodeNoAccess}
		}
		stubbed(o).memory = func(context.Context) (*memory.Report, error) { return nil, errors.New("meminfo: gone") }
		o.Tell = func(s string) { said = append(said, s) }
	})
	for range 3 {
		r := get(t, h.URL+"/findings")
		if r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(r.body, "Cannot connect") ||
			!strings.Contains(r.body, "Run as postgres") || strings.Contains(r.body, "<b>") {
			t.Fatalf("%s: %s", r.Status, r.body)
		}
	}
	if looks.Load() != 1 || len(said) != 1 {
		t.Errorf("%d looks, said %q", looks.Load(), said)
	}
	if r := get(t, h.URL+"/memory"); r.StatusCode != http.StatusInternalServerError ||
		!strings.Contains(r.body, "Meminfo: gone") {
		t.Errorf("%s: %s", r.Status, r.body)
	}
	if r := get(t, h.URL+"/plan/for?ram=8GB"); r.StatusCode != http.StatusOK {
		t.Errorf("%s: %s", r.Status, r.body)
	}
	if r := get(t, h.URL+"/healthz"); r.StatusCode != http.StatusOK || r.body != "ok\n" {
		t.Errorf("%s: %s", r.Status, r.body)
	}
}

// TestPlanForms verifies that every form of a described plan is given out as a file.
func TestPlanForms(t *testing.T) {
	h, _ := started(t, nil)
	for _, f := range planForms {
		r := get(t, h.URL+"/plan/for/"+f.name+"?ram=64GB&cpus=16&pg=17&storage=nvme")
		if r.StatusCode != http.StatusOK || !strings.Contains(r.body, "shared_buffers") && f.name != "sysctl" ||
			!strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain") ||
			!strings.HasPrefix(r.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%s: %s %v\n%s", f.name, r.Status, r.Header, r.body)
		}
	}
}

// TestAssets verifies that the script can be cached forever under a name that identifies its content, and that the
// style sheet is revalidated.
func TestAssets(t *testing.T) {
	h, s := started(t, nil)
	if r := get(t, h.URL+"/memory"); !strings.Contains(r.body, `<script src="`+s.script.path+`" defer></script>`) {
		t.Error("the page has no script")
	}
	r := get(t, h.URL+s.script.path)
	if r.StatusCode != 200 || !strings.Contains(r.Header.Get("Cache-Control"), "immutable") ||
		r.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || r.body != string(live) {
		t.Errorf("%s %v", r.Status, r.Header)
	}
	r = get(t, h.URL+"/assets/pgfettle.css")
	if r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/css; charset=utf-8" ||
		!strings.Contains(r.body, ".fields") || !strings.Contains(r.body, "--ink") {
		t.Errorf("%s %v", r.Status, r.Header)
	}
	again := send(t, http.MethodGet, h.URL+"/assets/pgfettle.css",
		map[string]string{"If-None-Match": r.Header.Get("ETag")}, "")
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("asked again: %s", again.Status)
	}
	if r := get(t, h.URL+"/assets/live.000000000000.js"); r.StatusCode != http.StatusNotFound {
		t.Errorf("an old script: %s", r.Status)
	}
}
