package web

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// pictures is where the pictures of README.md are, with a list of the texts that were on
// the pages when they were taken.
const pictures = "../../docs/pictures"

// TestPicturesAreCurrent holds that the pictures in README.md show the pages as they are now:
// each was taken of a page that had the same text. With PGFETTLE_PICTURES=take (make
// pictures) they are taken again. The picture of a page differs from machine to machine by its
// fonts, and so its text is what is compared.
func TestPicturesAreCurrent(t *testing.T) {
	name, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	proof := filepath.Join(dir, "proof.html")
	html, err := exec.Command(name, "prove", "--report", "../../docs/benchmarks/select-only-100,pgtune.json", "--format",
		"html").Output()
	if err == nil {
		err = os.WriteFile(proof, html, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	report := filepath.Join(dir, "report.html")
	if out, err := exec.Command(name, "report", "--no-policy", "-o", report, evidence).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root, _ := serve(t, evidence)
	take := os.Getenv("PGFETTLE_PICTURES") == "take"
	texts := map[string]string{}
	for picture, address := range map[string]string{"report": "file://" + report, "memory": root + "/memory",
		"proof": "file://" + proof} {
		x := open(t, look{Width: 1000, Script: true})
		x.goes(address)
		texts[picture] = fmt.Sprintf("%x", sha256.Sum256([]byte(eval[string](x, `document.body.innerText`))))
		if take {
			// What stands at the top is what a reader sees first: a screen of it.
			b, err := chromedp.Run(x.ctx, chromedp.CaptureScreenshot())
			if err == nil {
				err = os.WriteFile(filepath.Join(pictures, picture+".png"), b, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if info, err := os.Stat(filepath.Join(pictures, picture+".png")); err != nil || info.Size() < 10_000 {
			t.Errorf("there is no picture %s.png: make pictures", picture)
		}
		x.close()
	}
	var list strings.Builder
	for _, picture := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&list, "%s %s\n", picture, texts[picture])
	}
	file := filepath.Join(pictures, "texts.txt")
	if take {
		if err := os.WriteFile(file, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != list.String() {
		t.Errorf("the pages have changed since their pictures were taken (%v): make pictures\nhave:\n%swere:\n%s", err,
			list.String(), b)
	}
}
