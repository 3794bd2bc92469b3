package say

import "strings"

// List is things that a sentence names one after the other. Past Most of them it says how many
// more there are; 0 is no bound.
type List struct {
	Items []Message
	Sep   string // ", " if it is ""
	Most  int
}

// Names is a list of names and values, which no language changes.
func Names(names []string, most int) List {
	l := List{Most: most}
	for _, n := range names {
		l.Items = append(l.Items, Text(oneLine(n)))
	}
	return l
}

// OneOf is names of which one is meant: "a or b".
func OneOf(names []string) Message {
	if len(names) == 0 {
		return Message{}
	}
	last := Text(oneLine(names[len(names)-1]))
	if len(names) == 1 {
		return last
	}
	return M("{others} or {last}", "others", Names(names[:len(names)-1], 0), "last", last)
}

// In returns the list in the language of a catalog.
func (l List) In(c *Catalogue) string {
	sep := l.Sep
	if sep == "" {
		sep = ", "
	}
	shown := l.Items
	if l.Most > 0 && len(shown) > l.Most {
		shown = shown[:l.Most]
	}
	texts := make([]string, 0, len(shown)+1)
	for _, m := range shown {
		texts = append(texts, m.In(c))
	}
	if more := len(l.Items) - len(shown); more > 0 {
		texts = append(texts, N(more, "and {n} more", "and {n} more").In(c))
	}
	return strings.Join(texts, sep)
}

// String returns the list in English.
func (l List) String() string { return l.In(nil) }
