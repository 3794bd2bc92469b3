package kernlog

import "strings"

// trace is what the call trace of a report tells: through which functions memory was asked for. A function
// behind a question mark may be a leftover on the stack; before 3.0 all of them have one.
type trace struct {
	killer                               bool // oom_kill_process or out_of_memory
	group, pages, maybeGroup, maybePages bool
}

// frame takes a line of the call trace: «oom_kill_process+0x217/0x3e0», with an address before it until 4.x, and
// «oom_kill_process from out_of_memory+0x218/0x34c» on ARM.
func (r *Report) frame(text string) bool {
	if !isFrame(text) {
		return false
	}
	sure := !strings.Contains(text, "? ")
	for word := range strings.FieldsSeq(text) {
		r.trace.add(function(word), sure)
	}
	r.Called = r.Called || r.trace.killer
	return true
}

func (t *trace) add(name string, sure bool) {
	switch name {
	case "oom_kill_process", "out_of_memory", "__out_of_memory":
		t.killer = true
	case "mem_cgroup_out_of_memory", "mem_cgroup_oom_synchronize", "mem_cgroup_handle_oom", "mem_cgroup_oom",
		"try_charge", "try_charge_memcg", "__mem_cgroup_try_charge", "mem_cgroup_do_charge":
		t.group, t.maybeGroup = t.group || sure, true
	case "__alloc_pages_slowpath", "__alloc_pages_may_oom", "__alloc_pages_nodemask", "__alloc_pages_internal",
		"__alloc_pages", "__alloc_pages_noprof", "__alloc_frozen_pages_noprof":
		t.pages, t.maybePages = t.pages || sure, true
	}
}

// isFrame says whether a line is one of a call trace.
func isFrame(text string) bool {
	at := strings.Index(text, "+0x")
	return at > 0 && strings.Contains(text[at:], "/0x")
}

// function is the name of a function without where in it, and without what the compiler added: .constprop.0, .cold.
func function(word string) string {
	word = strings.TrimLeft(word, "(")
	word, _, _ = strings.Cut(word, "+0x")
	word, _, _ = strings.Cut(word, ".")
	return word
}

// constraint is what the trace tells of it.
func (t *trace) constraint() Constraint {
	switch {
	case t.group:
		return Memcg
	case !t.killer:
		return Unclear
	case t.pages:
		return Global
	case t.maybeGroup:
		return Memcg
	case t.maybePages:
		return Global
	}
	return Unclear
}
