package experiments

import (
	"math"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/show/outline"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// figure spells a measured value with about as many digits as it deserves.
func figure(m experiment.Metric, n stat.Number) say.Number {
	switch {
	case !n.Known():
		return "?"
	case m.Unit == "B" && math.Abs(float64(n)) >= 1024:
		return say.Number(unit.Bytes(math.Round(float64(n))).String())
	case m.Unit == "B":
		return say.Number(plainFigure(float64(n)) + " B")
	case m.Unit == "ms", m.Unit == "s":
		return say.Number(plainFigure(float64(n)) + " " + m.Unit)
	}
	return say.Number(plainFigure(float64(n)))
}

func seconds(s float64) say.Number { return say.Number(plainFigure(s) + " s") }

// plainFigure gives three digits, or all before the point; two below 1.
func plainFigure(x float64) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return "?"
	case x < 0:
		return "−" + plainFigure(-x)
	case x >= 1e15:
		return strconv.FormatFloat(x, 'g', 3, 64)
	case x >= 100 || x == math.Trunc(x):
		return typeset.Digits(int(math.Round(x)))
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	case x >= 0.1:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x >= 1e-9: // two digits; what is less is the rounding of some difference
		return strconv.FormatFloat(x, 'f', 1-int(math.Floor(math.Log10(x))), 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// unit is what the columns of the metric are in.
func (d *Report) unit() say.Message {
	switch d.Metric.Unit {
	case "1/s":
		return say.Text("tps")
	case "":
		return say.Text(d.Metric.Name)
	case "ms":
		return say.M("ms")
	case "s":
		return say.M("s")
	}
	return say.Text(d.Metric.Unit)
}

// percent spells a size in percent.
func percent(n stat.Number) string {
	x := math.Abs(float64(n))
	switch {
	case !n.Known():
		return "?"
	case x >= 99.95:
		return typeset.Digits(int(math.Round(x)))
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// signedPercent spells a change with its sign.
func signedPercent(n stat.Number) string {
	s := percent(n)
	switch {
	case s == "?":
		return s
	case s == "0.0":
		return "±0.0"
	case n < 0:
		return "−" + s
	}
	return "+" + s
}

// change spells the log ratio of a block.
func change(l stat.Number) string {
	if !l.Known() {
		return "?"
	}
	return signedPercent(stat.Number(stat.Percent(float64(l)))) + "%"
}

// rangeOf is the least and the most of several figures, with the unit behind the last.
func rangeOf(low, high float64, unit string) any {
	a, b := plainFigure(low), plainFigure(high)
	if a == b {
		return say.Number(a + unit)
	}
	return fromTo(a, b+unit)
}

func fromTo(low, high string) say.Message {
	return say.M("{low} to {high}", "low", say.Number(low), "high", say.Number(high))
}

// chance spells a probability.
func chance(p outline.Words, n stat.Number) string {
	switch {
	case !n.Known():
		return "?"
	case n < 0.001:
		return "<" + p.Number("0.001")
	}
	return p.Number(strconv.FormatFloat(float64(n), 'f', 3, 64))
}
