package monitor

import (
	"context"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/sample"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

// take compares a look with the previous one, records and reports what differs, and makes it the new reference.
func (w *Watcher) take(ctx context.Context, l looked) {
	if ctx.Err() != nil {
		return
	}
	if l.err != nil {
		w.o.Tell(Warning, say.M("the full check failed: {reason}", "reason", reasonOf(l.err)))
		return
	}
	defer free()
	s := l.snapshot
	w.sampled(s)
	var last *journal.Journal
	if w.o.Applied != nil {
		last = w.o.Applied()
	}
	if s.HostSeen {
		w.recallSettings(ctx, "", l)
		now := hostSettings(s, w.before[""])
		w.changed(ctx, l, nil, now, last)
	}
	for i := range s.Instances {
		in := &s.Instances[i]
		w.recallSettings(ctx, in.Label(), l)
		if now, ok := serverSettings(in, w.before[in.Label()]); ok {
			w.changed(ctx, l, in, now, last)
		}
	}
	report := check.Run(s, checks.All(), w.o.Checks())
	now := w.findingsTurned(s, &report, l.at)
	_, err := w.o.Store.AppendFindings(ctx, l.at, w.findings)
	w.kept(ctx, err)
	w.plans(ctx, l, last)
	w.dear = dear(s, now, l.sizes)
	w.looked = l.at
	w.o.Tell(Plain, w.summary(s, now))
	w.remember(ctx)
}

// changed compares the settings of an instance, or of the host where in is nil.
func (w *Watcher) changed(ctx context.Context, l looked, in *snapshot.Instance, now settings, last *journal.Journal) {
	label := ""
	if in != nil {
		label = in.Label()
	}
	before := w.before[label]
	events := changes(label, before, now)
	if len(events) > 0 {
		w.attribute(in, events, now, last)
	}
	changed := map[string]bool{}
	for _, e := range events {
		changed[e.Subject] = true
		e.At, e.Since = l.at, w.looked
		w.announce(e) // the store makes its own of them
	}
	_, err := w.o.Store.AppendSettings(ctx, l.at, label, now)
	w.kept(ctx, err)
	w.before[label] = now.values()
	if in == nil {
		return
	}
	lines, ok := written(in)
	if !ok {
		return
	}
	for _, e := range waiting(in, lines, w.written[label]) {
		if !changed[e.Subject] {
			e.At, e.Since = l.at, w.looked
			w.note(ctx, e)
		}
	}
	w.written[label] = map[string]string{}
	for name, line := range lines {
		w.written[label][name] = line.Value
	}
}

// attribute adds to changed settings who set them, and when the server read them, as far as a journal or the server's
// log shows.
func (w *Watcher) attribute(in *snapshot.Instance, events []history.Event, now settings, last *journal.Journal) {
	var names []string
	for _, e := range events {
		names = append(names, e.Subject)
	}
	times := map[string]string{}
	if in != nil {
		times = w.o.logs(w.o.Target, in, names)
	}
	for i := range events {
		e := &events[i]
		if at := times[e.Subject]; at != "" {
			e.Where = strings.TrimPrefix(e.Where+", read by the server "+at, ", ")
		}
		if appliedBy(last, e) {
			e.Who = "pgfettle apply " + last.ID
		}
		if s, ok := now[e.Subject]; ok {
			s.Who, s.Where = e.Who, e.Where
			now[e.Subject] = s
		}
	}
}

// appliedBy reports whether an apply set what was found to be changed.
func appliedBy(j *journal.Journal, e *history.Event) bool {
	if j == nil {
		return false
	}
	return slices.ContainsFunc(j.Changes, func(c journal.Change) bool {
		name := string(c.Address)
		if c.Instance != "" {
			name = c.Address.Name()
		}
		return c.State == journal.IsDone && c.Instance == e.Instance && name == e.Subject && c.After == e.After
	})
}

// plans reports which plans have gone stale. An apply since the last look makes a new baseline.
func (w *Watcher) plans(ctx context.Context, l looked, last *journal.Journal) {
	s := l.snapshot
	out, err := rule.Decide(s, rules.All(), w.o.Rules(s))
	if err != nil {
		w.o.Tell(Warning, say.M("could not plan: {reason}", "reason", gapwords.OfError(err)))
		return
	}
	peaks := map[string]float64{}
	for _, in := range w.servers {
		if in.Peak > 0 {
			peaks[in.Label] = in.Peak
		}
		in.Peak = 0
	}
	now := basesOf(s, out, l.at, peaks, l.sizes)
	id := ""
	if last != nil {
		id = last.ID
	}
	for label, n := range now {
		b := w.bases[label]
		switch {
		case b == nil || id != "" && b.Journal != id:
			b = n.clone()
			if last != nil {
				b.applied(label, last, w.before[label])
			}
			w.bases[label] = b
		default:
			b.grow(n)
		}
	}
	for _, e := range stale(w.bases, now, l.at, w.looked) {
		e.At = l.at
		w.note(ctx, e)
	}
}

// mostAbsent is in how many looks a server may be missing until it is given up: an
// hour, in which an upgrade or a repair is over.
const mostAbsent = 6

// sampled makes the list of the servers that samples ask, and of their cgroups, that of the snapshot. One that is not
// in it any more keeps being asked for a while: it may be restarting.
func (w *Watcher) sampled(s *snapshot.Snapshot) {
	for _, one := range w.servers {
		one.Absent++
	}
	defer w.forget()
	for i := range s.Instances {
		in := &s.Instances[i]
		label := in.Label()
		if dir := w.groupOf(in); dir != "" {
			w.groups[label] = dir
		}
		one := *in
		at := slices.IndexFunc(w.servers, func(s *sample.Server) bool { return s.Label == label })
		dial := func(ctx context.Context) (sample.Asker, error) { return w.o.Dial(ctx, &one) }
		if at < 0 {
			server := &sample.Server{Label: label, Dial: dial}
			w.recallServer(server)
			w.servers = append(w.servers, server)
			continue
		}
		w.servers[at].Dial, w.servers[at].Absent = dial, 0
	}
}

// forget gives up servers that are gone: a host on which they come and go, as one
// of tests, has a hundred in a day.
func (w *Watcher) forget() {
	w.servers = slices.DeleteFunc(w.servers, func(s *sample.Server) bool {
		if s.Absent < mostAbsent {
			return false
		}
		w.o.Tell(Plain, say.M("{server} has ended and is no longer watched", "server", s.Label))
		s.Close(context.Background())
		delete(w.groups, s.Label)
		delete(w.before, s.Label)
		delete(w.written, s.Label)
		delete(w.started, s.Label)
		delete(w.bases, s.Label)
		return true
	})
}

// awaited are the labels of the host and of the servers that may come back.
func (w *Watcher) awaited() map[string]bool {
	out := map[string]bool{"": true}
	for _, s := range w.servers {
		out[s.Label] = true
	}
	return out
}

// groupOf is the directory of the control group (version 2) of an instance, "" if it has none.
func (w *Watcher) groupOf(in *snapshot.Instance) string {
	cg, ok := in.CGroup.Get()
	if !ok || cg.Version != 2 || cg.Path == "/" || cg.Path == "" {
		return ""
	}
	dir := path.Join("/sys/fs/cgroup", cg.Path)
	if _, err := w.o.Target.Stat(path.Join(dir, "memory.events")); err != nil {
		return ""
	}
	return dir
}

// dear are the series that only a whole look gives.
func dear(s *snapshot.Snapshot, findings []history.Finding, sizes map[string]float64) []history.Point {
	p := sample.Points{}
	count := map[string]int{}
	for _, f := range findings {
		count[f.Severity]++
	}
	for _, name := range []string{"critical", "warning", "notice", "info"} {
		p.Add("findings", name, float64(count[name]))
	}
	addOthers(&p, s)
	spaces, _ := s.Host.Spaces.Get()
	for i := range s.Instances {
		in := &s.Instances[i]
		p.Instance = in.Label()
		if list, ok := in.Processes.Get(); ok {
			var anon, tables unit.Bytes
			for _, one := range list {
				anon, tables = anon+one.Anon, tables+one.PageTables
			}
			p.Add("instance_anonymous_bytes", "", float64(anon))
			p.Add("instance_page_tables_bytes", "", float64(tables))
			p.Add("instance_processes", "", float64(len(list)))
		}
		if v, ok := sizes[in.Label()]; ok {
			p.Add("database_bytes", "", v)
		}
		if v, ok := in.Server.WALDir.Get(); ok {
			p.Add("wal_directory_bytes", "", float64(v.Size))
		}
		places, _ := in.Places.Get()
		for _, at := range places {
			label := string(at.Role)
			if at.Role == snapshot.TablespacePlace {
				if onOthers(s, places, at) {
					continue
				}
				label = "tablespace " + at.Tablespace
			}
			for _, space := range spaces {
				if space.Path == at.Path {
					p.Add("disk_free_bytes", label, float64(space.Free))
				}
			}
		}
	}
	return p.List
}

// onOthers reports whether the filesystem of a tablespace is already reported by another directory of the instance, or
// is unknown: its free space is kept once.
func onOthers(s *snapshot.Snapshot, places []snapshot.Place, at snapshot.Place) bool {
	m, ok := s.MountOf(at.Path)
	if !ok {
		return true
	}
	for _, o := range places {
		if o == at {
			break
		}
		if other, ok := s.MountOf(o.Path); ok && other.Point == m.Point {
			return true
		}
	}
	return false
}

// summary is the line of a look: what stands, and how the host does.
func (w *Watcher) summary(s *snapshot.Snapshot, findings []history.Finding) say.Message {
	count := map[string]int{}
	for _, f := range findings {
		count[f.Severity]++
	}
	out := []say.Message{say.M("checked; critical: {critical}, warnings: {warnings}, notices: {notices}",
		"critical", count["critical"], "warnings", count["warning"], "notices", count["notice"])}
	if m, ok := s.Host.Memory.Get(); ok {
		out = append(out, say.M("{available} of {total} memory available, page tables {tables}",
			"available", m.Available, "total", m.Total, "tables", m.PageTables))
	}
	sessions, any := 0.0, false
	for _, one := range w.servers {
		if one.Seen && one.Now.Values[sample.ColHidden] == 0 {
			sessions, any = sessions+one.Now.Values[sample.ColTotal], true
		}
	}
	if any {
		out = append(out, say.M("{n} sessions", "n", int(sessions)))
	}
	return say.All("; ", out...)
}

// labels are those that something is remembered of.
func (w *Watcher) labels() []string {
	all := map[string]bool{"": true}
	for label := range w.bases {
		all[label] = true
	}
	for label := range w.started {
		all[label] = true
	}
	for label := range w.written {
		all[label] = true
	}
	return slices.Sorted(maps.Keys(all))
}
