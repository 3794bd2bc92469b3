package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

func TestMain(m *testing.M) {
	code := m.Run()
	end()
	if made != "" {
		os.RemoveAll(made)
	}
	os.Exit(code)
}

const evidence = "../../internal/fact/evidence/testdata/acme.evidence"

// program is the program as a user has it, built once.
var program = sync.OnceValues(func() (string, error) {
	if named := os.Getenv("PGFETTLE_TEST_BINARY"); named != "" { // built already, as for test/cell
		return named, nil
	}
	dir, err := os.MkdirTemp("", "pgfettle-web-")
	if err != nil {
		return "", err
	}
	made = dir
	name := filepath.Join(dir, "pgfettle")
	c := exec.Command("go", "build", "-o", name, "./cmd/pgfettle")
	c.Dir = "../.."
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return name, nil
})

// made is the directory to remove at the end; "" before it is made.
var made string

// serve runs the program until the test ends and returns its address.
func serve(t *testing.T, args ...string) (root, host string) {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"serve", "--listen", "127.0.0.1:0", "--no-policy"}
	if !slices.Contains(args, "--token-file") {
		flags = append(flags, "--no-token") // what is examined here are the pages
	}
	c := exec.Command(name, append(flags, args...)...)
	errs, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(errs)
	t.Cleanup(func() {
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		for said.Scan() {
			t.Errorf("it says %s", said.Text())
		}
		var exit *exec.ExitError
		if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 130 {
			t.Errorf("interrupted it ends with %v", err)
		}
	})
	if !said.Scan() {
		t.Fatal("it says nothing")
	}
	_, rest, ok := strings.Cut(said.Text(), "serving ")
	if !ok {
		t.Fatalf("it says %s", said.Text())
	}
	root, _, _ = strings.Cut(rest, " ")
	u, err := url.Parse(root)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(root, "/"), u.Host
}

// watched is a history of the last six hours.
func watched(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.File)
	st, err := store.Open(path, store.Options{Interval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	begin := time.Now().Add(-6 * time.Hour)
	const in = "/srv/pg/17"
	for i := range 360 {
		w := 1 + math.Sin(float64(i)/40)
		p := func(instance, name, label string, v float64) history.Point {
			return history.Point{Series: history.Series{Instance: instance, Name: name, Label: label}, Value: v}
		}
		if err := st.Append(t.Context(), begin.Add(time.Duration(i)*time.Minute), []history.Point{
			p("", "memory_used_bytes", "", 8e9*w), p("", "page_tables_bytes", "", 2e9*w),
			p("", "cached_bytes", "", 16e9),
			p("", "cpu_busy_ratio", "", w/2), p("", "steal_ratio", "", 0.01),
			p(in, "connections", "active", math.Floor(20*w)), p(in, "connections", "idle", 80),
			p(in, "wal_bytes_per_second", "", 1e6*w), p(in, "cache_hit_ratio", "", 0.99),
		}); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range []string{"4MB", "64MB"} {
		if _, err := st.AppendSettings(t.Context(), begin.Add(time.Duration(1+2*i)*time.Hour), in,
			map[string]history.Setting{"work_mem": {Value: v, Where: "/srv/pg/17/postgresql.auto.conf:3",
				Who: "postgres"}}); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

// measured is a directory with one experiment.
func measured(t *testing.T) string {
	t.Helper()
	r := &experiment.Result{Schema: experiment.ResultSchema, Program: "1.2", Started: "2026-11-21T10:00:00Z",
		Ended: "2026-11-21T11:12:00Z", Design: experiment.DesignRestart, Metric: "tps",
		A: experiment.MeasuredConfiguration{Name: "default"}, B: experiment.MeasuredConfiguration{Name: "plan:oltp",
			Settings: []experiment.Setting{{Address: "pg:shared_buffers", Value: "16GB"}}},
		Workload: experiment.MeasuredWorkload{Name: "oltp-rw", Scale: 40, Command: "pgbench -c 8"},
		Spec:     experiment.Spec{Blocks: 8, Clients: 8, Duration: 120, Margin: 2},
		Host:     experiment.Host{Line: "db1", CPUs: 2, Memory: 24 << 30, Server: "17.11"}}
	for i := range 8 {
		a, more := 4000+40*math.Sin(float64(i)), 1.04+0.005*math.Cos(float64(3*i))
		run := func(label string, tps float64) experiment.Run {
			return experiment.Run{Config: label, Seconds: 120, Transactions: int64(120 * tps), TPS: tps,
				Environment: experiment.Environment{CalibrationCPU: 100, CalibrationSync: 40}}
		}
		r.Blocks = append(r.Blocks, experiment.Block{Number: i + 1, Order: "AB",
			Runs: []experiment.Run{run("A", a), run("B", a*more)}})
	}
	r.Judge()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "20261121-100000"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "20261121-100000", "result.json"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// pages are the addresses of every page.
var pages = []string{
	"/", "/findings", "/plan", "/plan/for",
	"/plan/for?ram=64GB&swap=2GB&cpus=16&storage=nvme&pg=17&profile=oltp&connections=300",
	"/plan/for?ram=x&cpus=-1&swap=y",
	"/memory", "/history?range=6h", "/history/settings", "/experiments", "/experiments/20261121-100000", "/explain",
	"/explain/pg:shared_buffers", "/explain/swappiness_high", "/read", "/nothing",
}

// status is that of the pages that are not 200: the browser's log reports them.
var status = map[string]string{"/plan/for?ram=x&cpus=-1&swap=y": "422", "/nothing": "404"}

// all starts a server that has something for every page.
func all(t *testing.T) (root, host string) {
	return serve(t, "--history", watched(t), "--experiments", measured(t), evidence)
}

// TestEveryPageInABrowser verifies that each page is whole in both themes, on a phone and without script: no error in
// the console, no request to anybody else, not wider than the screen, and the same text with script and without.
func TestEveryPageInABrowser(t *testing.T) {
	root, host := all(t)
	looks := []look{{false, 1200, true}, {true, 360, true}, {false, 360, false}, {true, 1200, false}}
	tabs := map[look]*tab{}
	for _, l := range looks {
		tabs[l] = open(t, l)
	}
	for _, path := range pages {
		t.Run(path, func(t *testing.T) {
			texts := map[bool]string{}
			grounds := map[bool]string{}
			for _, l := range looks {
				x := tabs[l]
				x.belongs(t)
				x.goes(root + path)
				if n := eval[int](x, `document.querySelectorAll("main h1").length`); n != 1 {
					t.Fatalf("%s: %d headings", l, n)
				}
				x.fits()
				x.keep(path + "-" + l.String())
				grounds[l.Dark] = eval[string](x, `getComputedStyle(document.body).backgroundColor`)
				// Except for the line of the script, and the times.
				texts[l.Script] = eval[string](x,
					`[...document.querySelectorAll("main h1, main h2, main th, main summary")].map((e) => `+
						`e.textContent).join("|")`)
				if want := status[path]; want != "" {
					x.mu.Lock()
					if len(x.wrong) != 1 || !strings.Contains(x.wrong[0], "status of "+want) {
						t.Errorf("%s: %q", l, x.wrong)
					}
					x.wrong = nil
					x.mu.Unlock()
				}
				x.quiet(host)
			}
			if grounds[true] == grounds[false] || grounds[true] == "" {
				t.Errorf("both themes have the ground %q", grounds[true])
			}
			if strings.HasPrefix(path, "/history") { // its times pass
				return
			}
			if texts[true] != texts[false] || texts[true] == "" {
				t.Errorf("with script it says\n%s\nand without\n%s", texts[true], texts[false])
			}
		})
	}
}

// TestKeyboard verifies that who has no mouse comes to everything, in the order in which it stands, sees where he is,
// and can unfold what is folded.
func TestKeyboard(t *testing.T) {
	root, host := all(t)
	x := open(t, look{false, 1200, true})
	for _, path := range pages {
		t.Run(path, func(t *testing.T) {
			x.belongs(t)
			x.goes(root + path)
			// What is in the order of the keyboard, as the page has it.
			const can = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, ` +
				`summary, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled)`
			n := eval[int](x, can+".length")
			// Long lists are all alike; the first hundred are enough.
			for i := range min(n, 100) {
				x.press(kb.Tab)
				// A field for a time has places of its own: day, month, year, hour, minute.
				for inner := 0; i > 0 && inner < 8 && eval[bool](x,
					fmt.Sprintf(`document.activeElement === %s[%d] && document.activeElement.type === "datetime-local"`,
						can, i-1)); inner++ {
					x.press(kb.Tab)
				}
				// A picture or a listing that is wider than its box is one too, so that it can be scrolled.
				if eval[bool](x,
					`document.activeElement.matches(".picture, pre:not([tabindex])") && `+
						`document.activeElement.scrollWidth > document.activeElement.clientWidth`) {
					x.press(kb.Tab)
				}
				where := eval[string](x, fmt.Sprintf(`(() => {
					const want = %s[%d], have = document.activeElement;
					if (want !== have) return "it is at " + have.outerHTML.slice(0, 150) + " and not at " + `+
					`want.outerHTML.slice(0, 150);
					const s = getComputedStyle(have);
					if (s.outlineStyle === "none" || parseFloat(s.outlineWidth) < 2) return "nobody sees that it is `+
					`at " + have.outerHTML.slice(0, 150);
					return "";
				})()`, can, i))
				if where != "" {
					t.Fatalf("after %d × Tab: %s", i+1, where)
				}
			}
			if n < 9 { // the navigation, and the link past it
				t.Errorf("%d places of the keyboard", n)
			}
			if eval[int](x, `document.querySelectorAll("main details:not([open]) > summary").length`) > 0 {
				eval[bool](x,
					`(window.folded = document.querySelector("main `+
						`details:not([open])")).querySelector("summary").focus() ?? true`)
				x.press(kb.Enter)
				if !eval[bool](x, `window.folded.open`) {
					t.Error("Enter unfolds nothing")
				}
			}
			// The first place of each page leads past the navigation.
			x.goes(root + path)
			x.press(kb.Tab, kb.Enter)
			x.until("the content", `location.hash === "#main"`)
			x.press(kb.Tab)
			if past := eval[bool](x, `!document.activeElement.closest("header")`); !past {
				t.Error("after the link past the navigation it is in the navigation")
			}
			if status[path] == "" {
				x.quiet(host)
			}
		})
	}
}

// TestFormByKeyboard verifies that the form of a plan for another host can be filled in and sent with only the keyboard
// and without script, and that an error is shown at its field.
func TestFormByKeyboard(t *testing.T) {
	root, host := all(t)
	x := open(t, look{false, 1200, false})
	x.goes(root + "/plan/for")
	x.run(at("#f-ram"))
	x.press("64 GB", kb.Tab, "16", kb.Enter)
	x.run(there("#files"))
	if where := eval[string](x, "location.search"); !strings.Contains(where, "ram=64+GB") ||
		!strings.Contains(where, "cpus=16") {
		t.Errorf("its address is %q", where)
	}
	if text := eval[string](x, `document.querySelector("main").textContent`); !strings.Contains(text,
		"shared_buffers") || !strings.Contains(text, "60-pgfettle.conf") {
		t.Errorf("it is no plan: %s", text)
	}
	x.quiet(host)
	x.goes(root + "/plan/for")
	x.run(at("#f-ram"))
	x.press("much", kb.Enter)
	x.run(there("#w-ram"))
	if v := eval[string](x,
		`document.getElementById("f-ram").value + " " + `+
			`document.getElementById("f-ram").getAttribute("aria-describedby")`); v != "much w-ram h-ram" {
		t.Errorf("%q", v)
	}
}

// TestLive verifies that the page of the memory brings new numbers by itself, leaves alone what the reader has unfolded
// and where he is, and can be paused.
func TestLive(t *testing.T) {
	b, err := os.ReadFile(evidence)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "host.evidence")
	// taken looks at the host at another time: the evidence is read for each look.
	taken := func(seconds string) {
		next := bytes.Replace(b, []byte(`"taken_at":1763712000`), []byte(`"taken_at":`+seconds), 1)
		if err := os.WriteFile(name+".next", next, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(name+".next", name); err != nil {
			t.Fatal(err)
		}
	}
	taken("1763712000")
	root, host := serve(t, name)
	x := open(t, look{false, 1200, true})
	x.goes(root + "/memory")
	x.until("the stream", `document.querySelector("main").textContent.includes("Kept up to date.")`)
	folded := eval[int](x, `document.querySelectorAll("[data-live] details").length`)
	if folded > 0 {
		eval[bool](x,
			`window.kept = document.querySelector("[data-live] details"); kept.open = !kept.open; window.was = `+
				`kept.open; kept.querySelector("summary").focus(); true`)
	}
	if at := eval[string](x, `document.querySelector("[data-live] time").dateTime`); at != "2025-11-21T08:00:00Z" {
		t.Errorf("it is of %s", at)
	}
	taken("1763715600")
	x.until("a new look", `document.querySelector("[data-live] time").dateTime === "2025-11-21T09:00:00Z"`)
	if folded > 0 && !eval[bool](x,
		`window.kept.isConnected && window.kept.open === window.was && document.activeElement === `+
			`window.kept.querySelector("summary")`) {
		t.Error("what the reader had unfolded was touched")
	}
	eval[bool](x, `document.querySelector("main button.soft").focus() ?? true`)
	x.press(kb.Enter)
	x.until("the pause", `document.querySelector("main").textContent.includes("Paused.")`)
	x.quiet(host)
	// Without script there is nothing to press.
	y := open(t, look{false, 1200, false})
	y.goes(root + "/memory")
	if n := eval[int](y, `document.querySelectorAll("main button").length`); n != 0 {
		t.Errorf("%d buttons without script", n)
	}
	y.quiet(host)
}

// TestPasteInABrowser verifies that a paste is sent with only the keyboard, without script and from a phone, that its
// report is a whole page, and that an empty field is reported.
func TestPasteInABrowser(t *testing.T) {
	root, host := all(t)
	x := open(t, look{true, 360, false})
	x.goes(root + "/read")
	x.run(at("textarea"))
	x.press("$ free -m\n               total        used        free      shared  buff/cache   available\n"+
		"Mem:           15884        9210         304        4120        6369        2104\n"+
		"Swap:           2047           3        2044\n", kb.Tab, kb.Enter)
	x.run(there("main section"))
	x.fits()
	x.keep("read-report")
	text := eval[string](x, `document.querySelector("main").textContent`)
	for _, want := range []string{"free", "15.5 GB", "2.05 GB"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report does not have %q: %s", want, text)
		}
	}
	x.quiet(host)
	x.goes(root + "/read")
	x.run(at("textarea"))
	x.press(" ", kb.Tab, kb.Enter)
	x.until("what is wrong",
		`document.querySelector("main")?.textContent.includes("There is no text to read.") === true`)
}

// TestLoginInABrowser verifies that a browser logs in with the keyboard, is led to the page that it asked for, and out
// again, and that no script can see its session.
func TestLoginInABrowser(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef0123\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	root, host := serve(t, "--token-file", token, evidence)
	x := open(t, look{true, 360, true})
	x.goes(root + "/explain/pg:work_mem")
	x.run(there("#token"))
	x.fits()
	x.keep("login")
	x.run(at("#token"))
	x.press("wrong", kb.Enter)
	x.run(there("#wrong"), at("#token"))
	x.press("0123456789abcdef0123", kb.Enter)
	x.until("the page that was asked for",
		`location.pathname === "/explain/pg:work_mem" && document.querySelector("h1")?.textContent === "pg:work_mem"`)
	if c := eval[string](x, "document.cookie"); c != "" {
		t.Errorf("a script sees %q", c)
	}
	x.goes(root + "/login")
	x.run(at("button"))
	x.press(kb.Enter)
	x.run(there("#token"))
	x.goes(root + "/")
	x.run(there("#token"))
	x.mu.Lock()
	for _, w := range x.wrong {
		if !strings.Contains(w, "status of 401") { // what it is refused
			t.Error(w)
		}
	}
	x.wrong = nil
	x.mu.Unlock()
	x.quiet(host)
}
