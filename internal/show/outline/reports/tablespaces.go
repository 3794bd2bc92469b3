package reports

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Tablespaces is the tablespaces of an instance: where they are, what they hold, what their devices want, and which
// filesystems hold nothing of the instance.
func Tablespaces(d *tablespaces.Report, c *say.Catalogue) outline.Outline {
	d = d.In(c)
	p := spaceWords{outline.WordsIn(c)}
	var o outline.Outline
	o.Command("pgfettle tablespace plan")
	title := typeset.Clean(d.Instance)
	if d.Version != "" {
		title = p.Say("{instance}, PostgreSQL {version}", "instance", title, "version", typeset.Clean(d.Version))
	}
	o.Heading(2, title)
	p.places(&o, d)
	p.contents(&o, d)
	p.unused(&o, d)
	p.changes(&o, d)
	if len(d.Unknown) > 0 {
		o.Heading(2, p.Unknown())
		o.Kind(outline.Gaps, gapItems(p.Words, d.Unknown))
	}
	return o
}

type spaceWords struct{ outline.Words }

// amount is a size, or that it is not known.
func (p spaceWords) amount(b *unit.Bytes) string {
	if b == nil {
		return "?"
	}
	return p.Size(*b)
}

func (p spaceWords) places(o *outline.Outline, d *tablespaces.Report) {
	t := outline.Table{Caption: p.Say("tablespaces"), Head: []string{p.Say("tablespace"), p.Say("size"),
		p.Say("directory"), p.Say("filesystem"), p.Say("free")}}
	for _, s := range d.Spaces {
		filesystem, free := "?", "?"
		if v := s.Volume; v != nil {
			filesystem, free = p.volume(v), p.amount(v.Free)
		}
		t.Rows = append(t.Rows, outline.Cells(typeset.Clean(s.Name), p.amount(s.Size), typeset.Clean(s.Location),
			filesystem, free))
	}
	if len(t.Rows) > 0 {
		o.Add(t)
	}
}

func (p spaceWords) volume(v *tablespaces.Volume) string {
	return typeset.Clean(v.Point + " (" + v.Type + ", " + v.Source + ")")
}

// things is a number of things with their size; "-" is none.
func (p spaceWords) things(a tablespaces.Amount) string {
	if a.Count == 0 {
		return "-"
	}
	return p.Size(a.Bytes) + " (" + p.Count(int(a.Count)) + ")"
}

// contents is what each database has where. What holds catalogs alone is left out.
func (p spaceWords) contents(o *outline.Outline, d *tablespaces.Report) {
	t := outline.Table{Caption: p.Say("contents"), Head: []string{p.Say("tablespace"), p.Say("database"),
		p.Say("tables"), p.Say("indexes"), "TOAST", p.Say("temporary tables")}}
	var notes []string
	for _, s := range d.Spaces {
		for _, c := range s.Contents {
			if c.Tables.Count+c.Indexes.Count+c.Temporary.Count == 0 {
				continue
			}
			t.Rows = append(t.Rows, outline.Cells(typeset.Clean(s.Name), typeset.Clean(c.Database), p.things(c.Tables),
				p.things(c.Indexes), p.things(c.Toast), p.things(c.Temporary)))
		}
		name := typeset.Clean(s.Name)
		if s.ForTemp {
			notes = append(notes, p.Say("Temporary files go to {name} (temp_tablespaces).", "name", name))
		}
		if s.Temp != nil && s.Temp.Count > 0 {
			notes = append(notes, p.Many(int(s.Temp.Count), "{n} temporary file ({size}) is in {name} now.",
				"{n} temporary files ({size}) are in {name} now.", "size", s.Temp.Bytes, "name", name))
		}
		if len(s.Default) > 0 && s.Name != "pg_default" {
			notes = append(notes, p.Say("{name} is the default of: {names}.", "name", name, "names",
				say.Names(s.Default, 5)))
		}
	}
	if len(t.Rows) > 0 {
		o.Heading(2, p.Say("Contents"))
		o.Add(t)
	}
	o.Kind(outline.Lines, outline.Items(notes))
}

func (p spaceWords) unused(o *outline.Outline, d *tablespaces.Report) {
	if len(d.Unused) == 0 {
		return
	}
	o.Heading(2, p.Say("Filesystems that hold nothing of this instance"))
	t := outline.Table{Caption: p.Say("filesystems"), Head: []string{p.Say("filesystem"), p.Say("size"), p.Say("free")}}
	for i := range d.Unused {
		v := &d.Unused[i]
		t.Rows = append(t.Rows, outline.Cells(p.volume(v), p.amount(v.Total), p.amount(v.Free)))
	}
	o.Add(t)
}

func (p spaceWords) changes(o *outline.Outline, d *tablespaces.Report) {
	var costs []outline.Row
	for _, s := range d.Spaces {
		for _, c := range s.Costs {
			value := c.Now
			if c.Changes() {
				value += " → " + c.Want
			}
			costs = append(costs, outline.RowOf(typeset.Clean(s.Name), c.Option, value, typeset.Flat(p.Word(c.Reason))))
		}
	}
	if len(costs) > 0 {
		o.Heading(2, p.Say("Options of the tablespaces"))
		o.Add(outline.Rows{List: costs})
	}
	if len(d.Findings) > 0 {
		o.Heading(2, p.Say("Findings"))
		var list []outline.Item
		for _, f := range d.Findings {
			list = append(list, outline.Item{Text: outline.Join(outline.Bold(f.Title), p.Colon(),
				typeset.Flat(p.Word(f.Seen)), " (", outline.Piece{Text: f.ID, As: outline.AsName, Topic: f.ID}, ")")})
		}
		o.List(list)
	}
	changes := d.Changes()
	switch {
	case len(changes) > 0:
		o.Summary(p.Say("Apply the options with: {command}", "command", "pgfettle apply --only "+
			strings.Join(tablespaces.Addresses(changes), ",")))
	case len(d.Findings) == 0 && len(d.Spaces) > 0:
		o.Summary(p.Say("Nothing should be changed."))
	}
}

// CreateTablespace is a tablespace before it is created: where, the steps, and what to know.
func CreateTablespace(t *tablespaces.Creation, c *say.Catalogue) outline.Outline {
	p := outline.WordsIn(c)
	var o outline.Outline
	o.Heading(2, outline.Bold(p.Say("New tablespace {name} of {instance}", "name", say.Quoted(t.Name), "instance",
		t.Label)))
	o.Add(outline.Rows{List: []outline.Row{
		outline.RowOf(p.Say("directory"), t.Site.To, mounted(t.Site.Mount)),
		outline.RowOf(p.Say("data"), t.Server.Data, mounted(t.Site.DataMount)),
		outline.RowOf("", p.Say("{free} free in the directory", "free", t.Site.Free), ""),
	}})
	o.Heading(2, p.Say("Steps"))
	var steps []string
	if t.Made() {
		steps = append(steps, p.Say("create {directory}, owned by user {uid}, mode 0700", "directory", t.Site.To, "uid",
			strconv.Itoa(t.Server.UID)))
	}
	steps = append(steps, t.SQL())
	if t.Owner != "" && t.Owner != t.Server.Role {
		steps = append(steps, p.Say("give it to role {role}", "role", say.Quoted(t.Owner)))
	}
	for _, k := range t.Costs {
		if k.Changes() {
			steps = append(steps, p.Say("set {option} = {value}: {reason}", "option", k.Option, "value", k.Want,
				"reason", k.Reason))
		}
	}
	if t.TempTo != "" {
		steps = append(steps, p.Say("set temp_tablespaces = {value} in the configuration, and reload the server",
			"value",
			t.TempTo))
	}
	o.Kind(outline.Numbered, outline.Items(steps))
	notesOf(&o, p, t.Notes)
	return o
}

func notesOf(o *outline.Outline, p outline.Words, notes []say.Message) {
	if len(notes) == 0 {
		return
	}
	var list []string
	for _, n := range notes {
		list = append(list, p.Word(n))
	}
	o.Add(outline.Heading{Level: 2, Text: outline.Join(p.Say("Notes")), Tone: outline.ToneMind})
	o.List(outline.Items(list))
}

// MoveInto is a move of tables and indexes before it is made: what, how large, under which lock, who holds locks now.
func MoveInto(m *tablespaces.Move, c *say.Catalogue) outline.Outline {
	p := outline.WordsIn(c)
	var o outline.Outline
	o.Heading(2, outline.Bold(p.Say("Move to tablespace {name}: database {database} of {instance}", "name",
		say.Quoted(m.To), "database", say.Quoted(m.Database), "instance", m.Label)))
	t := outline.Table{Caption: p.Say("objects"), Head: []string{p.Say("object"), p.Say("kind"), p.Say("from"),
		p.Say("size"), "TOAST", p.Say("time"), p.Say("lock")}}
	var holders []string
	for i := range m.Objects {
		x := &m.Objects[i]
		kind, lock, toast := p.Say("table"), "ACCESS EXCLUSIVE", "-"
		switch {
		case x.Kind == "m":
			kind = p.Say("materialized view")
		case x.Kind == "i":
			kind = p.Say("index")
		}
		if m.Gently(x) {
			lock = p.Say("none for queries (REINDEX CONCURRENTLY)")
		}
		if x.Toast > 0 {
			toast = p.Size(x.Toast)
		}
		least, most := m.Seconds(x.Size + x.Toast)
		t.Rows = append(t.Rows, outline.Cells(typeset.Clean(x.Full()), kind, typeset.Clean(x.Space), p.Size(x.Size),
			toast,
			p.Say("{least}–{most} s", "least", least, "most", most), lock))
		for _, h := range x.Holders {
			holders = append(holders, p.Say("{name}: process {pid} ({role}, {program}) holds {mode} for {seconds} s",
				"name",
				x.Full(), "pid", strconv.Itoa(h.PID), "role", h.Role, "program", h.Program, "mode",
				h.Mode, "seconds", h.Seconds))
		}
	}
	if len(t.Rows) > 0 {
		o.Add(t)
	}
	if len(holders) > 0 {
		o.Heading(2, p.Say("Locks held now"))
		o.List(outline.Items(holders))
	}
	notesOf(&o, p, m.Notes)
	if n := len(m.Here); n > 0 {
		o.Para(p.Many(n, "{n} object is there already.", "{n} objects are there already."))
	}
	if len(m.Objects) == 0 {
		o.Summary(p.Say("Nothing has to be moved."))
		return o
	}
	free := "?"
	if m.Free != nil {
		free = p.Size(*m.Free)
	}
	least, most := m.Seconds(m.Size)
	o.Summary(p.Many(len(m.Objects), "{n} object, {size}: about {least} to {most} s, one object at a time. "+
		"{free} free, {need} needed.", "{n} objects, {size}: about {least} to {most} s, one object at a time. "+
		"{free} free, {need} needed.", "size", m.Size, "least", least, "most", most, "free", free, "need", m.Need()))
	return o
}
