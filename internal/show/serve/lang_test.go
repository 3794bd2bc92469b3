package serve

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template/parse"
	"time"

	"golang.org/x/net/html"

	"github.com/pgfettle/pgfettle/internal/base/say"
	diagmemory "github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/test/page"
)

// said are the constants that the templates of this package say.
func said(n parse.Node, found map[string]bool) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n != nil {
			for _, x := range n.Nodes {
				said(x, found)
			}
		}
	case *parse.ActionNode:
		said(n.Pipe, found)
	case *parse.TemplateNode:
		said(n.Pipe, found)
	case *parse.IfNode:
		said(&n.BranchNode, found)
	case *parse.RangeNode:
		said(&n.BranchNode, found)
	case *parse.WithNode:
		said(&n.BranchNode, found)
	case *parse.BranchNode:
		said(n.Pipe, found)
		said(n.List, found)
		said(n.ElseList, found)
	case *parse.PipeNode:
		if n != nil {
			for _, c := range n.Cmds {
				said(c, found)
			}
		}
	case *parse.CommandNode:
		if f, ok := n.Args[0].(*parse.IdentifierNode); ok && (f.Ident == "say" || f.Ident == "rich") {
			found[n.Args[1].(*parse.StringNode).Text] = true
		}
		for _, a := range n.Args {
			said(a, found)
		}
	}
}

// TestPieceTexts verifies that the texts of templates are those that translators are given, and that no template has
// words of its own.
func TestPieceTexts(t *testing.T) {
	found := map[string]bool{}
	code := regexp.MustCompile(`(?s)<(pre|code)\b.*?</(pre|code)>|<[^>]*>|{{.*?}}`)
	for _, p := range parsed.Templates() {
		if p.Tree == nil {
			continue
		}
		said(p.Tree.Root, found)
		b, err := templates.ReadFile("templates/" + p.Name())
		if err != nil {
			t.Fatal(err)
		}
		actions := regexp.MustCompile(`{{.*?}}`).ReplaceAllString(string(b), "")
		for _, words := range []string{code.ReplaceAllString(actions, " ")} {
			if m := regexp.MustCompile(`[A-Za-z]{2,}`).FindString(words); m != "" {
				t.Errorf("%s says %q, which has no other language", p.Name(), m)
			}
		}
	}
	for _, text := range pieceTexts {
		if !found[string(text)] {
			t.Errorf("no template says %q", text)
		}
		delete(found, string(text))
	}
	for text := range found {
		t.Errorf("%q is not in the list", text)
	}
}

// visible is the text of a page that a person reads or hears, except for what is marked as of another language and for
// what is no prose.
func visible(t testing.TB, doc string) string {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var read func(*html.Node)
	read = func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data + "\n")
		}
		for _, a := range n.Attr {
			switch {
			case a.Key == "lang" && n.Data != "html":
				return
			case a.Key == "aria-label", strings.HasPrefix(a.Key, "data-"):
				b.WriteString(a.Val + "\n")
			}
		}
		if n.Data == "code" || n.Data == "script" || n.Data == "style" {
			return
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			read(c)
		}
	}
	read(tree)
	return b.String()
}

// ownTexts are the texts of this package and of package web that are of two words or more, as they begin before
// their first argument.
func ownTexts(t testing.TB, lang string) []string {
	t.Helper()
	c, err := say.Open(lang)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("../../base/say/catalogue/" + lang + ".po")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for entry := range strings.SplitSeq(string(b), "\n\n") {
		in, rest, _ := strings.Cut(entry, "\n")
		text, ok := strings.CutPrefix(rest, "msgid ")
		if !ok || !strings.Contains(in, "show/serve") && !strings.Contains(in, "show/web") {
			continue
		}
		text, _, _ = strings.Cut(text, "\n")
		if text, err = strconv.Unquote(text); err != nil {
			t.Fatal(err)
		}
		own[text] = true
	}
	var out []string
	for _, e := range c.Entries {
		if !own[e.English] {
			continue
		}
		for _, english := range []string{e.English, e.Many} {
			if slices.Contains(e.Forms, english) { // the same in both
				continue
			}
			for _, part := range regexp.MustCompile(`{[^}]*}`).Split(english, -1) {
				// Shorter ones are in reasons of unknown facts and in stored events too, which are data here.
				if part = strings.Trim(part, " .,:;()"); len(strings.Fields(part)) >= 2 && len(part) > len("the host") {
					out = append(out, part)
				}
			}
		}
	}
	return out
}

// TestPagesInOtherLanguages verifies that each page is in the language that the browser asks for, and has no English of
// its own.
func TestPagesInOtherLanguages(t *testing.T) {
	history := sampled(t)
	h, _ := started(t, func(o *Options) { o.History, o.Now = history, func() time.Time { return ended } })
	paths := []string{"/nothing", "/plan?connections=many", "/plan/for/conf", "/history?range=2w", "/history?range=1y",
		"/history/settings?from=2026-11-20T12:00&to=2026-11-20T14:00"}
	for path := range allPages {
		paths = append(paths, path)
	}
	for _, lang := range []string{"fr", "ru"} {
		texts := ownTexts(t, lang)
		if len(texts) < 100 {
			t.Fatalf("%s: only %d texts", lang, len(texts))
		}
		for _, path := range paths {
			r := send(t, http.MethodGet, h.URL+path, map[string]string{"Accept-Language": lang}, "")
			if !strings.Contains(r.body, `<html lang="`+lang+`">`) || r.Header.Get("Content-Language") != lang ||
				r.Header.Get("Vary") != "Accept-Language, Cookie" {
				t.Errorf("%s %s: %v", lang, path, r.Header)
			}
			seen := visible(t, r.body)
			for _, text := range texts {
				if i := strings.Index(seen, text); i >= 0 && regexp.MustCompile(`(^|[^\pL])`+
					regexp.QuoteMeta(text)+`($|[^\pL])`).MatchString(seen) {
					t.Errorf("%s %s has %q: %q", lang, path, text, seen[max(i-60, 0):min(i+80, len(seen))])
				}
			}
			for _, p := range page.Problems([]byte(r.body), false) {
				t.Errorf("%s %s: %s", lang, path, p)
			}
		}
	}
}

// TestLanguageOfRequest holds what chooses the language of a page: a cookie, --lang, the browser, in this order.
func TestLanguageOfRequest(t *testing.T) {
	french, err := say.Open("fr")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		accept, cookie string
		words          *say.Catalogue
		fixed          bool
		want           string
	}{
		{"", "", nil, false, "en"},
		{"fr", "", nil, false, "fr"},
		{"fr-CA,fr;q=0.9,en;q=0.8", "", nil, false, "fr"},
		{"en;q=0.5, ru;q=0.8, fr;q=0.3", "", nil, false, "ru"},
		{"fr;q=0, ru;q=0.1", "", nil, false, "ru"},
		{"de, fr;q=0.4, en;q=0.2", "", nil, false, "fr"},
		{"uk, de", "", nil, false, "en"}, // Russian is near, and another language
		{"de", "", french, false, "fr"},
		{"en-GB", "", french, false, "en"},
		{"", "", french, true, "fr"},
		{"ru", "", french, true, "fr"},
		{"ru", "", nil, true, "en"},
		{"ru", "en", french, true, "en"},
		{"ru", "fr", nil, false, "fr"},
		{"ru", "../x", nil, false, "ru"},
		{"ru", "xx", nil, false, "ru"},
		{"ru", strings.Repeat("fr", 5<<10), nil, false, "ru"},
		{strings.Repeat("fr,", 1<<10), "", nil, false, "en"},
		{"\"><script>;q=x", "", nil, false, "en"},
		{"*", "", nil, false, "en"},
	} {
		s, cancel := built(t, func(o *Options) { o.Words, o.Fixed = c.words, c.fixed })
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept-Language", c.accept)
		if c.cookie != "" {
			r.Header.Set("Cookie", langCookie+"="+c.cookie)
		}
		if got := s.langOf(r); got != c.want {
			t.Errorf("%.40q, cookie %.40q: %s, want %s", c.accept, c.cookie, got, c.want)
		}
		cancel()
	}
}

// TestSwitch verifies that every page, that of the login too, leads to itself in each language, by a cookie that
// nothing but a request of a page can use, and that no address leads elsewhere.
func TestSwitch(t *testing.T) {
	at, _ := closed(t, nil)
	r := get(t, at+"/plan?profile=oltp")
	for _, want := range []string{
		`<a href="/language?lang=fr&amp;next=%2Fplan%3Fprofile%3Doltp" lang="fr" ` +
			`hreflang="fr" rel="nofollow">français</a>`,
		`lang="en" hreflang="en" rel="nofollow" aria-current="true">English</a>`, "русский"} {
		if r.StatusCode != http.StatusUnauthorized || !strings.Contains(r.body, want) {
			t.Fatalf("%s: it lacks %s:\n%s", r.Status, want, r.body)
		}
	}
	r = get(t, at+"/language?lang=fr&next=%2Fplan%3Fprofile%3Doltp")
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != "/plan?profile=oltp" ||
		len(r.Cookies()) != 1 {
		t.Fatalf("%s %v", r.Status, r.Header)
	}
	c := r.Cookies()[0]
	if c.Name != "lang" || c.Value != "fr" || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" ||
		c.MaxAge <= 0 {
		t.Errorf("%+v", c)
	}
	in := send(t, http.MethodGet, at+"/login", map[string]string{"Cookie": "lang=fr", "Accept-Language": "ru"}, "")
	if !strings.Contains(in.body, `<html lang="fr">`) {
		t.Errorf("it is not in French: %s", in.body)
	}
	for next, want := range map[string]string{
		"//evil.example": "/", "https://evil.example/": "/", `/\evil.example`: "/", "/%2fevil.example": "/",
		"javascript:alert(1)": "/", "": "/", "/x\r\nSet-Cookie: a=b": "/", "../x": "/", "/language?lang=ru": "/",
		"/login?next=%2Fplan": "/login?next=%2Fplan", "/history?range=7d": "/history?range=7d",
	} {
		r := get(t, at+"/language?"+url.Values{"lang": {"ru"}, "next": {next}}.Encode())
		if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != want {
			t.Errorf("%q leads to %q: %s", next, r.Header.Get("Location"), r.Status)
		}
	}
	for _, lang := range []string{"../x", "xx", "", "fr\r\nX: y", strings.Repeat("x", 3000)} {
		r := get(t, at+"/language?"+url.Values{"lang": {lang}, "next": {"/plan"}}.Encode())
		if r.StatusCode != http.StatusSeeOther || len(r.Cookies()) != 0 {
			t.Errorf("%.20q: %s %v", lang, r.Status, r.Cookies())
		}
	}
	other := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
		"Sec-Fetch-Dest": "document"}
	if r := send(t, http.MethodGet, at+"/language?lang=fr", other, ""); r.StatusCode != http.StatusForbidden ||
		len(r.Cookies()) != 0 {
		t.Errorf("from another site: %s", r.Status)
	}
	// A wrong token in an address is not handed on.
	if r := get(t, at+"/login?token=wrong&next=%2Fplan"); strings.Contains(r.body, "wrong&") ||
		strings.Contains(r.body, "token%3D") || !strings.Contains(r.body, "next=%2Flogin%3Fnext%3D%252Fplan") {
		t.Errorf("the switch has the token: %s", r.body)
	}
	long := get(t, at+"/plan?profile="+strings.Repeat("%22", 1200))
	if !strings.Contains(long.body, `lang=fr&amp;next=%2Fplan"`) {
		t.Errorf("the switch of a long address: %.300s", long.body)
	}
}

// TestReadersOfTwoLanguages verifies that what is kept for all readers is shown to each in their language, on pages and
// in streams.
func TestReadersOfTwoLanguages(t *testing.T) {
	looks := 0
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	h, s := started(t, func(o *Options) {
		o.Now, o.Context = newClock().now, ctx // it stands still: one look is kept
		memory := stubbed(o).memory
		stubbed(o).memory = func(ctx context.Context) (*diagmemory.Report, error) {
			looks++
			return memory(ctx)
		}
	})
	s.streamEvery = time.Millisecond
	texts := map[string]string{}
	for range 2 {
		for _, lang := range []string{"fr", "ru", "en"} {
			r := send(t, http.MethodGet, h.URL+"/memory", map[string]string{"Cookie": "lang=" + lang}, "")
			if have, ok := texts[lang]; ok && have != visible(t, r.body) {
				t.Errorf("%s: the page is another one the second time", lang)
			}
			texts[lang] = visible(t, r.body)
		}
	}
	if looks != 1 || texts["fr"] == texts["ru"] || texts["fr"] == texts["en"] || texts["ru"] == texts["en"] {
		t.Errorf("%d looks; %v", looks, texts)
	}
	french := openedIn(t, h.URL+"/memory/events", "fr")
	russian := openedIn(t, h.URL+"/memory/events", "ru")
	_, fr := french.next()
	_, ru := russian.next()
	m, err := s.memory.get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for lang, got := range map[string]string{"fr": fr["html"], "ru": ru["html"]} {
		if want, err := s.part(m.value, tongues[lang]()); err != nil || got != string(want) {
			t.Errorf("%s: %v: %s", lang, err, got)
		}
	}
	if looks != 1 {
		t.Errorf("%d looks", looks)
	}
}

// FuzzAccepted verifies that whatever a browser asks for is one of the languages, or none.
func FuzzAccepted(f *testing.F) {
	for _, s := range []string{"fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5", "ru;q=2", "x-klingon", "fr;q=0",
		"-,;=q", "en_US"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if lang := accepted(header); lang != "" && tongues[lang] == nil {
			t.Errorf("%q is answered in %q", header, lang)
		}
	})
}
