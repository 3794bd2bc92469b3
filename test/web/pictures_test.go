package web

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPicturesAreCurrent verifies that the pictures in README.md show the pages as they are now: a report, the memory
// of a host, a proof, as the goldens of the pages hold them. The list beside the pictures has a hash of each page that
// was photographed, as the pictures themselves differ by the fonts of a machine. With PGFETTLE_PICTURES=take (make
// pictures) they are taken again.
func TestPicturesAreCurrent(t *testing.T) {
	const pictures, web = "../../docs/pictures", "../../internal/show/web"
	style, err := os.ReadFile(web + "/assets/pgfettle.css")
	if err != nil {
		t.Fatal(err)
	}
	take := os.Getenv("PGFETTLE_PICTURES") == "take"
	var list strings.Builder
	for _, p := range []struct{ name, golden string }{{"memory", "memory/many_connections"},
		{"proof", "prove/improved"}, {"report", "report/whole"}} {
		b, err := os.ReadFile(web + "/testdata/" + p.golden + ".html")
		if err != nil {
			t.Fatal(err)
		}
		const link = `<link rel="stylesheet" href="/assets/pgfettle.css">`
		page := strings.Replace(string(b), link, "<style>"+string(style)+"</style>", 1)
		if !strings.Contains(string(b), link) {
			t.Fatalf("%s has no style sheet", p.golden)
		}
		fmt.Fprintf(&list, "%s %x\n", p.name, sha256.Sum256([]byte(page)))
		picture := filepath.Join(pictures, p.name+".png")
		if take {
			file := filepath.Join(t.TempDir(), p.name+".html")
			if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
			x := open(t, look{Width: 1000, Script: true})
			x.goes("file://" + file)
			shot, err := chromedp.Run(x.ctx, chromedp.CaptureScreenshot())
			if err == nil {
				err = os.WriteFile(picture, shot, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			x.close()
		}
		if info, err := os.Stat(picture); err != nil || info.Size() < 10_000 {
			t.Errorf("there is no picture %s: make pictures", picture)
		}
	}
	file := filepath.Join(pictures, "pages.txt")
	if take {
		if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != list.String() {
		t.Errorf("the pages have changed since their pictures were taken (%v): make pictures\nnow:\n%sthen:\n%s", err,
			list.String(), b)
	}
}
