package reports

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// failed is about allocations of the kernel that failed: which caches could not grow, and the memory at that time.
func (p oomWords) failed(o *outline.Outline, d *oom.Report) {
	if len(d.FailedCaches) == 0 && d.AtFailure == nil {
		return
	}
	o.Part(p.Say("Failed allocations of the kernel"))
	var list []outline.Item
	for i := range d.FailedCaches {
		c := &d.FailedCaches[i]
		text := say.N(c.Times, "The slab cache {name} could not grow: {n} failed allocation.",
			"The slab cache {name} could not grow: {n} failed allocations.", "name", c.Name)
		if c.Group != "" {
			text = say.All(" ", text, say.M("It belongs to the cgroup {group}, whose own limit may have been reached.",
				"group", c.Group))
		}
		list = append(list, outline.Item{Text: outline.Join(p.flat(text))})
	}
	o.List(list)
	if d.AtFailure == nil {
		return
	}
	title := p.Say("Memory at the last failed allocation")
	if t, ok := p.heldTable(title, d.AtFailure); ok {
		o.Heading(3, title)
		if total := d.AtFailure.Total; total != nil && !d.AtFailure.Summed {
			o.Para(p.flat(say.M("{total} of RAM", "total", *total)))
		}
		o.Add(t)
	}
}

// stated is what the text states outside of its logs.
func (p oomWords) stated(o *outline.Outline, d *oom.Report) {
	s := d.Stated
	if s == nil {
		return
	}
	var list []outline.Item
	add := func(m say.Message) { list = append(list, outline.Item{Text: outline.Join(p.flat(m))}) }
	if s.RAM != nil {
		add(say.M("RAM of the host: {size}", "size", *s.RAM))
	}
	if s.Swap != nil {
		add(say.M("swap: {size}", "size", *s.Swap))
	}
	if s.Limit != nil {
		add(say.M("memory limit of the container or unit: {size}", "size", *s.Limit))
	}
	if s.Kills > 0 {
		add(say.N(s.Kills, "{n} OOM kill", "{n} OOM kills"))
	}
	if s.Restarts > 0 {
		add(say.N(s.Restarts, "{n} restart", "{n} restarts"))
	}
	if s.Pod != "" {
		add(say.M("pod: {name}", "name", s.Pod))
	}
	if s.Namespace != "" {
		add(say.M("namespace: {name}", "name", s.Namespace))
	}
	if s.Node != "" {
		add(say.M("node: {name}", "name", s.Node))
	}
	if s.Exit != nil && len(d.Kills)+len(d.Units) > 0 {
		switch e := s.Exit; {
		case e.Reason != "" && !e.Time.IsZero():
			add(say.M("exit code 137 ({time}, reason {reason})", "time", e.Time, "reason", e.Reason))
		case e.Reason != "":
			add(say.M("exit code 137 (reason {reason})", "reason", e.Reason))
		default:
			add(say.M("exit code 137"))
		}
	}
	if len(list) == 0 || len(d.Kills)+len(d.Units)+len(d.Unexplained) == 0 && s.Exit == nil {
		return
	}
	o.Part(p.Say("Stated in the text around the logs"))
	o.List(list)
}

// exit137 is about a container or a program that ended with this code.
func exit137(e *oom.Exit) say.Message {
	what := say.M("Exit code 137 means that signal 9 (SIGKILL) terminated a process.")
	switch {
	case e.Reason != "" && !e.Time.IsZero():
		what = say.M("A container ended with exit code 137 ({time}, reason {reason}): signal 9 (SIGKILL) terminated "+
			"it.", "time", e.Time, "reason", e.Reason)
	case e.Reason != "":
		what = say.M("A container ended with exit code 137 (reason {reason}): signal 9 (SIGKILL) terminated it.",
			"reason", e.Reason)
	}
	return say.All(" ", what, say.M("The OOM killer sends it, but so do kill -9, docker kill, the kubelet, and a CI "+
		"runner that stops a job."))
}

// eventOf is an event of Kubernetes.
func eventOf(e *oom.Notice) say.Message {
	var node, age say.Message
	if e.Node != "" {
		node = say.M("node {name}", "name", e.Node)
	}
	if e.Age != "" {
		age = say.M("{time} before the list was made", "time", e.Age)
	}
	return say.All(", ", say.Text(e.Reporter), node, age)
}
