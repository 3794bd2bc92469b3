package experiments

import (
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// loading is a step, and a part of the time. English has one word for it and for the load; what stands for nothing
// keeps the templates apart.
var loading = say.M("load{nothing}", "nothing", "")

// steps are the words for the steps of an experiment, and of those that a configuration has for each of them.
var steps = map[string]say.Message{
	"statements": say.M("statements"),
	"load":       loading,
	"clean":      say.M("clean"),
}

var stepsOf = map[string]say.Template{
	"copy":        "{configuration}, copy",
	"start":       "{configuration}, start",
	"warm-up":     "{configuration}, warm-up",
	"calibration": "{configuration}, calibration",
	"measure":     "{configuration}, measure",
	"checkpoint":  "{configuration}, checkpoint",
	"count":       "{configuration}, count",
	"stop":        "{configuration}, stop",
}

// Progress is a step of an experiment in a line: "block 3 of 8, B, measure, about 12 min left".
func Progress(ev experiment.Event) say.List {
	var line say.List
	add := func(m say.Message) { line.Items = append(line.Items, m) }
	at := []any{"n", strconv.Itoa(ev.Block), "all", strconv.Itoa(ev.Blocks)}
	switch {
	case ev.Block > 0 && ev.Ended && len(ev.Discarded) > 0:
		add(say.M("block {n} of {all} discarded: {reasons}", append(at, "reasons", Reasons(ev.Discarded))...))
	case ev.Block > 0 && ev.Ended:
		add(say.M("block {n} of {all} completed", at...))
	case ev.Block > 0:
		add(say.M("block {n} of {all}", at...))
	}
	if !ev.Ended {
		step, known := stepsOf[ev.Step]
		word, alone := steps[ev.Step]
		switch {
		case known && ev.Config != "" && ev.Block > 0:
			add(say.M(step, "configuration", ev.Config))
		case alone:
			add(word)
		case ev.Step != "":
			add(say.Text(ev.Step))
		}
	}
	if ev.Left >= time.Second {
		add(say.M("about {time} left", "time", experiment.Span(ev.Left)))
	}
	return line
}
