package serve

import (
	"context"
	"errors"
	"html/template"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/app/diagnose"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

const (
	// pastePath is the page that takes a paste, and the only one besides the login that
	// takes a POST.
	pastePath = "/read"
	// mostPaste is more than a ticket with the settings and the logs of a day; a browser
	// sends up to three bytes for each.
	mostPaste     = 1 << 20
	mostPasteForm = 3*mostPaste + 1<<10
	// pasteWithin is for who sends that much over a slow line. The sender was let in.
	pasteWithin = time.Minute
)

// paste shows the field for a paste, and the report on what was sent. Nothing of it is
// kept: neither in a file nor for the next request.
func (s *Server) paste(w http.ResponseWriter, r *http.Request) error {
	// With no-referrer a browser hides its origin from us too, when it posts.
	w.Header().Set("Referrer-Policy", "same-origin")
	t := tongueOf(r)
	p := sheet{Title: nameOf(pastePath), Here: pastePath, Name: "paste"}
	show := func(status int, wrong say.Message) error {
		p.Data = map[string]any{"Path": pastePath, "Wrong": t.Word(wrong),
			"Done": p.Body != "", "Most": t.Size(mostPaste)}
		return s.page(w, r, status, p)
	}
	if r.Method != http.MethodPost {
		return show(http.StatusOK, say.Message{})
	}
	text, err := pasted(w, r)
	if err != nil {
		return err
	}
	if strings.TrimSpace(text) == "" {
		return show(http.StatusUnprocessableEntity, say.M("There is no text to read."))
	}
	if p.Body, err = s.pasteReport(r.Context(), t, text); err != nil {
		return err
	}
	p.Made = say.M("Based on the pasted text only, which is not stored. pgfettle {version}.", "version", s.o.Version)
	return show(http.StatusOK, say.Message{})
}

// pasted is the text that a form sends.
func pasted(w http.ResponseWriter, r *http.Request) (string, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/x-www-form-urlencoded" { // of a form with files the library would write some to disk
		return "", &problem{http.StatusUnsupportedMediaType, say.M("This is not what the form sends."),
			say.M("Send it as the field text: curl --data-urlencode text@FILE.")}
	}
	// A connection without deadlines has none to move: then the server's own bound holds.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(pasteWithin))
	r.Body = http.MaxBytesReader(w, r.Body, mostPasteForm)
	err := r.ParseForm()
	text := strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n")
	if _, much := errors.AsType[*http.MaxBytesError](err); much || len(text) > mostPaste {
		return "", &problem{http.StatusRequestEntityTooLarge,
			say.M("The text is longer than {mostPaste}.", "mostPaste", unit.Bytes(mostPaste)),
			say.M("'pgfettle read FILE' takes {maxText}.", "maxText", unit.Bytes(paste.MaxText))}
	}
	if err != nil {
		return "", &problem{http.StatusBadRequest, say.M("The form could not be read."), say.M("Go back and send it " +
			"again.")}
	}
	return text, nil
}

// pasteReport is the report on a paste, a few at a time: each takes a CPU for a moment.
func (s *Server) pasteReport(ctx context.Context, t *tongue, text string) (template.HTML, error) {
	if err := enter(ctx, s.work); err != nil {
		return "", err
	}
	defer func() { <-s.work }()
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	d, err := diagnose.Paste(ctx, []paste.Input{{Name: t.Say("pasted text"), Text: []byte(text)}})
	if told, ok := errors.AsType[*say.Problem](err); ok {
		return "", &problem{http.StatusUnprocessableEntity, say.OfError(told), told.Hint}
	}
	if err != nil {
		return "", err
	}
	if d.Report == nil {
		return web.Read(d.Read, t.view())
	}
	r := web.Report{Snapshot: d.Report.Snapshot, Memory: d.Report.Memory, OOM: d.Report.OOM, Log: d.Report.Log,
		Missing: d.Report.Missing, Read: d.Read}
	r.Check = document.Check{Report: d.Report.Check, Subject: document.SubjectOf(r.Snapshot)}
	r.Plan = document.Plan{Plan: d.Report.Plan, Subject: r.Check.Subject}
	page, err := web.ReportPage(r, t.view())
	return page.Body, err
}
