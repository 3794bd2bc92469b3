package queryplan

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

var (
	// looseGroup is what stands in brackets behind a node's name
	looseGroup = regex.New(`\((actual|cost=)([^()]*)\)`)
	// looseFigure is one of its figures, of which a person may have left out a part: time=... ..42.1
	looseFigure = regex.New(`\b(cost|time|rows|loops|width) ?= ?([\d.,…]*(?: ?\.\.[\d.,]+)?) ?(ms|s|secs?|µs|us)?\b?`)
	// lastNumber is the number that a figure ends with
	lastNumber = regex.New(`(?:^|\.\.|…)(\d[\d,]*(?:\.\d+)?)$`)
	// dotsBehind stand for the figures that follow
	dotsBehind = regex.New(` +(?:\.{2,}|…)[.…]*$`)
	wholeRange = regex.New(`^(\d[\d.]*?)\.\.(\d[\d.]*)$`)
)

// loose reads the figures of a node that are not whole: what a person left out of them is unknown.
func (n *Node) loose(text string) {
	if n.Actual != nil && n.Cost != nil {
		return
	}
	for _, group := range looseGroup.FindAllStringSubmatch(text, 4) {
		figures := map[string]string{}
		unit := ""
		for _, m := range looseFigure.FindAllStringSubmatch(group[1]+group[2], 10) {
			if figures[m[1]] = strings.TrimSpace(dotsBehind.ReplaceAllString(m[2], "")); m[1] == "time" {
				unit = m[3]
			}
		}
		switch {
		case group[1] == "actual" && n.Actual == nil:
			n.Actual = looseActual(figures, unit)
		case group[1] != "actual" && n.Cost == nil:
			n.Cost = looseCost(figures)
		}
	}
}

func looseActual(figures map[string]string, unit string) *Actual {
	a := &Actual{Loops: 1, NoRows: true}
	known := false
	if v, ok := last(figures["rows"]); ok {
		a.Rows, a.NoRows, known = v, false, true
	}
	if v, ok := last(figures["time"]); ok {
		v = inUnit(v, unit)
		if unit == "µs" || unit == "us" {
			v /= 1000
		}
		a.Total, known = &v, true
	}
	if m := wholeRange.FindStringSubmatch(figures["time"]); m != nil {
		if v, ok := number(m[1]); ok {
			v = inUnit(v, unit)
			a.Startup = &v
		}
	}
	if v, ok := last(figures["loops"]); ok {
		a.Loops, known = v, known || v > 1
	}
	if !known {
		return nil
	}
	return a
}

func looseCost(figures map[string]string) *Cost {
	rows, ok := last(figures["rows"])
	m := wholeRange.FindStringSubmatch(figures["cost"])
	if !ok { // an estimate without rows says nothing of the plan
		return nil
	}
	c := &Cost{Rows: rows, NoTotal: m == nil, Width: leadingNumber(figures["width"])}
	if m != nil {
		c.Startup, _ = number(m[1])
		c.Total, _ = number(m[2])
	}
	return c
}

// last is the number that a figure ends with; false where a person left it out.
func last(s string) (float64, bool) {
	m := lastNumber.FindStringSubmatch(strings.ReplaceAll(s, " ", ""))
	if m == nil {
		return 0, false
	}
	return number(strings.ReplaceAll(m[1], ",", ""))
}
