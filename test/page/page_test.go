package page

import (
	"strings"
	"testing"
)

// TestProblemsAreFound verifies that each fault is seen, and that a page without one is not blamed.
func TestProblemsAreFound(t *testing.T) {
	const head = `<!doctype html><html lang="en"><head><title>x</title></head><body><main><h1>x</h1>`
	const tail = `</main></body></html>`
	for _, c := range []struct{ body, want string }{
		{`<p>plain</p><table><caption>c</caption><tbody><tr><th scope="row">a</th><td>1</td></tr></tbody></table>`, ""},
		{`<p id="a">x</p><a href="#a">to a</a><a href="https://www.postgresql.org/docs/">docs</a>`, ""},
		{`<svg role="img" aria-labelledby="t"><title id="t">name</title></svg>`, ""},
		{`<p style="color:red">x</p>`, "style attribute"},
		{`<p onclick="x()">x</p>`, "handler"},
		{`<script>x()</script>`, "script"},
		{`<img src="http://elsewhere/x.png" alt="x">`, "loaded"},
		{`<img src="/x.png">`, "alt"},
		{`<a href="javascript:x()">x</a>`, "link to"},
		{`<a href="//elsewhere/">x</a>`, "link to"},
		{`<a href="#nowhere">x</a>`, "not there"},
		{`<p id="a">x</p><p id="a">y</p>`, "2 times"},
		{`<table><tbody><tr><td>1</td></tr></tbody></table>`, "caption"},
		{`<table><caption>c</caption><tbody><tr><th>1</th></tr></tbody></table>`, "scope"},
		{`<svg><rect/></svg>`, "without role"},
		{`<h3>x</h3>`, "comes after"},
		{`<h1>x</h1>`, "headings of the first level"},
		{`<p>x<ul><li>y</li></ul></p>`, "may not"},
		{`<div><p>x</div></p>`, "not open"},
		{`<details><p>x</p></details>`, "summary"},
		{"<p>a\u202eb</p>", "acts unseen"},
		{`<iframe></iframe>`, "iframe"},
		{`<input name="ram">`, "label"},
		{`<style>@import "x";</style>`, "loads something"},
	} {
		got := strings.Join(Problems([]byte(head+c.body+tail), true), "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q, want %q", c.body, got, c.want)
		}
	}
	served := head +
		`<script src="/assets/x.js" defer></script><form action="/plan"><label>r <input name="r"></label></form>` + tail
	if got := Problems([]byte(served), false); len(got) != 0 {
		t.Errorf("a served page: %v", got)
	}
}
