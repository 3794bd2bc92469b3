package top

import (
	"context"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/now"
)

// patience is how long a look may hang if no one sees that it does: twice what the server may take.
const patience = 10 * time.Second

func hung() *known.Gap { return &known.Gap{Reason: "no answer within " + patience.String()} }

// background runs looks of one kind, one at a time: one that hangs is waited for no longer than patience, and no other
// is begun next to it.
type background[T any] struct {
	out chan T // of one that was given up
}

func (b *background[T]) run(ctx context.Context, look func() T) (v T, ok bool) {
	if b.out == nil {
		b.out = make(chan T, 1)
		go func(out chan T) { out <- look() }(b.out)
	}
	select {
	case v = <-b.out:
		b.out = nil
		return v, true
	case <-time.After(patience):
	case <-ctx.Done():
	}
	return v, false
}

// snapshot writes everything that the view has, once: the head and all four tables
// in full, then what is not known.
func snapshot(st Style, r *now.Report, width int, clock string, every time.Duration) string {
	var b strings.Builder
	for _, l := range appendHead(st, r, width, clock, every) {
		b.WriteString(l + "\n")
	}
	for page := range tableCount {
		for i, t := range tables(st, page, r, width >= wideFrom) {
			by := order{}
			title := t.title
			if i == 0 {
				by, title = first[page], st.Words.Word(tableNames[page])
			}
			t.sort(by, "")
			b.WriteString("\n" + st.paint(strong, title) + "\n")
			if len(t.order) == 0 {
				b.WriteString(t.empty + "\n")
				continue
			}
			for _, l := range t.lines(st, width, order{}) {
				b.WriteString(l() + "\n")
			}
		}
	}
	if len(r.Unknown) > 0 {
		b.WriteString("\n" + st.paint(strong, st.say("Unknown")) + "\n")
		for _, g := range r.Unknown {
			for i, l := range wrap(reason(st, g), max(width-4, 20)) {
				b.WriteString(strings.Repeat(" ", 2+2*min(i, 1)) + l + "\n")
			}
		}
	}
	if cost := costLine(st, r, width); cost != "" {
		b.WriteString("\n" + st.paint(faint, cost) + "\n")
	}
	return b.String()
}
