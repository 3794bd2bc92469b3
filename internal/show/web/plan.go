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

// Plan is the sections of a plan, and how to apply it, which is the page's own: a terminal says it in a line.
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

// stepsOf is the section on how to apply a plan; "" if it changes nothing, or is for a cluster that is not there yet.
func (v View) stepsOf(d document.Plan) (template.HTML, error) {
	if len(d.Changes) == 0 || len(d.Upgrades) > 0 {
		return "", nil
	}
	return fragment("steps", struct {
		Lower   bool
		Heading string
		Steps   []step
	}{v.level > 0, v.say("Apply and undo"), v.steps(d)})
}

// steps are the commands that apply the plan and undo it.
func (v View) steps(d document.Plan) []step {
	out := []step{
		{v.say("On the host: show the plan again, ask before each group of changes, and record each change in a " +
			"journal before it is made."),
			"pgfettle apply"},
	}
	restart := false
	for _, c := range d.Changes {
		restart = restart || c.Effect >= knob.Restart
	}
	if restart {
		out = append(out, step{v.say("Only changes that need no restart or reboot."),
			"pgfettle apply --max-effect reload"})
	}
	return append(out,
		step{v.say("Undo: restore each former value, unless it was changed since."),
			"pgfettle undo"},
		step{v.say("For other tools: the files with their locations, an Ansible playbook, or a shell script."),
			fmt.Sprintf("%s\n%s\n%s", "pgfettle plan --out DIR", "pgfettle plan --format ansible",
				"pgfettle plan --format script")})
}
