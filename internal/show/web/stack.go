package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
)

// A stack is one bar whose parts add up to a whole. Like that of the budget it is
// drawn by hand, in per cent of the width, so that it is as wide as its page and
// its words are as large as the text.

// stackPart is one part of the bar.
type stackPart struct {
	Name  string
	Size  float64
	Label string // the size for people
	Class string // of the rectangle, of the style sheet; "" is an empty frame
	Patch string // of the patch beside its name
}

// sized is a part that is an amount of memory.
func sized(name string, size unit.Bytes, class string) stackPart {
	return stackPart{name, float64(size), size.String(), class, class}
}

type stackPiece struct {
	Class, Ink string
	Tip, Label string
	X, Width   string
}

// stack draws parts, those that are nothing left out. The keys below it tell the
// sizes of all.
func stack(name string, parts []stackPart) (html.Picture, error) {
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
		tip := fmt.Sprintf("%s: %s (%.1f %%)", p.Name, p.Label, w)
		piece := stackPiece{Class: p.Class, Tip: tip, X: fmt.Sprintf("%.2f%%", x), Width: fmt.Sprintf("%.2f%%", w),
			Ink: "inside-dark"}
		switch id, memory := strings.CutPrefix(p.Class, "c-"); {
		case p.Class == "":
			piece.Ink = "text"
		case !memory || deep[id]: // the lines' colours are dark on light pages and light on dark ones
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

// memoryClasses are the colours of the parts of a host's memory: those that the
// budget has for the same things.
var memoryClasses = map[string]string{
	memory.PartTables: "c-page_tables", memory.PartPrivate: "c-backends", memory.PartShared: "c-shared",
	memory.PartHuge:   "c-work",
	memory.PartOthers: "c-others", memory.PartTables2: "c-maintenance", memory.PartKernel: "c-reserve",
	memory.PartUntold:   "c-reserve",
	memory.PartIdleHuge: "c-unused",
	memory.PartCache:    "c-file_cache", memory.PartFree: "",
}

// memoryStack is where the memory of a host is.
func memoryStack(h *memory.Host) (html.Picture, error) {
	var parts []stackPart
	for _, p := range h.Parts {
		parts = append(parts, sized(p.Name, p.Size, memoryClasses[p.Name]))
	}
	return stack("Where the memory of the host is", parts)
}

// heldStack is what held the memory at a kill. What the report does not tell is
// the rest of the whole, where the whole is known.
func heldStack(m *oom.Memory) (html.Picture, error) {
	var parts []stackPart
	var sum unit.Bytes
	for _, p := range []struct {
		name  string
		size  *unit.Bytes
		class string
	}{
		{"anonymous", m.Anon, "c-backends"}, {"shared", m.Shared, "c-shared"},
		{"page tables", m.PageTables, "c-page_tables"},
		{"kernel (slab)", m.Slab, "c-reserve"}, {"huge pages", m.HugeTotal, "c-work"},
		{"file cache", m.Cache, "c-file_cache"}, {"free", m.Free, ""},
	} {
		if p.size != nil && *p.size > 0 {
			parts = append(parts, sized(p.name, *p.size, p.class))
			sum += *p.size
		}
	}
	if m.Total != nil && *m.Total > sum {
		parts = append(parts, sized("not told", *m.Total-sum, "c-others"))
	}
	return stack("What held the memory", parts)
}

// ranked draws the largest of many parts, each with a colour of its own, and the
// rest together: more than six colours nobody tells apart.
func ranked(name string, parts []stackPart, rest func(float64) string) (html.Picture, error) {
	parts = slices.Clone(parts)
	slices.SortStableFunc(parts, func(a, b stackPart) int { return cmp.Compare(b.Size, a.Size) })
	if len(parts) > mostSeries {
		others := 0.0
		for _, p := range parts[mostSeries-1:] {
			others += p.Size
		}
		parts = append(parts[:mostSeries-1], stackPart{Name: "the others", Size: others, Label: rest(others)})
	}
	for i := range parts {
		parts[i].Class, parts[i].Patch = fmt.Sprintf("f%d", i+1), fmt.Sprintf("c-%d", i+1)
	}
	return stack(name, parts)
}

func bytesOf(x float64) string { return unit.Bytes(x).String() }

// tablesStack is the page tables of an instance by kind of process.
func tablesStack(in *memory.Instance) (html.Picture, error) {
	var parts []stackPart
	for i := range in.Kinds {
		k := &in.Kinds[i]
		parts = append(parts, sized(reports.KindName(k), k.PageTables, ""))
	}
	return ranked("Page tables by kind of process", parts, bytesOf)
}

// waitsStack is what the processes of a server did, on average at once.
func (v View) waitsStack(d *sampled.Sample) (html.Picture, error) {
	average := func(seen float64) string { return v.say("{n}", "n", reports.Average(d, seen)) }
	var parts []stackPart
	for i := range d.Waits {
		w := &d.Waits[i]
		parts = append(parts, stackPart{Name: reports.WaitName(w).In(v.Words) + ", " + w.Backend, Size: float64(w.Seen),
			Label: average(float64(w.Seen))})
	}
	return ranked(v.say("Active sessions by wait event"), parts, average)
}

// spillsStack is temporary files by their size.
func (v View) spillsStack(t *serverlog.Temp) (html.Picture, error) {
	var parts []stackPart
	for i := range t.Classes {
		c := &t.Classes[i]
		parts = append(parts, sized(reports.ClassName(c).In(v.Words), c.Bytes, ""))
	}
	return ranked(v.say("Temporary files by size"), parts, bytesOf)
}
