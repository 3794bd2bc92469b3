package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"time"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

const (
	// mostPoints limits the points of a line: more than that are indistinguishable in a picture of 60 rem, and each
	// costs a piece of the page.
	mostPoints = 240
	// mostRows of the table behind a picture; a time that is examined nearer has more of them.
	mostRows = 24
	// mostRead of one chart are read; the largest of them are drawn.
	mostRead = 24
	// mostLines of one picture are distinguished by color and order.
	mostLines = 6
	// mostEvents of one page, the newest.
	mostEvents = 200
)

// chart is a picture of series that are read together.
type chart struct {
	Title say.Message
	Names []string // of history.Meanings, all of one unit and one scope
}

// charts are in the order in which one looks at a host: memory first, as this
// program is about it, then what waits, then what the server does.
var charts = []chart{
	{say.M("Memory"), []string{"memory_used_bytes", "anonymous_bytes", "cached_bytes", "page_tables_bytes",
		"shared_memory_bytes"}},
	{say.M("Committed memory (Committed_AS)"), []string{"committed_bytes", "commit_limit_bytes"}},
	{say.M("Swap in use"), []string{"swap_used_bytes"}},
	{say.M("Huge pages"), []string{"huge_pages_total", "huge_pages_free", "huge_pages_reserved"}},
	{say.M("CPU"), []string{"cpu_busy_ratio", "iowait_ratio", "steal_ratio"}},
	{say.M("Pressure stall (PSI, some)"), []string{"psi_cpu_some", "psi_io_some",
		"psi_memory_some"}},
	{say.M("Findings"), []string{"findings"}},
	{say.M("Sessions"), []string{"connections"}},
	{say.M("Transactions"), []string{"transactions_per_second"}},
	{say.M("WAL written"), []string{"wal_bytes_per_second"}},
	{say.M("Checkpoints"), []string{"checkpoints_timed", "checkpoints_requested"}},
	{say.M("Cache hit ratio (shared_buffers)"), []string{"cache_hit_ratio"}},
	{say.M("Temporary files"), []string{"temp_bytes_per_second"}},
	{say.M("Memory of server processes"), []string{"instance_anonymous_bytes", "instance_page_tables_bytes"}},
	{say.M("Databases"), []string{"database_bytes", "wal_directory_bytes"}},
	{say.M("Free space"), []string{"disk_free_bytes"}},
}

// open returns the history; nil and no error if there is none, as why explains.
func (s *Server) open() (st app.History, why say.Message, err error) {
	if s.o.History == "" {
		return nil, say.M("There is no directory for a history: HOME is not set."), nil
	}
	st, err = app.ReadHistory(s.o.History)
	switch {
	case err == nil:
		return st, say.Message{}, nil
	case errors.Is(err, app.ErrNoHistory):
		return nil, say.M("There is no history at {path} yet.", "path", s.o.History), nil
	}
	hint := say.M("'pgfettle serve' must run as a user who may read it.")
	if errors.Is(err, app.ErrOthersHistory) {
		hint = say.M("Run 'pgfettle serve' as that account, as the packaged service does; 'pgfettle history' becomes " +
			"it to read.")
	}
	if errors.Is(err, app.ErrForeignHistory) || errors.Is(err, app.ErrNewerHistory) {
		hint = say.M("Name another file with --history, or use the pgfettle that wrote it.")
	}
	return nil, say.Message{}, &problem{http.StatusServiceUnavailable, say.OfError(err), hint}
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
		return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/history"), Here: "/history", Name: "nohistory",
			Data: why})
	}
	defer st.Close()
	t := tongueOf(r)
	said, now := r.URL.Query(), s.o.Now().UTC()
	fields := when(said)
	sp := spanOf(said, fields, now)
	if wrongOnes(fields) {
		return s.page(w, r, http.StatusUnprocessableEntity, sheet{Title: nameOf("/history"), Here: "/history",
			Name: "history",
			Data: map[string]any{"Ranges": t.ranges(said, sp), "Fields": fields, "Wrong": true}})
	}
	p, err := s.past(r, st, sp)
	if err != nil {
		return err
	}
	for i := range fields {
		fields[i].Value = map[string]time.Time{"from": sp.From, "to": sp.To}[fields[i].Name].UTC().Format(local)
	}
	data := map[string]any{"Ranges": t.ranges(said, sp), "Moves": t.moves(said, sp, now), "Fields": fields,
		"Instances": p.instances, "Instance": said.Get("instance"),
		"From": sp.From.UTC().Format("2006-01-02 15:04"), "To": sp.To.UTC().Format("2006-01-02 15:04 UTC"),
		"Diff": atTime("/history/settings", said, span{From: sp.From, To: sp.To})}
	if !p.last.IsZero() && (p.last.Before(sp.From) || p.first.After(sp.To)) {
		data["Last"] = atTime("/history", said, span{From: p.last.Add(-24 * time.Hour), To: p.last.Add(time.Minute)})
		data["First"], data["End"] = p.first.UTC().Format("2006-01-02 15:04"), p.last.UTC().Format("2006-01-02 15:04")
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
		f, err := d.figure(t, fmt.Sprintf("c%d", i), sp)
		if err != nil {
			return err
		}
		pieces = append(pieces, f)
	}
	events, err := p.happened(r.Context(), t)
	if err != nil {
		return err
	}
	data["Charts"], data["Events"] = pieces, events
	return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/history"), Here: "/history", Name: "history", Data: data})
}

// line is one series of a chart.
type line struct {
	name    say.Message
	buckets []history.Bucket
}

// drawn is a chart with what there is for it.
type drawn struct {
	chart
	unit  string
	kind  history.Kind
	lines []line
}

// read reads the series of all charts in one go. A chart without any is omitted.
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
				d.lines = append(d.lines, line{name: called(m.Name, in.Label, len(c.Names) > 1)})
				series = append(series, in.Series)
			}
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

// largest omits lines without a value, and the smallest if there are more than can be distinguished.
func largest(list []line) []line {
	peaks := map[string]float64{}
	list = slices.DeleteFunc(list, func(l line) bool { return len(l.buckets) == 0 })
	for _, l := range list {
		most := l.buckets[0].Max
		for _, b := range l.buckets {
			most = max(most, b.Max)
		}
		peaks[l.name.English()] = most
	}
	if len(list) > mostLines {
		slices.SortStableFunc(list, func(a, b line) int {
			return cmp.Compare(peaks[b.name.English()], peaks[a.name.English()])
		})
		list = list[:mostLines]
	}
	return list
}

// lineNames are what lines of the charts are called.
var lineNames = map[string]say.Message{
	"memory_used_bytes":          say.M("memory in use"),
	"anonymous_bytes":            say.M("anonymous memory"),
	"cached_bytes":               say.M("page cache"),
	"page_tables_bytes":          say.M("page tables"),
	"shared_memory_bytes":        say.M("shared memory"),
	"committed_bytes":            say.M("committed memory"),
	"commit_limit_bytes":         say.M("commit limit"),
	"swap_used_bytes":            say.M("swap in use"),
	"huge_pages_total":           say.M("huge page pool"),
	"huge_pages_free":            say.M("free huge pages"),
	"huge_pages_reserved":        say.M("reserved huge pages"),
	"cpu_busy_ratio":             say.M("CPU in use"),
	"iowait_ratio":               say.Text("iowait"),
	"steal_ratio":                say.M("CPU steal"),
	"psi_cpu_some":               say.M("CPU pressure"),
	"psi_io_some":                say.M("I/O pressure"),
	"psi_memory_some":            say.M("memory pressure"),
	"findings":                   say.M("findings"),
	"connections":                say.M("sessions"),
	"transactions_per_second":    say.M("transactions, committed or rolled back"),
	"wal_bytes_per_second":       say.M("WAL written"),
	"checkpoints_timed":          say.M("timed checkpoints"),
	"checkpoints_requested":      say.M("requested checkpoints"),
	"cache_hit_ratio":            say.M("blocks found in shared_buffers"),
	"temp_bytes_per_second":      say.M("written to temporary files"),
	"instance_anonymous_bytes":   say.M("anonymous memory"),
	"instance_page_tables_bytes": say.M("page tables"),
	"database_bytes":             say.M("databases"),
	"wal_directory_bytes":        say.M("WAL directory"),
	"disk_free_bytes":            say.M("free space"),
}

// called is what a line is named in its picture.
func called(series, label string, several bool) say.Message {
	name, of := lineNames[series], say.Text(label)
	if series == "findings" {
		of = check.SeverityWord(label)
	}
	switch {
	case label != "" && several:
		return say.All(", ", name, of)
	case label != "":
		return of
	}
	return name
}
