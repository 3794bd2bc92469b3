package serve

import (
	"context"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// happened is the table of what happened in the time, the newest first.
func (p *past) happened(ctx context.Context, t *tongue) (template.HTML, error) {
	list, err := p.EventsBetween(ctx, history.EventFilter{From: p.span.From, To: p.span.To, Most: mostEvents})
	if err != nil || len(list) == 0 {
		return "", err
	}
	var rows [][]html.Cell
	for _, e := range slices.Backward(list) {
		kind, ok := outline.EventWords[e.Kind]
		if !ok {
			kind = say.Text(string(e.Kind))
		}
		what := html.Cell{Text: e.Subject, Code: e.Subject != "", Sub: e.Instance}
		rows = append(rows, []html.Cell{
			{Text: e.At.UTC().Format("2006-01-02 15:04:05"), Sub: t.since(e)}, {Text: t.Word(kind)}, what,
			{Text: e.Before}, {Text: e.After}, {Text: joined(e.Who, e.Where), Sub: e.Detail},
		})
	}
	caption := t.Many(len(list), "{n} event", "{n} events, newest first")
	if len(list) == mostEvents {
		caption = t.Many(len(list), "The newest {n} event; choose a shorter time range to see older ones",
			"The newest {n} events; choose a shorter time range to see older ones")
	}
	return html.Table{Caption: caption, Head: []string{t.Say("Time (UTC)"), t.Say("Event"), t.Say("Object"),
		t.Say("Before"), t.Say("After"), t.Say("By, where")}, Rows: rows}.HTML()
}

func (t *tongue) since(e history.Event) string {
	if e.Since.IsZero() {
		return ""
	}
	return t.Say("after {time}", "time", e.Since.UTC().Format("2006-01-02 15:04:05"))
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
		return s.page(w, r, http.StatusOK, sheet{Title: say.M("Settings at two times"), Here: here, Name: "nohistory",
			Data: why})
	}
	defer st.Close()
	t := tongueOf(r)
	said, now := r.URL.Query(), s.o.Now().UTC()
	fields := when(said)
	sp := spanOf(said, fields, now)
	data := map[string]any{"Fields": fields, "Wrong": wrongOnes(fields), "Instance": said.Get("instance")}
	p := sheet{Title: say.M("Settings at two times"), Here: here, Name: "settings", Data: data}
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
	for _, of := range []struct{ key, name string }{{"", t.Say("the host")}, {h.instance, h.instance}} {
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
			rows = append(rows, []html.Cell{{Text: c.Name, Code: true}, t.value(c.Before), t.value(c.After)})
		}
		table, err := html.Table{Caption: t.Say("Settings that differ: {of}", "of", of.name),
			Head: []string{t.Say("Setting"), from, to}, Rows: rows}.HTML()
		if err != nil {
			return err
		}
		tables = append(tables, table)
	}
	data["None"], data["Unseen"] = len(tables) == 0, seen == 0
	p.Body = html.Join(tables...)
	return s.page(w, r, http.StatusOK, p)
}

// value is a value of a setting. A missing one is reported, because the empty text is a value too.
func (t *tongue) value(v *string) html.Cell {
	switch {
	case v == nil:
		return html.Cell{Text: t.Say("not set")}
	case *v == "":
		return html.Cell{Text: "''", Code: true}
	}
	return html.Cell{Text: *v, Code: true}
}
