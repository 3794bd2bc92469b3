package serve

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/html"
)

// kindWords are the kinds of event as a reader is told them.
var kindWords = map[history.EventKind]string{
	history.SettingChanged: "setting changed", history.FindingAppeared: "finding appeared",
	history.FindingVanished: "finding vanished",
	history.FindingSeverity: "finding of another severity", history.PlanStale: "plan stale",
	history.Restarted: "restart", history.OOMKill: "OOM kill",
	history.Gap: "gap", history.ClockJumped: "clock jumped", history.Limited: "not kept",
}

// happened is the table of what happened in the time, the newest first.
func (p *past) happened(ctx context.Context) (template.HTML, error) {
	list, err := p.EventsBetween(ctx, history.EventFilter{From: p.span.From, To: p.span.To, Most: mostEvents})
	if err != nil || len(list) == 0 {
		return "", err
	}
	var rows [][]html.Cell
	for _, e := range slices.Backward(list) {
		kind, ok := kindWords[e.Kind]
		if !ok {
			kind = string(e.Kind)
		}
		what := html.Cell{Text: e.Subject, Code: e.Subject != "", Sub: e.Instance}
		rows = append(rows, []html.Cell{
			{Text: e.At.UTC().Format("2006-01-02 15:04:05"), Sub: since(e)}, {Text: kind}, what,
			{Text: e.Before}, {Text: e.After}, {Text: joined(e.Who, e.Where), Sub: e.Detail},
		})
	}
	caption := fmt.Sprintf("What happened, newest first (%d)", len(list))
	if len(list) == mostEvents {
		caption = fmt.Sprintf("What happened: the newest %d; a shorter time shows the others", mostEvents)
	}
	return html.Table{Caption: caption, Head: []string{"When (UTC)", "What", "Of", "Before", "After",
		"Who, where"}, Rows: rows}.HTML()
}

func since(e history.Event) string {
	if e.Since.IsZero() {
		return ""
	}
	return "after " + e.Since.UTC().Format("2006-01-02 15:04:05")
}

func joined(a, b string) string {
	if a != "" && b != "" {
		return a + ", " + b
	}
	return a + b
}

// settings shows what differs between the settings of two times.
func (s *Server) settings(w http.ResponseWriter, r *http.Request) error {
	const here = "/history"
	st, why, err := s.open()
	switch {
	case err != nil:
		return err
	case st == nil:
		return s.page(w, r, http.StatusOK, sheet{Title: "Settings at two times", Here: here, Name: "nohistory",
			Data: why})
	}
	defer st.Close()
	said, now := r.URL.Query(), s.o.Now().UTC()
	fields := when(said)
	sp := spanOf(said, fields, now)
	data := map[string]any{"Fields": fields, "Wrong": wrongOnes(fields), "Instance": said.Get("instance")}
	p := sheet{Title: "Settings at two times", Here: here, Name: "settings", Data: data}
	if wrongOnes(fields) {
		return s.page(w, r, http.StatusUnprocessableEntity, p)
	}
	h, err := s.past(r, st, sp)
	if err != nil {
		return err
	}
	for i := range fields {
		fields[i].Value = map[string]time.Time{"from": sp.From, "to": sp.To}[fields[i].Name].UTC().Format(local)
	}
	data["Instances"] = h.instances
	from, to := sp.From.UTC().Format("2006-01-02 15:04"), sp.To.UTC().Format("2006-01-02 15:04 UTC")
	data["From"], data["To"] = from, to
	var tables []template.HTML
	seen := 0
	for _, of := range []struct{ key, name string }{{"", "the host"}, {h.instance, h.instance}} {
		if of.key == "" && of.name == "" {
			continue // no instance at all
		}
		have, err := st.SettingsAt(r.Context(), of.key, sp.To)
		if err != nil {
			return err
		}
		seen += len(have)
		list, err := st.SettingsDiff(r.Context(), of.key, sp.From, sp.To)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			continue
		}
		var rows [][]html.Cell
		for _, c := range list {
			rows = append(rows, []html.Cell{{Text: c.Name, Code: true}, value(c.Before), value(c.After)})
		}
		t, err := html.Table{Caption: "Settings of " + of.name + " that differ",
			Head: []string{"setting", from, to}, Rows: rows}.HTML()
		if err != nil {
			return err
		}
		tables = append(tables, t)
	}
	data["None"], data["Unseen"] = len(tables) == 0, seen == 0
	p.Body = html.Join(tables...)
	return s.page(w, r, http.StatusOK, p)
}

// value is a value of a setting. One that was not there is told, as the empty
// text is a value too.
func value(v *string) html.Cell {
	switch {
	case v == nil:
		return html.Cell{Text: "not there"}
	case *v == "":
		return html.Cell{Text: "''", Code: true}
	}
	return html.Cell{Text: *v, Code: true}
}
