package serve

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// looked is one look at the host, with what was made of it.
type looked struct {
	*app.Session
	check document.Check
	plans map[app.PlanAsk]planned // under the gate
}

type planned struct {
	plan document.Plan
	err  error
}

// mostPlans of one look are kept; a reader who tries more of them starts over.
const mostPlans = 32

// collect looks at the host and judges it.
func (s *Server) collect(ctx context.Context) (*looked, error) {
	l, err := s.o.Site.Look(ctx)
	if err != nil {
		return nil, err
	}
	r, file, err := s.o.Site.Check(l)
	if err != nil {
		return nil, err
	}
	c := document.Check{Report: r, Subject: document.SubjectOf(l.Snapshot), Policy: file}
	return &looked{Session: l, check: c, plans: map[app.PlanAsk]planned{}}, nil
}

// planFrom makes a plan of a look, or returns the one that was made. It may ask
// installed programs how much shared memory they would need, so it takes its turn.
func (s *Server) planFrom(ctx context.Context, l *looked, a app.PlanAsk) (document.Plan, error) {
	if err := enter(ctx, s.gate); err != nil {
		return document.Plan{}, err
	}
	defer func() { <-s.gate }()
	if p, ok := l.plans[a]; ok {
		return p.plan, p.err
	}
	// A reader who goes away interrupts the plan; that is no result of it.
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	made, err := s.o.Site.Plan(ctx, l.Session, a)
	if ctx.Err() != nil {
		return document.Plan{}, ctx.Err()
	}
	p := document.Plan{}
	if err == nil {
		p = document.Plan{Plan: made, Subject: document.SubjectOf(l.Snapshot)}
	}
	if len(l.plans) >= mostPlans {
		clear(l.plans)
	}
	l.plans[a] = planned{p, err}
	return p, err
}

// plan shows the plan of the host, for what the address says.
func (s *Server) plan(w http.ResponseWriter, r *http.Request) error {
	said := r.URL.Query()
	fields := purpose(said, say.M("from the policy, or mixed"))
	fill(said, fields)
	a := asked(said, fields)
	data := map[string]any{"Fields": fields, "Open": a != app.PlanAsk{}}
	if wrongOnes(fields) {
		data["Wrong"], data["Open"] = true, true
		return s.page(w, r, http.StatusUnprocessableEntity, sheet{Title: nameOf("/plan"), Here: "/plan", Name: "plan",
			Data: data})
	}
	l, err := s.look.get(r.Context())
	if err != nil {
		return err
	}
	p, err := s.planFrom(r.Context(), l.value, a)
	if err != nil {
		return err
	}
	body, err := web.Plan(p, tongueOf(r).view())
	if err != nil {
		return err
	}
	flags := strings.Join(append(planFlags(a), quoted(s.o.Target)...), " ")
	data["Command"] = strings.TrimSpace("pgfettle plan " + flags)
	data["Apply"] = strings.TrimSpace("pgfettle apply " + flags)
	return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/plan"), Here: "/plan", Name: "plan", Data: data,
		Body: body,
		Made: s.asOf(l.value.Snapshot.TakenAt, l.took)})
}

// planFlags are those of `pgfettle plan` that say the same.
func planFlags(a app.PlanAsk) []string {
	var out []string
	add := func(flag, v string) {
		if v != "" {
			out = append(out, "--"+flag, v)
		}
	}
	add("profile", a.Profile)
	if a.Connections > 0 {
		add("connections", strconv.Itoa(a.Connections))
	}
	if a.Active > 0 {
		add("active", strconv.Itoa(a.Active))
	}
	add("storage", a.Storage)
	if a.Shared {
		out = append(out, "--dedicated=false")
	}
	return out
}

// quoted writes an argument as a shell takes it; nothing if there is none.
func quoted(s string) []string {
	if s == "" {
		return nil
	}
	plain := !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune("/._-=:@,+", r))
	})
	if plain {
		return []string{s}
	}
	return []string{"'" + strings.ReplaceAll(s, "'", `'\''`) + "'"}
}

// findings shows what is wrong.
func (s *Server) findings(w http.ResponseWriter, r *http.Request) error {
	l, err := s.look.get(r.Context())
	if err != nil {
		return err
	}
	c := l.value.check
	c.All = r.URL.Query().Get("all") != ""
	body, err := web.Check(c, tongueOf(r).view())
	if err != nil {
		return err
	}
	return s.page(w, r, http.StatusOK, sheet{Title: nameOf("/findings"), Here: "/findings", Body: body,
		Made: s.asOf(l.value.Snapshot.TakenAt, l.took)})
}

// kernelPart reports whether a plan changes something outside the server.
func kernelPart(p document.Plan) bool {
	return slices.ContainsFunc(p.Changes, func(c plan.Change) bool { return c.Layer != knob.Instance })
}

// address is that of a page with what was said, without what was not.
func address(path string, said url.Values) string {
	out := url.Values{}
	for name, list := range said {
		if len(list) > 0 && list[0] != "" {
			out.Set(name, list[0])
		}
	}
	if len(out) == 0 {
		return path
	}
	return path + "?" + out.Encode()
}
