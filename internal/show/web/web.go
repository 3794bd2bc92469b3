// Package web makes pages around documents: the document as a fragment that package html writes from its outline, the
// pictures of it, and what is the page's own, such as the first screen of a report, the navigation, and the steps that
// carry a plan out. A page is either one file that stands alone (mailed, printed, opened without a network) or one that
// `pgfettle serve` gives out; both are made of the same fragments.
//
// How it is used, and by which callers:
//
//	body, err := web.Check(doc, web.View{Words: words})       // a fragment: h2 and below
//	err = web.Write(w, web.Page{Title: "Check of db1", Lang: "en", Body: body, Standalone: true})
//
// What a document says is in its outline. A page's own part has a file of Go that says all words and builds a plain
// struct, and a template in templates/NAME.html that has the structure alone. Rules that tests of this package hold for
// every page, beside those of package html:
//
//   - nothing is loaded from a network, no script stands in the page: it works below "default-src 'none'" and the style
//     sheet alone;
//   - every picture has a table behind it, or what it shows in words beside it; every id is there once.
//
// Pictures: TimeChart and IntervalChart draw axes, and bars that end at a limit are drawn manually.
//
// Classes that fragments may use are documented at the head of assets/pgfettle.css.
package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/html"
)

//go:embed assets
var assets embed.FS

//go:embed templates/*.html
var templates embed.FS

//go:embed assets/pgfettle.css
var sheet string

// Page is one HTML page around fragments of this package.
type Page struct {
	Title      string         // the heading and the name of the page
	Lang       string         // of its texts: en, fr, ru; "" is en
	Nav        []Link         // to the other pages, or to sections of this one (#plan)
	Body       template.HTML  // made only by this package's own templates
	Standalone bool           // one file: the style sheet is in it, and nothing else is loaded
	Script     string         // path of a script, such as /assets/live.js; only of a served page
	Made       string         // last line: by what and when it was made; "" leaves it out
	Words      *say.Catalogue // of Lang, where they are at hand; nil: they are opened
	Languages  []Language     // links to this page in the languages that there are; only of a served page
}

// Language is a link to a page in one language.
type Language struct {
	Lang, Name string // "fr", "français"
	Href       string
	Current    bool // of this page
}

// Mark is in the head of every page: who finds it knows what made the file.
const Mark = `<meta name="generator" content="pgfettle">`

// Link is one entry of the navigation.
type Link struct {
	Href    string // "#plan" or "/plan"
	Text    string
	Current bool // this page
}

// View is how a fragment is written.
type View struct {
	Words   *say.Catalogue // the reader's language; nil is English
	ID      string         // before the names of pictures, where a page has several documents of one kind
	Explain string         // where pages of checks and knobs are, such as "/explain/"; "": there are none to link to
	level   int            // how much lower headings stand than in a separate document
	open    int            // parts of a document that stay open; 0: all
}

// Assets are the files of a served page, as they are below /assets/.
func Assets() fs.FS {
	sub, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the name is that of the embedded directory
	}
	return sub
}

// parsed are all templates; parsing them takes milliseconds, which commands that
// write no page need not pay.
var parsed = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").ParseFS(templates, "templates/*.html"))
})

// Write writes a page.
func Write(w io.Writer, p Page) error {
	if p.Lang == "" {
		p.Lang = say.English
	}
	if p.Standalone && p.Script != "" {
		return fmt.Errorf("web: the page %q stands alone and has a script", p.Title)
	}
	words, err := p.Words, error(nil)
	if words == nil {
		words, err = say.Open(p.Lang)
	}
	if err != nil {
		return fmt.Errorf("web: texts of %s: %w", p.Lang, err)
	}
	sum := sha256.Sum256([]byte(sheet))
	text, err := fragment("page", struct {
		Page
		Sheet        template.CSS
		Policy       string
		Skip, Places string
		Choice       string
	}{
		Page: p, Sheet: template.CSS(sheet),
		// The browser itself is instructed that this file loads nothing and runs nothing.
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; base-uri 'none'; form-action 'none'",
		Skip:   say.M("Skip to content").In(words),
		Places: say.M("Sections").In(words),
		Choice: say.M("Language").In(words),
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, string(text))
	return err
}

// Made is the last line of a page: the program, and when the facts were collected
// (in seconds since the epoch; 0 leaves it out).
func Made(version string, taken int64, v View) string {
	if taken == 0 {
		return "pgfettle " + version
	}
	return v.say("pgfettle {version}, facts of {time} UTC", "version", version, "time",
		time.Unix(taken, 0).UTC().Format(time.DateTime))
}

// fragment executes one template. What would act on the reader's screen instead of being seen is written as \xNN,
// wherever it came from.
func fragment(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := parsed().ExecuteTemplate(&b, name+".html", data); err != nil {
		return "", fmt.Errorf("web: %w", err)
	}
	return template.HTML(html.Seen(b.String())), nil
}

// say is a text of the faces in the reader's language; its id begins with show/.
func (v View) say(text say.Template, pairs ...any) string {
	return say.M(text, pairs...).In(v.Words)
}

// many is say about a number of things, {n}.
func (v View) many(n int, one, many say.Template, pairs ...any) string {
	return say.N(n, one, many, pairs...).In(v.Words)
}
