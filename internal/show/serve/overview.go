package serve

import (
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// counted is how many findings of one severity there are, and the first of them.
type counted struct {
	Severity string // its name, which is a class
	Word     string
	N        int
	Titles   []title
	More     string
	more     int
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
	t := tongueOf(r)
	v := t.view()
	data := map[string]any{"Host": t.Subject(c.Subject), "Findings": counts(c.Report.In(v.Words), t)}
	if n := len(c.Accepted); n > 0 {
		data["Accepted"] = t.Many(n, "{n} more finding is accepted by {policy}.",
			"{n} more findings are accepted by {policy}.", "policy", c.Policy)
	}
	var instances []string
	for _, in := range c.Subject.Instances {
		instances = append(instances, t.Instance(in))
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
		data["NoPlan"] = sentence(say.ErrorIn(err, v.Words))
	default:
		if data["Budget"], err = web.Budget(p.Budget, v); err != nil {
			return err
		}
		data["Changes"] = t.changes(p.Changes)
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

// changes says how many changes a plan has, and when they would be in force, the gentlest first.
func (t *tongue) changes(list []plan.Change) template.HTML {
	page := link("/plan", t.Word(nameOf("/plan")))
	if len(list) == 0 {
		return t.rich(say.M("{plan}: no changes.", "plan", page))
	}
	n := map[knob.Effect]int{}
	for _, c := range list {
		n[c.Effect]++
	}
	var out []string
	for e := knob.Now; e <= knob.Reboot; e++ {
		if n[e] > 0 {
			out = append(out, t.EffectCount(e, n[e]))
		}
	}
	return t.rich(say.N(len(list), "{plan}: {n} change ({effects}).", "{plan}: {n} changes ({effects}).", "plan", page,
		"effects", strings.Join(out, ", ")))
}

func hostTitle(sub document.Subject) say.Message {
	if sub.Host == "" {
		return nameOf("/")
	}
	return say.M("Overview of {host}", "host", typeset.Clean(sub.Host))
}

// counts divides findings, which are ordered worst first, by severity. What one
// check has found in several places is one line.
func counts(r check.Report, t *tongue) []counted {
	var out []counted
	for _, f := range r.Findings {
		sev := f.Severity.String()
		if n := len(out); n == 0 || out[n-1].Severity != sev {
			out = append(out, counted{Severity: sev, Word: t.Severity(f.Severity)})
		}
		last := &out[len(out)-1]
		last.N++
		place := strings.TrimSpace(t.Place(f))
		if i := slices.IndexFunc(last.Titles, func(have title) bool { return have.ID == f.ID }); i >= 0 {
			if have := &last.Titles[i]; !slices.Contains(have.Places, place) {
				have.Places = append(have.Places, place)
			}
			last.Titles[i].N++
			continue
		}
		if len(last.Titles) == mostTitles {
			last.more++
			last.More = t.Many(last.more, "and {n} more", "and {n} more")
			continue
		}
		last.Titles = append(last.Titles, title{f.ID, f.Title, []string{place}, 1})
	}
	return out
}
