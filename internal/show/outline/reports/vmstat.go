package reports

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

func (p probeWords) vmstat(o *outline.Outline, t *output.Vmstat) {
	kb := func(n int64) unit.Bytes { return unit.Bytes(min(n, 1<<50)) * unit.KB }
	memory := kb
	if size, ok := map[string]unit.Bytes{"MB": unit.MB, "1000 B": 1000, "1000000 B": 1e6}[t.Unit]; ok {
		memory = func(n int64) unit.Bytes { return unit.Bytes(min(n, 1<<40)) * size }
	}
	maybe := func(n *int64, spell func(unit.Bytes) any) any {
		if n == nil {
			return "?"
		}
		return spell(memory(*n))
	}
	whole := func(b unit.Bytes) any { return b }
	second := func(b unit.Bytes) any { return each(b) }
	percent := func(n int64) say.Number { return say.Number(strconv.FormatInt(n, 10) + "%") }
	stolen := len(t.Samples) > 0 && t.Samples[0].ST != nil &&
		slices.ContainsFunc(t.Samples, func(s output.VmstatSample) bool { return s.ST != nil && *s.ST > 0 })
	rows := [][]string{p.columns("line | running | blocked | swapped | free | swapped in | swapped out | read | " +
		"written | user | system | idle | waiting | steal")}
	if !stolen {
		rows[0] = rows[0][:len(rows[0])-1]
	}
	for i := range t.Samples {
		s := &t.Samples[i]
		if len(rows) > shownRows {
			o.Para(p.Many(len(t.Samples)-i, "{n} more lines: use --format json.",
				"{n} more lines: use --format json."))
			break
		}
		var name any = strconv.Itoa(i + 1)
		if s.SinceBoot {
			name = say.M("since boot")
		}
		row := p.row(name, strconv.FormatInt(s.R, 10), strconv.FormatInt(s.B, 10), maybe(s.Swpd, whole),
			memory(s.Free), maybe(s.SI, second), maybe(s.SO, second), each(kb(s.BI)), each(kb(s.BO)),
			percent(s.US), percent(s.SY),
			percent(s.ID), percent(s.WA))
		if stolen && s.ST != nil {
			row = append(row, p.Value(percent(*s.ST)))
		}
		rows = append(rows, row)
	}
	o.Add(outline.TableOf(p.Say("vmstat lines"), rows, 1))
}
