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

var parsed = template.Must(template.New("").Funcs(template.FuncMap{"join": strings.Join, "lines": blocks,
	"pairs": pairs}).ParseFS(templates, "templates/*.html"))

// sheet is one page: a template of this package with its data, or fragments of
// the package web, in the shell that all pages have.
type sheet struct {
	Title  string
	Here   string // the entry of the navigation that it belongs to
	Bare   bool   // without navigation
	Name   string // of the template; "": Body alone
	Data   any
	Body   template.HTML // after the template
	Script string
	Made   string
}

// places are the entries of the navigation.
var places = []web.Link{
	{Href: "/", Text: "Overview"}, {Href: "/findings", Text: "Findings"}, {Href: "/plan", Text: "Plan"},
	{Href: "/plan/for", Text: "Plan for another host"},
	{Href: "/memory", Text: "Memory"}, {Href: "/history", Text: "History"}, {Href: "/experiments", Text: "Experiments"},
	{Href: pastePath, Text: "Read a paste"}, {Href: "/explain", Text: "Explain"},
}

// page writes a page.
func (s *Server) page(w http.ResponseWriter, r *http.Request, status int, p sheet) error {
	body := p.Body
	if p.Name != "" {
		head, err := piece(p.Name, p.Data)
		if err != nil {
			return err
		}
		body = html.Join(head, body)
	}
	out := web.Page{Title: p.Title, Body: body, Script: p.Script, Made: p.Made}
	if s.o.Words != nil {
		out.Lang = s.o.Words.Lang
	}
	if out.Made == "" {
		out.Made = "pgfettle " + s.o.Version + ". This page reads only; what changes something is a command to type."
	}
	if !p.Bare {
		for _, l := range places {
			l.Current = l.Href == p.Here
			out.Nav = append(out.Nav, l)
		}
		if s.in(r) {
			out.Nav = append(out.Nav, web.Link{Href: "/login", Text: "Log out"})
		}
	}
	var b bytes.Buffer
	if err := web.Write(&b, out); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, err := w.Write(b.Bytes())
	return gone(err)
}

// piece carries out one template of this package.
func piece(name string, data any) (template.HTML, error) {
	var b bytes.Buffer
	if err := parsed.ExecuteTemplate(&b, name+".html", data); err != nil {
		return "", fmt.Errorf("page %s: %w", name, err)
	}
	return template.HTML(html.Seen(b.String())), nil
}

// problem is what a reader is told instead of a page.
type problem struct {
	status int
	what   say.Message // a sentence
	hint   say.Message
}

func (p *problem) Error() string { return p.what.English() }

// errGone is a reader who went away: there is nobody to tell.
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
	title := "Not there"
	switch {
	case errors.Is(err, errGone) || r.Context().Err() != nil:
		return
	case errors.As(err, &p):
	case errors.Is(err, context.DeadlineExceeded):
		p = &problem{http.StatusGatewayTimeout, say.M("The host could not be looked at within {longest}.", "longest",
			longest),
			say.M("'pgfettle check' on the host waits longer and shows what it waits for.")}
	case errors.As(err, &told):
		p = &problem{http.StatusServiceUnavailable, say.OfError(told), told.Hint}
		s.tell(r.URL.Path + ": " + err.Error())
	default:
		p = &problem{http.StatusInternalServerError, say.OfError(err),
			say.M("The standard error of 'pgfettle serve' tells of it too.")}
		s.tell(r.URL.Path + ": " + err.Error())
	}
	switch {
	case p.status >= 500:
		title = "Not possible now"
		w.Header().Set("Retry-After", "5")
	case p.status == http.StatusTooManyRequests:
		title = "Not possible now"
		w.Header().Set("Retry-After", "5")
	case p.status != http.StatusNotFound:
		title = "Not understood"
	}
	if err := s.page(w, r, p.status, sheet{Title: title, Name: "problem",
		Data: map[string]any{"What": sentence(p.what.In(s.o.Words)),
			"Hint": typeset.Capital(typeset.Line(p.hint.In(s.o.Words)))}}); err != nil && !errors.Is(err, errGone) {
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
	return strings.ToUpper(s[:1]) + s[1:]
}

func text(w http.ResponseWriter, status int, what string) error {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, err := io.WriteString(w, what)
	return gone(err)
}

// asOf says how old what a page shows is: when its facts were taken, which of an
// evidence file may be long ago.
func (s *Server) asOf(taken int64, took time.Duration) string {
	if taken == 0 {
		return "pgfettle " + s.o.Version + "."
	}
	return fmt.Sprintf("Facts of %s; the look took %s. pgfettle %s.", s.taken(taken), took.Round(time.Millisecond),
		s.o.Version)
}

// taken is the time of facts, in the zone of this host; "" where it is not known.
func (s *Server) taken(seconds int64) string {
	if seconds == 0 {
		return ""
	}
	return time.Unix(seconds, 0).In(s.o.Now().Location()).Format("2006-01-02 15:04:05 -07:00")
}

// seconds is a duration for a person.
func seconds(d time.Duration) string { return d.Round(time.Second).String() }
