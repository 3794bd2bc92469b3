package serve

import (
	"context"
	"html/template"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/language"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

const (
	// langCookie keeps the language that a reader has chosen, for langKept.
	langCookie = "lang"
	langKept   = 365 * 24 * time.Hour
	// langPath is where the choice is made. It reveals nothing about the host, so it is open like the login.
	langPath = "/language"
	// mostAccept bounds what is parsed of a browser's languages.
	mostAccept = 1 << 10
)

// tongue is a language of the pages: their texts are in its words, and their templates are executed in it. What the
// server keeps for all readers is in none.
type tongue struct {
	outline.Words
	lang   string
	words  *say.Catalogue
	pieces *template.Template
}

// ownNames are the languages as who speaks them calls them.
var ownNames = map[string]string{"en": "English", "fr": "français", "ru": "русский"}

// tongues are those of all languages, each made when it is first asked for: a catalog takes a while to read.
var tongues = func() map[string]func() *tongue {
	out := map[string]func() *tongue{}
	for _, lang := range say.Languages() {
		out[lang] = sync.OnceValue(func() *tongue {
			c, err := say.Open(lang)
			if err != nil {
				panic(err) // the catalogs are embedded, and a test of say reads them
			}
			t := &tongue{Words: outline.WordsIn(c), lang: lang, words: c}
			t.pieces = template.Must(parsed.Clone()).Funcs(t.funcs())
			return t
		})
	}
	return out
}()

// spoken are the languages as a browser names them.
var spoken = func() (out []language.Tag) {
	for _, lang := range say.Languages() {
		out = append(out, language.Make(lang))
	}
	return out
}()

var matcher = language.NewMatcher(spoken)

// accepted is the language that a browser asks for, of those that there are: the first by weight. "" is none.
func accepted(header string) string {
	if header == "" || len(header) > mostAccept {
		return ""
	}
	list, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return ""
	}
	for _, want := range list {
		// A language that is only near to one of ours is another one, which its reader may not know.
		if _, i, near := matcher.Match(want); near >= language.High {
			return say.Languages()[i]
		}
	}
	return ""
}

// langOf is the language of a request: what its reader has chosen here, else what --lang says, else what the browser
// asks for, else that of the server.
func (s *Server) langOf(r *http.Request) string {
	if c, err := r.Cookie(langCookie); err == nil && tongues[c.Value] != nil {
		return c.Value
	}
	own := say.English
	if s.o.Words != nil {
		own = s.o.Words.Lang
	}
	if !s.o.Fixed {
		if lang := accepted(r.Header.Get("Accept-Language")); lang != "" {
			return lang
		}
	}
	return own
}

type tongueKey struct{}

// speaking returns a request that has its language.
func (s *Server) speaking(r *http.Request) *http.Request {
	t := tongues[say.English]
	if chosen, ok := tongues[s.langOf(r)]; ok {
		t = chosen
	}
	return r.WithContext(context.WithValue(r.Context(), tongueKey{}, t()))
}

// tongueOf is the language of a request.
func tongueOf(r *http.Request) *tongue {
	if t, ok := r.Context().Value(tongueKey{}).(*tongue); ok {
		return t
	}
	return tongues[say.English]()
}

// view is how fragments are written on these pages.
func (t *tongue) view() web.View { return web.View{Words: t.words, Explain: "/explain/"} }

// language takes the choice of a reader, and leads back to where it was made.
func (s *Server) language(w http.ResponseWriter, r *http.Request) error {
	said := r.URL.Query()
	if lang := said.Get("lang"); tongues[lang] != nil {
		c := s.cookie(r)
		c.Name, c.Value, c.MaxAge = langCookie, lang, int(langKept/time.Second)
		http.SetCookie(w, c)
	}
	http.Redirect(w, r, localPath(said.Get("next")), http.StatusSeeOther)
	return nil
}

// switches are the links to a page in the other languages, and in its own.
func (t *tongue) switches(r *http.Request) []web.Language {
	next := here(r)
	var out []web.Language
	for _, lang := range say.Languages() {
		v := url.Values{"lang": {lang}, "next": {next}}
		out = append(out, web.Language{Lang: lang, Name: ownNames[lang], Href: langPath + "?" + v.Encode(),
			Current: lang == t.lang})
	}
	return out
}

// here is the address that a page is asked for again by. A token that is in one is not handed on.
func here(r *http.Request) string {
	switch r.URL.Path {
	case "/login":
		next := localRedirect(r.URL.Query().Get("next"))
		if next == "/" {
			return "/login"
		}
		return "/login?" + url.Values{"next": {next}}.Encode()
	case langPath:
		return "/"
	}
	next := r.URL.RequestURI()
	if len(url.QueryEscape(next)) > mostQuery-len("lang=en&next=") { // the guard would refuse it
		next = r.URL.EscapedPath()
	}
	return localPath(next)
}

// funcs are what templates say.
func (t *tongue) funcs() template.FuncMap {
	return template.FuncMap{
		"say":  func(text say.Template, pairs ...any) string { return t.Say(text, pairs...) },
		"rich": func(text say.Template, pairs ...any) template.HTML { return t.rich(say.M(text, pairs...)) },
		"word": func(m say.Message) string { return m.In(t.words) },
		"link": link, "code": code, "moment": timeElement,
	}
}

// link is one within a sentence.
func link(href, text string) template.HTML {
	return template.HTML(`<a href="` + template.HTMLEscapeString(href) + `">` +
		template.HTMLEscapeString(text) + `</a>`)
}

// code is a command within a sentence.
func code(text string) template.HTML {
	return template.HTML("<code>" + template.HTMLEscapeString(text) + "</code>")
}

// timeElement is a time, for programs too.
func timeElement(at, text string) template.HTML {
	return template.HTML(`<time datetime="` + template.HTMLEscapeString(at) + `">` + template.HTMLEscapeString(text) +
		`</time>`)
}

// rich formats a message with some HTML arguments. Those are inserted by number after everything else was escaped: no
// untrusted text can pass for one.
func (t *tongue) rich(m say.Message) template.HTML {
	var marked []template.HTML
	m.Args = maps.Clone(m.Args)
	for name, v := range m.Args {
		if h, ok := v.(template.HTML); ok {
			m.Args[name] = "\x02" + strconv.Itoa(len(marked)) + "\x03"
			marked = append(marked, h)
		}
	}
	text := template.HTMLEscapeString(m.In(t.words))
	for i, h := range marked {
		text = strings.ReplaceAll(text, "\x02"+strconv.Itoa(i)+"\x03", string(h))
	}
	return template.HTML(text)
}

// pieceTexts are the texts of the templates: here translators' tools find them, and a test holds that none is missing.
var pieceTexts = []say.Template{
	"(required)",
	"All findings with details and remedies",
	"As of {time}.",
	"Charts",
	"Current memory use by process: {memory}.",
	"Each file states its location and the command that applies it. This page changes nothing.",
	"Events",
	"Files to copy",
	"Findings",
	"Instance",
	"Kept up to date.",
	"Last day with data",
	"Log in",
	"Log out",
	"Memory",
	"Memory budget",
	"Memory, kernel, and server settings for a host that you describe, each value with its reason. You " +
		"can share the address of the result.",
	"More about the host",
	"No directory of experiments was specified. 'pgfettle prove' compares two configurations under load, " +
		"with a confidence interval, and writes a directory for each experiment. Specify their parent " +
		"directory:",
	"No findings.",
	"No name or title contains this text. {all}",
	"No plan could be made: {why}",
	"No plan was made: see the marked field.",
	"No setting differs between {from} and {to}.",
	"No settings had been recorded by then.",
	"Older ones are omitted.",
	"On this host",
	"Other formats",
	"Overview",
	"Paste a ticket, an email, command output, logs, or settings of another host. The result shows which " +
		"parts were recognized, and what follows from them: findings, OOM kills, problems in the server log, " +
		"and a plan. The text is not stored.",
	"Pause",
	"Paused.",
	"Show the plan",
	"Recalculate",
	"Read",
	"Read another text",
	"Reset to the defaults",
	"Results of 'pgfettle prove' and 'pgfettle bench', newest first.",
	"Resume",
	"Search",
	"See also",
	"Settings that differ between these times",
	"Show",
	"Show all",
	"Sources",
	"Text",
	"The connection was lost; reconnecting.",
	"The directory has no experiments yet. To run one, for example:",
	"The same on the command line",
	"The same on the host, and the command that applies it after confirmation:",
	"The server has stopped.",
	"The time is invalid: see the marked field.",
	"There is no data for this time range. The history spans {first} to {end}. {last}",
	"These pages show the configuration of a host to users who have its token. The token is in the " +
		"address that 'pgfettle serve' printed at startup, or in the file that it named.",
	"Time range",
	"To record it as a service that starts with the host, enable {unit}.",
	"To record one, run:",
	"Token",
	"Unavailable facts",
	"Updates stopped: the server does not respond, or too many pages are open.",
	"Workload",
	"You are logged in.",
	"location",
	"then",
	"up to {most}, such as the output of free, lscpu, /proc/meminfo, SHOW ALL, pg_settings, " +
		"pg_controldata, dmesg, or journalctl",
	"{again}. The same from files: {read}, then {report}.",
	"{from} to {to}. {settings}",
}
