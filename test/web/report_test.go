package web

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestReportInABrowser verifies that the file of `pgfettle report` is self-contained: it makes no requests, in both
// themes, on a phone, without script, and with the keyboard what is folded can be unfolded.
func TestReportInABrowser(t *testing.T) {
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if out, err := exec.Command(name, "report", "--no-policy", "-o", file, "--experiment",
		filepath.Join(measured(t), "20261121-100000"), evidence).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	grounds := map[bool]string{}
	for _, l := range []look{{false, 1200, true}, {true, 360, true}, {false, 360, false}} {
		x := open(t, l)
		x.goes("file://" + file)
		if n := eval[int](x, `document.querySelectorAll("main h1").length`); n != 1 {
			t.Fatalf("%s: %d headings", l, n)
		}
		x.fits()
		x.keep("report-" + l.String())
		grounds[l.Dark] = eval[string](x, `getComputedStyle(document.body).backgroundColor`)
		if l.Width > 1000 {
			x.press(kb.Tab, kb.Enter)
			x.until("the content", `location.hash === "#main"`)
			if eval[int](x, `document.querySelectorAll("main details:not([open]) > summary").length`) == 0 {
				t.Error("nothing is folded")
			} else {
				eval[bool](x,
					`(window.folded = document.querySelector("main `+
						`details:not([open])")).querySelector("summary").focus() ?? true`)
				x.press(kb.Enter)
				if !eval[bool](x, `window.folded.open`) {
					t.Error("Enter unfolds nothing")
				}
			}
		}
		x.alone("file://" + file)
		x.close()
	}
	if grounds[true] == grounds[false] {
		t.Errorf("both themes have the ground %q", grounds[true])
	}
}
