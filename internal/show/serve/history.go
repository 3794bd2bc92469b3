package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

const (
	// mostPoints of a line: more than that are not told apart in a picture of
	// 60 rem, and each costs a piece of the page.
	mostPoints = 240
	// mostRows of the table behind a picture; a time that is looked at nearer has
	// more of them.
	mostRows = 24
	// mostRead of one chart are read; the largest of them are drawn.
	mostRead = 24
	// mostLines of one picture are told apart by colour and order.
	mostLines = 6
	// mostEvents of one page, the newest.
	mostEvents = 200
)

// chart is a picture of series that are read together.
type chart struct {
	Title string
	Names []string // of history.Meanings, all of one unit and one scope
}

// charts are in the order in which one looks at a host: memory first, as this
// program is about it, then what waits, then what the server does.
var charts = []chart{
	{"Memory", []string{"memory_used_bytes", "anonymous_bytes", "cached_bytes", "page_tables_bytes",
		"shared_memory_bytes"}},
	{"Committed memory (Committed_AS)", []string{"committed_bytes", "commit_limit_bytes"}},
	{"Swap in use", []string{"swap_used_bytes"}},
	{"Huge pages", []string{"huge_pages_total", "huge_pages_free", "huge_pages_reserved"}},
	{"CPU", []string{"cpu_busy_ratio", "iowait_ratio", "steal_ratio"}},
	{"Pressure stall (PSI, some)", []string{"psi_cpu_some", "psi_io_some",
		"psi_memory_some"}},
	{"Findings", []string{"findings"}},
	{"Sessions", []string{"connections"}},
	{"Transactions", []string{"transactions_per_second"}},
	{"WAL written", []string{"wal_bytes_per_second"}},
	{"Checkpoints", []string{"checkpoints_timed", "checkpoints_requested"}},
	{"Cache hit ratio (shared_buffers)", []string{"cache_hit_ratio"}},
	{"Temporary files", []string{"temp_bytes_per_second"}},
	{"Memory of server processes", []string{"instance_anonymous_bytes", "instance_page_tables_bytes"}},
	{"Databases", []string{"database_bytes", "wal_directory_bytes"}},
	{"Free space", []string{"disk_free_bytes"}},
}

// open returns the history; nil and no error where there is none, which why tells.
func (s *Server) open() (st app.History, why string, err error) {
	if s.o.History == "" {
		return nil, "There is no folder for a history: HOME is not set.", nil
	}
	st, err = app.ReadHistory(s.o.History)
	switch {
	case err == nil:
		return st, "", nil
	case errors.Is(err, app.ErrNoHistory):
		return nil, "There is no history yet at " + s.o.History + ".", nil
	}
	hint := say.M("'pgfettle serve' must run as somebody who may read it.")
	if errors.Is(err, app.ErrOthersHistory) {
		hint = say.M("Run 'pgfettle serve' as that account, as the packaged service does; 'pgfettle history' becomes " +
			"it to read.")
	}
	if errors.Is(err, app.ErrForeignHistory) || errors.Is(err, app.ErrNewerHistory) {
		hint = say.M("Name another file with --history, or use the pgfettle that wrote it.")
	}
	return nil, "", &problem{http.StatusServiceUnavailable, say.OfError(err), hint}
}

// past is what the pages of the history have in common.
type past struct {
	app.History
	span      span
	infos     []history.Info
	first     time.Time
	last      time.Time
	instance  string // whose series are shown
	instances []web.Link
}

// past reads what the history spans and whose it is.
func (s *Server) past(r *http.Request, st app.History, sp span) (*past, error) {
	p := &past{History: st, span: sp}
	var err error
	if p.infos, err = st.List(r.Context()); err != nil {
		return nil, err
	}
	for _, in := range p.infos {
		if p.first.IsZero() || in.First.Before(p.first) {
			p.first = in.First
		}
		if in.Last.After(p.last) {
			p.last = in.Last
		}
	}
	list, err := st.Instances(r.Context())
	if err != nil {
		return nil, err
	}
	said := r.URL.Query()
	p.instance = said.Get("instance")
	if p.instance == "" && len(list) > 0 {
		p.instance = list[0]
	}
	if p.instance != "" && !slices.Contains(list, p.instance) {
		return nil, &problem{http.StatusNotFound, say.M("There is no history of an instance {instance}.", "instance",
			say.Quoted(p.instance)),
			say.M("The page without an instance shows those that there are.")}
	}
	for _, key := range list {
		if len(list) < 2 {
			break
		}
		v := r.URL.Query()
		v.Set("instance", key)
		p.instances = append(p.instances, web.Link{Href: address(r.URL.Path, v), Text: key, Current: key == p.instance})
	}
	return p, nil
}

// history shows what was sampled, over a time that links change.
func (s *Server) history(w http.ResponseWriter, r *http.Request) error {
	st, why, err := s.open()
	switch {
	case err != nil:
		return err
	case st == nil:
		return s.page(w, r, http.StatusOK, sheet{Title: "History", Here: "/history", Name: "nohistory", Data: why})
	}
	defer st.Close()
	said, now := r.URL.Query(), s.o.Now().UTC()
	fields := when(said)
	sp := spanOf(said, fields, now)
	if wrongOnes(fields) {
		return s.page(w, r, http.StatusUnprocessableEntity, sheet{Title: "History", Here: "/history", Name: "history",
			Data: map[string]any{"Ranges": ranges(said, sp), "Fields": fields, "Wrong": true}})
	}
	p, err := s.past(r, st, sp)
	if err != nil {
		return err
	}
	for i := range fields {
		fields[i].Value = map[string]time.Time{"from": sp.From, "to": sp.To}[fields[i].Name].UTC().Format(local)
	}
	data := map[string]any{"Ranges": ranges(said, sp), "Moves": moves(said, sp, now), "Fields": fields,
		"Instances": p.instances, "Instance": said.Get("instance"),
		"From": sp.From.UTC().Format("2006-01-02 15:04"), "To": sp.To.UTC().Format("2006-01-02 15:04 UTC"),
		"Diff": atTime("/history/settings", said, span{From: sp.From, To: sp.To})}
	if !p.last.IsZero() && (p.last.Before(sp.From) || p.first.After(sp.To)) {
		data["Last"] = atTime("/history", said, span{From: p.last.Add(-24 * time.Hour), To: p.last.Add(time.Minute)})
		data["Spans"] = fmt.Sprintf("from %s to %s", p.first.UTC().Format("2006-01-02 15:04"),
			p.last.UTC().Format("2006-01-02 15:04"))
	}
	if err := enter(r.Context(), s.work); err != nil {
		return errGone
	}
	defer func() { <-s.work }()
	read, err := p.read(r.Context())
	if err != nil {
		return err
	}
	var pieces []template.HTML
	for i, d := range read {
		f, err := d.figure(fmt.Sprintf("c%d", i), sp)
		if err != nil {
			return err
		}
		pieces = append(pieces, f)
	}
	events, err := p.happened(r.Context())
	if err != nil {
		return err
	}
	data["Charts"], data["Events"] = pieces, events
	return s.page(w, r, http.StatusOK, sheet{Title: "History", Here: "/history", Name: "history", Data: data})
}

// line is one series of a chart.
type line struct {
	name    string
	buckets []history.Bucket
}

// drawn is a chart with what there is for it.
type drawn struct {
	chart
	unit  string
	kind  history.Kind
	help  []string // what its lines are, where their names do not tell
	lines []line
}

// read reads the series of all charts in one go. A chart without any is left out.
func (p *past) read(ctx context.Context) ([]drawn, error) {
	var series []history.Series
	var out []drawn
	for _, c := range charts {
		d := drawn{chart: c}
		for _, name := range c.Names {
			m, ok := history.MeaningOf(name)
			if !ok {
				return nil, fmt.Errorf("history: no series is named %s", name)
			}
			d.unit, d.kind = m.Unit, m.Kind
			for _, in := range p.infos {
				if in.Name != name || m.Scope == history.OfInstance && in.Instance != p.instance ||
					in.Last.Before(p.span.From) || in.First.After(p.span.To) || len(d.lines) == mostRead {
					continue
				}
				d.lines = append(d.lines, line{name: called(m, in.Label, len(c.Names) > 1)})
				series = append(series, in.Series)
			}
			d.help = append(d.help, m.Help)
		}
		if len(d.lines) > 0 {
			out = append(out, d)
		}
	}
	if len(series) == 0 {
		return nil, nil
	}
	buckets, err := p.Ranges(ctx, series, p.span.From, p.span.To, mostPoints)
	if err != nil {
		return nil, err
	}
	for i := range out {
		for j := range out[i].lines {
			out[i].lines[j].buckets, buckets = buckets[0], buckets[1:]
		}
		out[i].lines = largest(out[i].lines)
	}
	return slices.DeleteFunc(out, func(d drawn) bool { return len(d.lines) == 0 }), nil
}

// largest leaves out lines without a value, and the smallest where there are more
// than can be told apart.
func largest(list []line) []line {
	peaks := map[string]float64{}
	list = slices.DeleteFunc(list, func(l line) bool { return len(l.buckets) == 0 })
	for _, l := range list {
		most := l.buckets[0].Max
		for _, b := range l.buckets {
			most = max(most, b.Max)
		}
		peaks[l.name] = most
	}
	if len(list) > mostLines {
		slices.SortStableFunc(list, func(a, b line) int { return cmp.Compare(peaks[b.name], peaks[a.name]) })
		list = list[:mostLines]
	}
	return list
}

// called is what a line is named in its picture.
func called(m history.Meaning, label string, several bool) string {
	name := strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(m.Name, "_per_second"),
		"_bytes"), "_ratio"), "_", " ")
	switch {
	case label != "" && several:
		return name + ", " + label
	case label != "":
		return label
	}
	return name
}
