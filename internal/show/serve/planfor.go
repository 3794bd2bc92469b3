package serve

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/json"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// form is another form of a plan, for a file.
type form struct {
	name   string
	label  say.Message
	suffix string
	write  func(io.Writer, document.Plan, *snapshot.Snapshot, string) error
}

// whole is a form that is about the whole plan and not about one instance.
func whole(f func(io.Writer, document.Plan, *snapshot.Snapshot) error) func(io.Writer, document.Plan,
	*snapshot.Snapshot, string) error {
	return func(w io.Writer, d document.Plan, s *snapshot.Snapshot, _ string) error { return f(w, d, s) }
}

var planForms = []form{
	{"alter-system", say.Text("ALTER SYSTEM (SQL)"), ".sql", export.AlterSystem},
	{"conf", say.Text("postgresql.conf"), ".conf", export.Conf},
	{"sysctl", say.Text("sysctl.d"), ".conf", whole(export.Sysctl)},
	{"script", say.M("shell script"), ".sh", whole(export.Script)},
	{"ansible", say.M("Ansible playbook"), ".yml", whole(export.Ansible)},
	{"patroni", say.Text("Patroni"), ".yml", export.Patroni},
	{"cnpg", say.Text("CloudNativePG"), ".yml", export.CNPG},
	{"docker", say.Text("docker run, compose"), ".yml", export.Docker},
	{"json", say.Text("JSON"), ".json", func(w io.Writer, d document.Plan, _ *snapshot.Snapshot, _ string) error {
		return json.Plan(w, d)
	}},
}

// describedPlan is a plan for a described host.
type describedPlan struct {
	spec string
	ask  app.PlanAsk
	plan document.Plan
	snap *snapshot.Snapshot
}

// questions are the form, filled in with what was said.
type questions struct{ hardware, purpose, further []field }

func ask(said url.Values) questions {
	q := questions{hardware(said), purpose(said, say.Message{}), further(said)}
	if formValue(said, "profile") == "" {
		for i, c := range q.purpose[0].Choices {
			q.purpose[0].Choices[i].Chosen = c.Value == string(rule.Mixed)
		}
	}
	for i := range q.purpose {
		switch f := &q.purpose[i]; f.Name {
		case "connections":
			f.Help = say.M("max_connections; empty: 100, the default")
		case "storage":
			f.Choices[0].Label = say.M("unknown")
		}
	}
	for _, list := range [][]field{q.hardware, q.purpose, q.further} {
		fill(said, list)
	}
	return q
}

// planFor makes the plan that a form asks for; false if an answer is wrong, which is noted beside its question. It
// reads nothing but the form, by the same way as `pgfettle plan --for`.
func planFor(ctx context.Context, said url.Values, q questions) (*describedPlan, bool, error) {
	a := asked(said, q.purpose)
	spec, ok := described(said, q.hardware, q.purpose, q.further)
	if !ok || wrongOnes(q.hardware, q.purpose, q.further) {
		return nil, false, nil
	}
	a.Storage = "" // it is given by the description
	p, snap, err := app.PlanDescribed(ctx, spec, a)
	if err != nil {
		return nil, false, err
	}
	return &describedPlan{spec, a, document.Plan{Plan: p, Subject: document.SubjectOf(snap)}, snap}, true, nil
}

// describedPlan is planFor, a few at a time: each takes a CPU for a moment.
func (s *Server) describedPlan(ctx context.Context, said url.Values, q questions) (*describedPlan, bool, error) {
	if err := enter(ctx, s.work); err != nil {
		return nil, false, err
	}
	defer func() { <-s.work }()
	return planFor(ctx, said, q)
}

// planFor shows the form, and the plan where it was filled in.
func (s *Server) planFor(w http.ResponseWriter, r *http.Request) error {
	t, said := tongueOf(r), r.URL.Query()
	q := ask(said)
	p := sheet{Title: nameOf("/plan/for"), Here: "/plan/for", Name: "planfor"}
	show := func(status int, wrong bool) error {
		more := slices.ContainsFunc(q.further, func(f field) bool { return f.Value != "" || !f.Wrong.IsZero() })
		p.Data = map[string]any{"Hardware": q.hardware, "Purpose": q.purpose, "Further": q.further, "More": more,
			"Wrong": wrong}
		return s.page(w, r, status, p)
	}
	if len(said) == 0 {
		return show(http.StatusOK, false)
	}
	d, ok, err := s.describedPlan(r.Context(), said, q)
	switch {
	case err != nil:
		return err
	case !ok:
		return show(http.StatusUnprocessableEntity, true)
	}
	body, err := web.Plan(d.plan, t.view())
	if err != nil {
		return err
	}
	files, err := export.Files(d.plan, d.snap)
	if err != nil {
		return err
	}
	var links []web.Link
	for _, f := range planForms {
		if f.name != "sysctl" || kernelPart(d.plan) {
			links = append(links, web.Link{Href: address("/plan/for/"+f.name, said), Text: t.Word(f.label)})
		}
	}
	command := strings.Join(append([]string{"pgfettle plan --for", quoted(d.spec)[0]}, planFlags(d.ask)...), " ")
	tail, err := t.piece("files", map[string]any{"Files": files, "Forms": links, "Command": command})
	if err != nil {
		return err
	}
	p.Body = html.Join(body, tail)
	p.Made = say.M("Based on the form only: no host was inspected. pgfettle {version}.", "version", s.o.Version)
	return show(http.StatusOK, false)
}

// planForm gives a form of that plan out as a file.
func (s *Server) planForm(w http.ResponseWriter, r *http.Request) error {
	said := r.URL.Query()
	i := slices.IndexFunc(planForms, func(f form) bool { return f.name == r.PathValue("form") })
	if i < 0 {
		return s.nothing(w, r)
	}
	d, ok, err := s.describedPlan(r.Context(), said, ask(said))
	switch {
	case err != nil:
		return err
	case !ok:
		return &problem{http.StatusUnprocessableEntity, say.M("The address does not describe a host."),
			say.M("Fill in the form on the page {page}. Its result has links to the plan in other formats.", "page",
				pageNamed("/plan/for"))}
	}
	key := ""
	if keys := export.Keys(d.plan); len(keys) > 0 {
		key = keys[0]
	} else if len(d.snap.Instances) > 0 {
		key = d.snap.Instances[0].Key
	}
	f := planForms[i]
	var b bytes.Buffer
	if err := f.write(&b, d.plan, d.snap, key); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="pgfettle-`+f.name+f.suffix+`"`)
	_, err = w.Write(b.Bytes())
	return gone(err)
}
