package render

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// unjudged lists the checks that could not be judged, after the facts that they
// rest on, by the reason.
func (p *page) unjudged(list []check.Unjudged) {
	for _, g := range unjudgedBy(list) {
		p.para("  ~ ", plain, p.unjudgedLine(g))
	}
}

// unjudgedItems is unjudged for an outline.
func (p *page) unjudgedItems(list []check.Unjudged) (items []Item) {
	for _, g := range unjudgedBy(list) {
		items = append(items, Item{Text: prose(p.unjudgedLine(g))})
	}
	return items
}

func (p *page) unjudgedLine(g unjudgedGroup) string {
	return p.say("show/unjudged", "{checks} not judged ({reason}): {ids}", "checks", checksOf(len(g.ids)), "reason", clean(g.reason), "ids", strings.Join(g.ids, ", "))
}

// unjudgedGroup is what could not be judged for one reason.
type unjudgedGroup struct {
	reason string
	ids    []string // sorted, each once
}

// unjudgedBy gathers the checks by reason, that of most of them first.
func unjudgedBy(list []check.Unjudged) []unjudgedGroup {
	var out []unjudgedGroup
	at := map[string]int{}
	for _, u := range list {
		if _, ok := at[u.Reason]; !ok {
			at[u.Reason] = len(out)
			out = append(out, unjudgedGroup{reason: u.Reason})
		}
		if g := &out[at[u.Reason]]; !slices.Contains(g.ids, u.ID) {
			g.ids = append(g.ids, clean(u.ID))
		}
	}
	for _, g := range out {
		slices.Sort(g.ids)
	}
	slices.SortStableFunc(out, func(a, b unjudgedGroup) int { return len(b.ids) - len(a.ids) })
	return out
}
