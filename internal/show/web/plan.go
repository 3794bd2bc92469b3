package web

import (
	"fmt"
	"html/template"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// step is one command of what to do next.
type step struct{ Text, Command string }

// Plan is the sections of a plan, and how to carry it out, which is the page's own: a terminal says it in a line.
func Plan(d document.Plan, v View) (template.HTML, error) {
	d.Applying = true // no line of advice on what to do next
	body, err := v.document(outline.Plan(d, v.Words), nil)
	if err != nil {
		return "", err
	}
	steps, err := v.stepsOf(d)
	return html.Join(body, steps), err
}

// PlanPage is the page of a plan.
func PlanPage(d document.Plan, v View) (Page, error) {
	body, err := Plan(d, v)
	title := v.say("Plan")
	if d.Subject.Host != "" {
		title = v.say("Plan for {host}", "host", typeset.Clean(d.Subject.Host))
	}
	return Page{Title: title, Lang: v.lang(), Body: body}, err
}

// stepsOf is the section on how to carry a plan out; "" where it changes nothing.
func (v View) stepsOf(d document.Plan) (template.HTML, error) {
	if len(d.Changes) == 0 {
		return "", nil
	}
	return fragment("steps", struct {
		Lower   bool
		Heading string
		Steps   []step
	}{v.level > 0, v.say("To carry it out, and to take it back"), v.steps(d)})
}

// steps are the commands that carry the plan out and take it back.
func (v View) steps(d document.Plan) []step {
	out := []step{
		{v.say("On the host: show it again, ask for each group, note every change in a journal before it is made."),
			"pgfettle apply"},
	}
	restart := false
	for _, c := range d.Changes {
		restart = restart || c.Effect >= knob.Restart
	}
	if restart {
		out = append(out, step{v.say("Only what needs no restart and no reboot."),
			"pgfettle apply --max-effect reload"})
	}
	return append(out,
		step{v.say("Take it back: each value as it was, where nobody has changed it since."),
			"pgfettle undo"},
		step{v.say("Or by other hands: the files, each with its place; a playbook; a shell script."),
			fmt.Sprintf("%s\n%s\n%s", "pgfettle plan --out DIR", "pgfettle plan --format ansible",
				"pgfettle plan --format script")})
}
