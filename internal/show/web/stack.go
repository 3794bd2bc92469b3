package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
)

// A stack is one bar whose parts add up to a whole. Like that of the budget it is drawn manually, in percent of the
// width, so that it is as wide as its page and its words are as large as the text.

// stackPart is one part of the bar.
type stackPart struct {
	Name  string
	Size  float64
	Label string // the size for people
	Class string // of the rectangle, of the style sheet; "" is an empty frame
	Patch string // of the patch beside its name
}

// sized is a part that is an amount of memory.
func (v View) sized(name say.Message, size unit.Bytes, class string) stackPart {
	return stackPart{name.In(v.Words), float64(size), v.Words.Value(size), class, class}
}

type stackPiece struct {
	Class, Ink string
	Tip, Label string
	X, Width   string
}

// stack draws parts, those that are nothing left out. The legend below it has the sizes of all.
func (v View) stack(name string, parts []stackPart) (html.Picture, error) {
	sum := 0.0
	for _, p := range parts {
		sum += max(p.Size, 0)
	}
	if sum <= 0 {
		return html.Picture{}, nil
	}
	out := html.Picture{Title: name, Quiet: true}
	var pieces []stackPiece
	x := 0.0
	for _, p := range parts {
		if p.Size <= 0 {
			continue
		}
		w := 100 * p.Size / sum
		tip := v.say("{name}: {amount} ({percent})", "name", p.Name, "amount", p.Label, "percent",
			say.Number(fmt.Sprintf("%.1f%%", w)))
		piece := stackPiece{Class: p.Class, Tip: tip, X: fmt.Sprintf("%.2f%%", x), Width: fmt.Sprintf("%.2f%%", w),
			Ink: "inside-dark"}
		switch id, memory := strings.CutPrefix(p.Class, "c-"); {
		case p.Class == "":
			piece.Ink = "text"
		case !memory || deep[id]: // the lines' colors are dark on light pages and light on dark ones
			piece.Ink = "inside"
		}
		if w >= labelled {
			piece.Label = p.Label
		}
		x += w
		pieces = append(pieces, piece)
		out.Keys = append(out.Keys, html.Key{Class: p.Patch, Text: tip})
	}
	var err error
	out.SVG, err = fragment("stack", struct {
		Name   string
		Pieces []stackPiece
	}{name, pieces})
	return out, err
}

// memoryClasses are the colors of the parts of a host's memory: those that the budget has for the same things.
var memoryClasses = map[string]string{
	memory.PartTables: "c-page_tables", memory.PartPrivate: "c-backends", memory.PartShared: "c-shared",
	memory.PartHuge:   "c-work",
	memory.PartOthers: "c-others", memory.PartTables2: "c-maintenance", memory.PartKernel: "c-reserve",
	memory.PartUntold:   "c-reserve",
	memory.PartIdleHuge: "c-unused",
	memory.PartCache:    "c-file_cache", memory.PartFree: "",
}

// memoryStack is where the memory of a host is.
func (v View) memoryStack(h *memory.Host) (html.Picture, error) {
	var parts []stackPart
	for _, p := range h.Parts {
		parts = append(parts, v.sized(memory.PartTitles[p.Name], p.Size, memoryClasses[p.Name]))
	}
	return v.stack(v.say("Memory of the host"), parts)
}

// heldStack is what held the memory at a kill. What the report does not list is the rest of the total, if the total is
// known.
func (v View) heldStack(m *oom.Memory) (html.Picture, error) {
	var parts []stackPart
	var sum unit.Bytes
	for _, p := range reports.HeldParts(m) {
		if !p.In && p.Size > 0 {
			parts = append(parts, v.sized(p.Name, p.Size, p.Class))
			sum += p.Size
		}
	}
	if m.Total != nil && *m.Total > sum {
		parts = append(parts, v.sized(say.M("not in the report"), *m.Total-sum, "c-others"))
	}
	return v.stack(v.say("Memory use"), parts)
}

// ranked draws the largest of many parts, each with its own color, and the rest together: more than six colors are hard
// to distinguish.
func (v View) ranked(name string, parts []stackPart, rest func(float64) string) (html.Picture, error) {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b stackPart) int { return cmp.Compare(b.Size, a.Size) })
	if len(parts) > mostSeries {
		others := 0.0
		for _, p := range parts[mostSeries-1:] {
			others += p.Size
		}
		parts = append(parts[:mostSeries-1], stackPart{Name: v.say("others"), Size: others, Label: rest(others)})
	}
	for i := range parts {
		parts[i].Class, parts[i].Patch = fmt.Sprintf("f%d", i+1), fmt.Sprintf("c-%d", i+1)
	}
	return v.stack(name, parts)
}

func (v View) bytesOf(x float64) string { return v.Words.Value(unit.Bytes(x)) }

// tablesStack is the page tables of an instance by kind of process.
func (v View) tablesStack(in *memory.Instance) (html.Picture, error) {
	var parts []stackPart
	for i := range in.Kinds {
		k := &in.Kinds[i]
		parts = append(parts, v.sized(reports.KindName(k), k.PageTables, ""))
	}
	return v.ranked(v.say("Page tables by kind of process"), parts, v.bytesOf)
}

// waitsStack is what the processes of a server did, on average at once.
func (v View) waitsStack(d *sampled.Sample) (html.Picture, error) {
	average := func(seen float64) string { return v.Words.Value(reports.Average(d, seen)) }
	var parts []stackPart
	for i := range d.Waits {
		w := &d.Waits[i]
		parts = append(parts, stackPart{Name: reports.WaitName(w).In(v.Words) + ", " + w.Backend, Size: float64(w.Seen),
			Label: average(float64(w.Seen))})
	}
	return v.ranked(v.say("Active sessions by wait event"), parts, average)
}

// spillsStack is temporary files by their size.
func (v View) spillsStack(t *serverlog.Temp) (html.Picture, error) {
	var parts []stackPart
	for i := range t.Classes {
		c := &t.Classes[i]
		parts = append(parts, v.sized(reports.ClassName(c), c.Bytes, ""))
	}
	return v.ranked(v.say("Temporary files by size"), parts, v.bytesOf)
}
