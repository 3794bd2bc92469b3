package serve

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

//go:embed templates/*.html
var templates embed.FS

// parsed are the templates without a language: each has its own say, rich and word.
var parsed = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join, "lines": blocks,
	"pairs": pairs, "say": fmt.Sprint, "rich": fmt.Sprint, "word": fmt.Sprint, "link": link, "code": code,
	"moment": timeElement}).
	ParseFS(templates, "templates/*.html"))

// sheet is one page: a template of this package with its data, or fragments of
// the package web, in the shell that all pages have.
type sheet struct {
	Title  say.Message
	Here   string // the entry of the navigation that it belongs to
	Bare   bool   // without navigation
	Name   string // of the template; "": Body alone
	Data   any
	Body   template.HTML // after the template
	Script string
	Made   say.Message
}

// page writes a page.
func (s *Server) page(w http.ResponseWriter, r *http.Request, status int, p sheet) error {
	t := tongueOf(r)
	body := p.Body
	if p.Name != "" {
		head, err := t.piece(p.Name, p.Data)
		if err != nil {
			return err
		}
		body = html.Join(head, body)
	}
	if p.Made.IsZero() {
		p.Made = say.M("pgfettle {version}. These pages are read-only. To change something, run the commands shown.",
			"version", s.o.Version)
	}
	out := web.Page{Title: typeset.Line(t.Word(p.Title)), Lang: t.lang, Words: t.words, Body: body, Script: p.Script,
		Made: t.Word(p.Made), Languages: t.switches(r)}
	if !p.Bare {
		out.Nav = t.nav(p.Here)
		if s.in(r) {
			out.Nav = append(out.Nav, web.Link{Href: "/login", Text: t.Say("Log out")})
		}
	}
	var b bytes.Buffer
	if err := web.Write(&b, out); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", t.lang)
	w.WriteHeader(status)
	_, err := w.Write(b.Bytes())
	return gone(err)
}

// piece executes one template of this package.
func (t *tongue) piece(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := t.pieces.ExecuteTemplate(&b, name+".html", data); err != nil {
		return "", fmt.Errorf("page %s: %w", name, err)
	}
	return template.HTML(html.Seen(b.String())), nil
}

// problem is what a reader gets instead of a page.
type problem struct {
	status int
	what   say.Message // a sentence
	hint   say.Message
}

func (p *problem) Error() string { return p.what.English() }

// errGone is a reader who left: there is no one to report to.
var errGone = errors.New("the reader went away")

func gone(err error) error {
	if err != nil {
		return errGone
	}
	return nil
}

// fail answers with the page of an error.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var p *problem
	var told *say.Problem
	t, title := tongueOf(r), say.M("Not found")
	switch {
	case errors.Is(err, errGone) || r.Context().Err() != nil:
		return
	case errors.As(err, &p):
	case errors.Is(err, context.DeadlineExceeded):
		p = &problem{http.StatusGatewayTimeout, say.M("The host could not be looked at within {longest}.", "longest",
			say.Span(longest.Seconds())),
			say.M("'pgfettle check' on the host waits longer and shows what it waits for.")}
	case errors.As(err, &told):
		p = &problem{http.StatusServiceUnavailable, say.OfError(told), told.Hint}
		s.tell(r.URL.Path + ": " + err.Error())
	default:
		p = &problem{http.StatusInternalServerError, say.OfError(err),
			say.M("The standard error of 'pgfettle serve' also reports it.")}
		s.tell(r.URL.Path + ": " + err.Error())
	}
	switch {
	case p.status >= 500:
		title = say.M("Currently unavailable")
		w.Header().Set("Retry-After", "5")
	case p.status == http.StatusTooManyRequests:
		title = say.M("Currently unavailable")
		w.Header().Set("Retry-After", "5")
	case p.status != http.StatusNotFound:
		title = say.M("Invalid request")
	}
	if err := s.page(w, r, p.status, sheet{Title: title, Name: "problem",
		Data: map[string]any{"What": sentence(t.Word(p.what)),
			"Hint": typeset.Capital(typeset.Line(t.Word(p.hint)))}}); err != nil && !errors.Is(err, errGone) {
		s.tell(err.Error())
	}
}

// sentence makes one of a clause.
func sentence(s string) string {
	s = typeset.Line(s)
	if s == "" {
		return s
	}
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return typeset.Capital(s)
}

// plainly answers a program, or a browser that asks for no page, in one line.
func plainly(w http.ResponseWriter, r *http.Request, status int, what say.Message) error {
	t := tongueOf(r)
	w.Header().Set("Content-Language", t.lang)
	return text(w, status, "pgfettle: "+t.Word(what)+"\n")
}

func text(w http.ResponseWriter, status int, what string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, err := io.WriteString(w, what)
	return gone(err)
}

// asOf says how old what a page shows is: when its facts were taken, which of an
// evidence file may be long ago.
func (s *Server) asOf(taken int64, took time.Duration) say.Message {
	if taken == 0 {
		return say.M("pgfettle {version}.", "version", s.o.Version)
	}
	return say.M("Collected at {time} in {took}. pgfettle {version}.", "time", s.taken(taken), "took", lasted(took),
		"version", s.o.Version)
}

// lasted is how long something took.
func lasted(d time.Duration) say.Number {
	if d < 10*time.Second {
		return say.Number(fmt.Sprintf("%.2g s", d.Seconds()))
	}
	return say.Number(fmt.Sprintf("%.0f s", d.Seconds()))
}

// taken is the time of facts, in the zone of this host; "" if it is not known.
func (s *Server) taken(seconds int64) string {
	if seconds == 0 {
		return ""
	}
	return time.Unix(seconds, 0).In(s.o.Now().Location()).Format("2006-01-02 15:04:05 -07:00")
}
