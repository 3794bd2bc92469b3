package outline

import "slices"

// What documents of this program have beyond headings, paragraphs, lists and tables. A form with its own shape for one
// of these draws it; Plain turns them into the simple blocks for every other form.

// Summary is what a reader looks for first. A page has it at its head; a terminal at its foot, where the prompt is.
type Summary struct{ Lines []Para }

// Contents lists what is below in full. A terminal leaves it out: there a reader scrolls anyway. So does a page, which
// gathers findings under headings.
type Contents struct{ Table Table }

// Fields are names with what they say, such as where, seen, why and do of a finding.
type Fields struct {
	List   []Field
	Labels []string // all names that fields of this kind may have: they set the column; nil: those of List
}

// Field is one of them. Several items are below each other.
type Field struct {
	Name  string
	Items []Item
	Tone  Tone
}

// FieldOf is a field of one line.
func FieldOf(name string, parts ...any) Field {
	return Field{Name: name, Items: []Item{{Text: Join(parts...)}}}
}

// Rows are entries in columns that need no head: in each the last cell is text, and those before it are below those of
// the other entries.
type Rows struct {
	List    []Row
	Longest []string // what may be the longest cell of each column, for lists that share columns; nil: those of List
	Right   bool     // the first column is numbers, which stand to the right
}

// Row is one of them.
type Row struct {
	Cells []Prose
	Tone  Tone    // of the cell before the text, which shows the kind of entry
	More  []Block // what belongs to the text
}

// RowOf makes an entry of strings, pieces, and prose: each is a cell.
func RowOf(cells ...any) Row {
	var r Row
	for _, c := range cells {
		r.Cells = append(r.Cells, Join(c))
	}
	return r
}

// AsList is the rows as a list, for forms without columns: the cells before the text are set in bold.
func (r Rows) AsList() List {
	var out List
	for _, row := range r.List {
		it := Item{More: row.More, Tone: row.Tone}
		for i, cell := range row.Cells {
			if len(cell) == 0 {
				continue
			}
			space := Piece{Text: " "}
			if i < len(row.Cells)-1 {
				space.As = AsStrong
				cell = slices.Clone(cell)
				for k := range cell {
					if cell[k].As == AsText {
						cell[k].As = AsStrong
					}
				}
			}
			if len(it.Text) > 0 {
				it.Text = append(it.Text, space)
			}
			it.Text = append(it.Text, cell...)
		}
		out.Items = append(out.Items, it)
	}
	return out
}

// Finding is a finding, or several of one check that differ only in where and what was seen.
type Finding struct {
	Severity string // the word for it
	Colon    string // what stands between it and the title
	Tone     Tone
	Title    string
	ID       string
	Fields   Fields
	Group    string // a heading, where a form has one above all findings of a kind
	Count    int    // of the findings that it stands for
	Accepted string // until when the policy accepts it, and why; "": it does not
}

// Changes are the changes of one group, in their order.
type Changes struct {
	Caption string
	Part    string // of the host or an instance, for a form that sets all of one part in one table; "": none does
	Effect  string // when they are in force: the caption without the part
	Words   ChangeWords
	List    []Change
}

// ChangeWords head the columns of a table of changes. Columns that no change has a value for are omitted.
type ChangeWords struct{ State, Setting, Before, After, Risk, Where, Note, Why, Inputs, Colon string }

// Change is one value before and after.
type Change struct {
	State     string // how it stands; "" of a plan
	StateTone Tone
	Name      string
	From, To  string // as they are shown
	Risk      string // "" where it is low
	RiskTone  Tone
	Where     string // the file that has it
	In        string // the same as a clause: "in /etc/sysctl.conf"
	Reason    string
	Notes     []Note
	// For forms with room, or with links:
	Title  string  // what the setting is; such a form may fold the reason below it
	Topic  string  // what 'pgfettle explain' describes
	Pinned string  // the word for a value that the policy sets; "" of others
	Inputs []Input // all numbers that the value is made of
}

// Input is a number that a value is made of.
type Input struct{ Name, Value string }

// Note is said of a change, behind a word for what it is.
type Note struct {
	Lead, Text string
	Tone       Tone
	Unsaid     bool // it has those of Inputs that the reason does not say: a form that has all leaves it out
}

func (Summary) block() {}

func (Contents) block() {}

func (Fields) block() {}

func (Rows) block() {}

func (Finding) block() {}

func (Changes) block() {}

// Summary adds what a reader looks for first, its first line in bold.
func (o *Outline) Summary(lines ...string) {
	var s Summary
	for i, l := range lines {
		text := Join(l)
		if i == 0 {
			text = Join(Bold(l))
		}
		if len(text) > 0 {
			s.Lines = append(s.Lines, Para{Text: text})
		}
	}
	o.Add(s)
}

// Plain is an outline of headings, paragraphs, lists, tables, listings and figures alone.
func Plain(list []Block) []Block {
	var out []Block
	for _, block := range list {
		switch v := block.(type) {
		case Summary:
			for _, l := range v.Lines {
				out = append(out, l)
			}
		case Contents:
			out = append(out, v.Table)
		case Heading:
			if v.Tag != "" {
				v.Text, v.Tag = Join(v.Text, " (", v.Tag, ")"), ""
			}
			out = append(out, v)
		case Fields:
			out = append(out, v.plain())
		case Rows:
			out = append(out, List{Items: plainItems(v.AsList().Items)})
		case Finding:
			out = append(out, Heading{Level: 2, Text: Join(v.Severity, v.Colon, v.Title, " (", Code(v.ID), ")")},
				v.Fields.plain())
		case Changes:
			out = append(out, v.plain()...)
		case List:
			if v.Lead != "" {
				out = append(out, Para{Text: Join(Bold(v.Lead))})
			}
			out = append(out, List{Items: plainItems(v.Items)})
		default:
			out = append(out, block)
		}
	}
	return out
}

func plainItems(list []Item) []Item {
	out := make([]Item, len(list))
	for i, it := range list {
		out[i] = Item{Text: it.Text, More: Plain(it.More)}
	}
	return out
}

func (f Fields) plain() List {
	var out List
	for _, field := range f.List {
		if len(field.Items) == 1 {
			it := field.Items[0]
			out.Items = append(out.Items, Item{Text: Join(Bold(field.Name), " ", it.Text), More: Plain(it.More)})
			continue
		}
		out.Items = append(out.Items, Item{Text: Join(Bold(field.Name)),
			More: []Block{List{Items: plainItems(field.Items)}}})
	}
	return out
}

func (c Changes) plain() []Block {
	t := Table{Caption: c.Caption}
	columns := []struct {
		head string
		of   func(x *Change) Prose
	}{
		{c.Words.State, func(x *Change) Prose { return Join(x.State) }},
		{c.Words.Setting, func(x *Change) Prose { return Join(Code(x.Name)) }},
		{c.Words.Before, func(x *Change) Prose { return Join(Code(x.From)) }},
		{c.Words.After, func(x *Change) Prose { return Join(Code(x.To)) }},
		{c.Words.Risk, func(x *Change) Prose { return Join(x.Risk) }},
		{c.Words.Where, func(x *Change) Prose { return Join(x.Where) }},
	}
	t.Rows = make([][]Prose, len(c.List))
	for _, column := range columns {
		if column.head == "" {
			continue
		}
		t.Head = append(t.Head, column.head)
		for i := range c.List {
			t.Rows[i] = append(t.Rows[i], column.of(&c.List[i]))
		}
	}
	var why []Item
	for i := range c.List {
		x := &c.List[i]
		if x.Reason == "" && len(x.Notes) == 0 {
			continue
		}
		it := ItemOf(Join(Code(x.Name), c.Words.Colon), x.Reason)
		var notes []Item
		for _, n := range x.Notes {
			notes = append(notes, ItemOf(n.lead(), n.Text))
		}
		if len(notes) > 0 {
			it.More = append(it.More, List{Items: notes})
		}
		why = append(why, it)
	}
	if len(why) == 0 {
		return []Block{t}
	}
	return []Block{t, List{Items: why}}
}

func (n Note) lead() Prose {
	if n.Lead == "" {
		return nil
	}
	return Join(n.Lead + " ")
}
