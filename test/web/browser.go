// Package web holds the tests that open pages in a real browser: those of `pgfettle serve` and the file of `pgfettle
// report`. It is a separate module, so that the driver of the browser is no dependency of the program.
package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/pgfettle/pgfettle/test/await"
	"github.com/pgfettle/pgfettle/test/tier"
)

// patience ends a test whose page never comes to what is waited for.
const patience = await.Patience

// browser is one browser for all tests of the package.
var browser = sync.OnceValues(func() (context.Context, error) {
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		return nil, errors.New("no chromium is on the PATH")
	}
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"), // it finds only us
		chromedp.Flag("force-color-profile", "srgb"))
	if os.Geteuid() == 0 {
		o = append(o, chromedp.NoSandbox) // its sandbox refuses root
	}
	alloc, stop := chromedp.NewExecAllocator(context.Background(), o...)
	ctx, cancel := chromedp.NewContext(alloc)
	end = func() { cancel(); stop() }
	return ctx, chromedp.Do(ctx)
})

// end closes the browser.
var end = func() {}

// look is how a page is examined.
type look struct {
	Dark   bool
	Width  int64
	Script bool
}

func (l look) String() string {
	theme, script := "light", "script"
	if l.Dark {
		theme = "dark"
	}
	if !l.Script {
		script = "no script"
	}
	return fmt.Sprintf("%s, %d px, %s", theme, l.Width, script)
}

// tab is one tab of the browser, which notes what goes wrong in it.
type tab struct {
	whole context.Context // as long as the tab is there
	ctx   context.Context // as long as a test waits for it
	close context.CancelFunc
	t     *testing.T
	mu    sync.Mutex
	wrong []string
	asked []string // addresses
}

// open makes a tab.
func open(t *testing.T, l look) *tab {
	t.Helper()
	b, err := browser()
	if err != nil {
		tier.Missing(t, tier.Web, "%v", err)
	}
	x := &tab{t: t}
	whole, cancel := chromedp.NewContext(b, chromedp.WithListener(x.heard))
	t.Cleanup(cancel)
	x.whole, x.close = whole, cancel
	if err := chromedp.Do(whole); err != nil {
		t.Fatal(err)
	}
	x.belongs(t)
	theme := "light"
	if l.Dark {
		theme = "dark"
	}
	call(x, network.Enable, network.EnableParams{})
	call(x, log.Enable, cdp.Empty{})
	call(x, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: l.Width, Height: 900,
		DeviceScaleFactor: 1})
	call(x, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme},
			{Name: "prefers-reduced-motion", Value: "reduce"}}})
	call(x, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !l.Script})
	return x
}

// belongs gives the tab to a test, which knows nothing of what another has seen there. To make a tab for each page
// takes longer than the page.
func (x *tab) belongs(t *testing.T) {
	ctx, stop := context.WithTimeout(x.whole, patience)
	t.Cleanup(stop)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.t, x.ctx, x.wrong, x.asked = t, ctx, nil, nil
}

// call sends a command of the protocol.
func call[P, R any](x *tab, c cdp.Command[P, R], params P) {
	x.t.Helper()
	if _, err := chromedp.Call(x.ctx, c, params); err != nil {
		x.t.Fatal(err)
	}
}

// heard notes errors and requests.
func (x *tab) heard(e any) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventExceptionThrown:
		x.wrong = append(x.wrong, "an exception: "+e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
			x.wrong = append(x.wrong, fmt.Sprintf("the console has %s: %v", e.Type, e.Args))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			x.wrong = append(x.wrong, fmt.Sprintf("the log has %s: %s %s", e.Entry.Level, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		x.asked = append(x.asked, e.Request.URL)
	case *network.EventLoadingFailed:
		if !e.Canceled { // a stream that was left
			x.wrong = append(x.wrong, "not loaded: "+e.ErrorText)
		}
	}
}

func (x *tab) run(actions ...chromedp.Action[chromedp.Void]) {
	x.t.Helper()
	if err := chromedp.Do(x.ctx, actions...); err != nil {
		x.t.Fatal(err)
	}
}

// eval returns what an expression is in the page. The driver may ask also where
// the page itself may run nothing.
func eval[T any](x *tab, expression string) T {
	x.t.Helper()
	v, err := chromedp.Run(x.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		x.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// there is an element that a test waits for.
func there(css string) chromedp.Action[chromedp.Void] { return chromedp.WaitReady(chromedp.CSS(css)) }

// at moves to an element, as a click would.
func at(css string) chromedp.Action[chromedp.Void] { return chromedp.Focus(chromedp.CSS(css)) }

// goes opens a page.
func (x *tab) goes(address string) { x.t.Helper(); x.run(chromedp.Navigate(address)) }

// press presses keys.
func (x *tab) press(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		x.run(chromedp.KeyEvent(k))
	}
}

// until waits for an expression to be true.
func (x *tab) until(what, expression string) {
	x.t.Helper()
	for !eval[bool](x, expression) {
		select {
		case <-x.ctx.Done():
			x.t.Fatalf("%s never came", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// quiet verifies that nothing went wrong, and that only the one host was contacted.
func (x *tab) quiet(host string) {
	x.t.Helper()
	x.held(func(u *url.URL) bool { return u.Host == host })
}

// alone verifies that nothing went wrong, and that nothing but the one file was read.
func (x *tab) alone(file string) {
	x.t.Helper()
	x.held(func(u *url.URL) bool { u.Fragment = ""; return u.String() == file })
}

func (x *tab) held(may func(*url.URL) bool) {
	x.t.Helper()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, w := range x.wrong {
		x.t.Error(w)
	}
	for _, a := range x.asked {
		u, err := url.Parse(a)
		if err != nil || u.Scheme != "data" && u.Scheme != "about" && !may(u) {
			x.t.Errorf("it asked %s", a)
		}
	}
	x.wrong, x.asked = nil, nil
}

// fits verifies that the page is not wider than the screen.
func (x *tab) fits() {
	x.t.Helper()
	if wide := eval[string](x, `(() => {
		const most = document.documentElement.clientWidth;
		if (document.documentElement.scrollWidth <= most) return "";
		const out = [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > most + `+
		`1 && !e.closest(".scroll, .picture, pre"));
		return document.documentElement.scrollWidth + " px: " + out.slice(0, 5).map((e) => e.outerHTML.slice(0, `+
		`120)).join(" | ");
	})()`); wide != "" {
		x.t.Errorf("the page is wider than the screen: %s", wide)
	}
}

// keep writes a picture of the page into the directory that PGFETTLE_SCREENSHOTS names; nothing where it names none.
func (x *tab) keep(name string) {
	x.t.Helper()
	dir := os.Getenv("PGFETTLE_SCREENSHOTS")
	if dir == "" {
		return
	}
	b, err := chromedp.Run(x.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		x.t.Fatal(err)
	}
	name = strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '-' {
			return r
		}
		return '_'
	}, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		x.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name[:min(len(name), 100)]+".png"), b, 0o644); err != nil {
		x.t.Fatal(err)
	}
}
