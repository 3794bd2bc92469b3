package serve

import (
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// counted is how many findings of one severity there are, and the first of them.
type counted struct {
	Severity string
	N        int
	Titles   []title
	More     int
}

type title struct {
	ID, Text string
	Places   []string
	N        int
}

// mostTitles of one severity are on the first page; the others are one link away.
const mostTitles = 5

// overview is the first page: the host in a line, its memory, what is wrong, what
// would change, what was not seen.
func (s *Server) overview(w http.ResponseWriter, r *http.Request) error {
	l, err := s.look.get(r.Context())
	if err != nil {
		return err
	}
	c := l.value.check
	v := s.view()
	tell := outline.WordsIn(v.Words)
	data := map[string]any{"Host": tell.Subject(c.Subject),
		"Findings": counts(c.Report.In(v.Words), tell), "Accepted": len(c.Accepted), "Policy": c.Policy}
	var instances []string
	for _, in := range c.Subject.Instances {
		instances = append(instances, tell.Instance(in))
	}
	data["Instances"] = instances
	// A plan that cannot be made, such as one against the policy, takes nothing
	// from the rest of the page.
	p, err := s.planFrom(r.Context(), l.value, app.PlanAsk{})
	gaps := c.Unknown
	switch {
	case r.Context().Err() != nil:
		return errGone
	case err != nil:
		data["NoPlan"] = sentence(err.Error())
	default:
		if data["Budget"], err = web.Budget(p.Budget, v); err != nil {
			return err
		}
		data["Changes"], data["Effects"] = len(p.Changes), effects(p.Changes)
		for _, g := range p.Unknown {
			if !slices.Contains(gaps, g) {
				gaps = append(gaps[:len(gaps):len(gaps)], g)
			}
		}
	}
	var unseen template.HTML
	if len(gaps) > 0 {
		if unseen, err = web.Unseen(gaps, v); err != nil {
			return err
		}
	}
	data["Unseen"] = unseen
	return s.page(w, r, http.StatusOK, sheet{Title: hostTitle(c.Subject), Here: "/", Name: "overview", Data: data,
		Made: s.asOf(l.value.Snapshot.TakenAt, l.took)})
}

// effects says when the changes of a plan would be in force, the gentlest first.
func effects(list []plan.Change) string {
	n := map[knob.Effect]int{}
	for _, c := range list {
		n[c.Effect]++
	}
	var out []string
	for e := knob.Now; e <= knob.Reboot; e++ {
		if n[e] > 0 {
			out = append(out, fmt.Sprintf("%d in force %s", n[e], effect(e)))
		}
	}
	return strings.Join(out, ", ")
}

func hostTitle(sub document.Subject) string {
	if sub.Host == "" {
		return "Overview"
	}
	return "Overview of " + typeset.Clean(sub.Host)
}

// counts divides findings, which are ordered worst first, by severity. What one
// check has found in several places is one line.
func counts(r check.Report, tell outline.Words) []counted {
	var out []counted
	for _, f := range r.Findings {
		sev := f.Severity.String()
		if n := len(out); n == 0 || out[n-1].Severity != sev {
			out = append(out, counted{Severity: sev})
		}
		last := &out[len(out)-1]
		last.N++
		place := strings.TrimSpace(tell.Place(f))
		if i := slices.IndexFunc(last.Titles, func(t title) bool { return t.ID == f.ID }); i >= 0 {
			if t := &last.Titles[i]; !slices.Contains(t.Places, place) {
				t.Places = append(t.Places, place)
			}
			last.Titles[i].N++
			continue
		}
		if len(last.Titles) == mostTitles {
			last.More++
			continue
		}
		last.Titles = append(last.Titles, title{f.ID, f.Title, []string{place}, 1})
	}
	return out
}

// effect says when a change is in force.
func effect(e knob.Effect) string {
	if e == knob.Now {
		return "at once"
	}
	return "after a " + e.String()
}
