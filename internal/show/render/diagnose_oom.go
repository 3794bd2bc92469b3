package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
)

// DiagnoseOOMSchema names the version of the JSON form.
const DiagnoseOOMSchema = "pgfettle.diagnose.oom/1"

// DiagnoseOOMJSON writes the post-mortem. No array in it is null.
func DiagnoseOOMJSON(w io.Writer, d *diagnose.OOM) error {
	return writeJSON(w, struct {
		Schema string `json:"schema"`
		*diagnose.OOM
	}{DiagnoseOOMSchema, d})
}

// DiagnoseOOMText writes it for a person in a hurry: the verdict, then each kill
// with its evidence and what would have prevented it, then what is missing.
func DiagnoseOOMText(w io.Writer, d *diagnose.OOM, st Style) error {
	p := newPage(st)
	p.para("", strong, killVerdict(d))
	shown := 0
	// The newest first: a host that kills for days has hundreds, and somebody waits.
	for i := len(d.Kills) - 1; i >= 0 && shown < maxKillsShown; i-- {
		shown++
		p.gap()
		p.kill(&d.Kills[i], i+1, len(d.Kills))
	}
	if n := len(d.Kills) - shown; n > 0 {
		p.gap()
		p.para("", yellow, fmt.Sprintf("%s before these are in --format json only.", count(n, "kill", "kills")))
	}
	p.deaths(d)
	p.killGaps("Not told by what was read", d.Missing)
	if d.Read.Cut {
		p.gap()
		p.para("", yellow, "The logs are larger than what is kept of them: the oldest reports or the longest lines were left out.")
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// maxKillsShown is about what somebody reads.
const maxKillsShown = 5

// killVerdict is the one line above all.
func killVerdict(d *diagnose.OOM) string {
	if len(d.Kills) == 0 {
		switch {
		case len(d.Unexplained) > 0:
			return fmt.Sprintf("The server lost %s to signal 9, and no report of the OOM killer was read: it may have been the killer, or somebody's kill -9.", count(len(d.Unexplained), "process", "processes"))
		case len(d.Refused) > 0:
			return fmt.Sprintf("Nothing was killed: memory was refused to %s.", count(len(d.Refused), "query", "queries"))
		}
		if d.Read.Lines == 0 {
			return "There was nothing to read: what was given is empty."
		}
		return "No kill by the OOM killer is in what was read."
	}
	k := &d.Kills[len(d.Kills)-1]
	who := "A process that is not named"
	if v := k.Victim; v != nil {
		who = fmt.Sprintf("%s (process %d%s)", v.Name, v.PID, roleComma(v.Role))
	}
	first := fmt.Sprintf("%s was killed by the OOM killer. %s", who, k.Cause.Text)
	if k.Victim == nil {
		first = "The OOM killer was called; whom it killed is not told. " + k.Cause.Text
	}
	if n := len(d.Kills); n > 1 {
		first = fmt.Sprintf("%d runs of the OOM killer. The last: %s", n, first)
	}
	return first
}

func roleComma(role string) string {
	if role == "" {
		return ""
	}
	return ", " + role
}

var constraintWords = map[string]string{
	"none": "the whole host", "memcg": "a control group", "cpuset": "the NUMA nodes of a cpuset",
	"memory_policy": "the NUMA nodes of a memory policy", "unknown": "not told",
}

func sizeOf(b *unit.Bytes) string {
	if b == nil {
		return "?"
	}
	return b.String()
}

// kill writes one run of the killer.
func (p *page) kill(k *diagnose.OOMKill, n, of int) {
	head := fmt.Sprintf("── Kill %d of %d", n, of)
	if k.Time != "" {
		head += ", " + clean(k.Time)
	}
	if k.Kernel != "" {
		head += ", kernel " + clean(k.Kernel)
	}
	p.line(p.tint(strong, head))
	p.gap()
	if v := k.Victim; v != nil {
		t := fmt.Sprintf("%s, process %d", v.Name, v.PID)
		if v.Role != "" {
			t += ", " + v.Role + " (told by " + v.RoleFrom + ")"
		}
		if v.Instance != "" {
			t += " of " + v.Instance
		}
		t += ": " + victimSizes(v)
		if k.Killed > 1 {
			t += fmt.Sprintf("; and with it %s of its control group (memory.oom.group)", count(k.Killed-1, "process", "processes"))
		}
		p.para("Victim     ", red, t)
		if v.Statement != "" {
			p.para("Statement  ", plain, shorten(strings.Join(strings.Fields(v.Statement), " "), 600))
		}
	} else {
		p.para("Victim     ", yellow, "not told")
	}
	if a := k.Invoker; a != nil {
		t := a.Name
		if a.PID > 0 {
			t += fmt.Sprintf(", process %d", a.PID)
		}
		t += roleComma(a.Role)
		if a.Order != nil {
			t += fmt.Sprintf(", for %s", count(1<<min(*a.Order, 20), "page", "pages in one piece"))
		}
		p.para("Asked by   ", plain, t)
	}
	where := constraintWords[k.Constraint]
	if k.Limit != nil {
		where += " with a limit of " + k.Limit.String()
	} else if k.Memory.Total != nil {
		where += map[bool]string{true: ", with about ", false: ", with "}[k.Memory.Summed] + k.Memory.Total.String()
	}
	if k.Group != "" {
		where += ": " + k.Group
	}
	p.para("Short of memory in  ", plain, where)
	p.gap()
	p.line(p.tint(strong, "Cause"))
	p.killCause(&k.Cause, red)
	for i := range k.Also {
		p.killCause(&k.Also[i], yellow)
	}
	p.held(k)
	p.largest(k)
	p.gap()
	p.line(p.tint(strong, "What would have prevented it"))
	if len(k.Prevention) == 0 {
		p.para("  ", plain, "Nothing can be worked out from what was read.")
	}
	for _, v := range k.Prevention {
		from := ""
		if v.From == "plan" {
			from = " (pgfettle plan, for this host)"
		}
		p.para("  - ", plain, v.What+from)
		if v.Why != "" {
			p.para("    ", faint, v.Why)
		}
		for _, c := range v.Commands {
			p.line("      ", p.tint(cyan, clean(c)))
		}
	}
	p.gap()
	p.line(p.tint(strong, "What became of the server"))
	t := k.After.Text
	if k.After.Seconds != nil {
		t = fmt.Sprintf("It takes connections again after %s. ", seconds(*k.After.Seconds)) + t
	}
	p.para("  ", plain, t)
	p.killGaps("Not told by this report", k.Missing)
}

func victimSizes(v *diagnose.OOMTask) string {
	var s []string
	for _, x := range []struct {
		b    *unit.Bytes
		what string
	}{{v.Anon, "of its own"}, {v.Shmem, "of shared memory touched"}, {v.File, "of files"}, {v.PageTables, "of page tables"}, {v.Swap, "in swap"}} {
		if x.b != nil && (*x.b > 0 || x.what == "of its own") {
			s = append(s, x.b.String()+" "+x.what)
		}
	}
	if v.Adj != nil {
		s = append(s, fmt.Sprintf("oom_score_adj %d", *v.Adj))
	}
	if len(s) == 0 {
		return "its sizes are not told"
	}
	return strings.Join(s, ", ")
}

func (p *page) killCause(c *diagnose.OOMCause, t tone) {
	p.para("  ", t, c.Text)
	for _, e := range c.Evidence {
		p.para("    · ", plain, shorten(e, 400))
	}
}

// shorten cuts a text of others that nobody reads to its end.
func shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n]) + "…"
}

// held draws what held the memory.
func (p *page) held(k *diagnose.OOMKill) {
	m := &k.Memory
	rows := []struct {
		name string
		b    *unit.Bytes
		note string
	}{
		{"anonymous", m.Anon, ""}, {"shared", m.Shared, ""}, {"page tables", m.PageTables, ""}, {"kernel (slab)", m.Slab, ""},
		{"file cache", m.Cache, ""}, {"free", m.Free, ""}, {"huge pages", m.HugeTotal, ""}, {"  of them unused", m.HugeFree, ""},
	}
	known := false
	for _, r := range rows {
		known = known || r.b != nil
	}
	if !known {
		return
	}
	p.gap()
	p.line(p.tint(strong, "What held the memory"))
	const bar = 30
	for _, r := range rows {
		if r.b == nil || strings.HasPrefix(r.name, "  ") && *r.b == 0 {
			continue
		}
		l := "  " + pad(r.name, 17) + padLeft(r.b.String(), 9)
		if m.Total != nil && *m.Total > 0 {
			f := float64(*r.b) / float64(*m.Total)
			l += fmt.Sprintf(" %4.0f %%", 100*f)
			if p.st.Width >= 36+bar {
				l += "  " + strings.Repeat("#", min(int(f*bar+0.5), bar))
			}
		}
		p.line(l)
	}
	if m.SwapTotal != nil {
		if *m.SwapTotal == 0 {
			p.line("  ", pad("swap", 17), padLeft("none", 9))
		} else {
			p.line("  ", pad("swap", 17), padLeft(m.SwapTotal.String(), 9), ", free ", sizeOf(m.SwapFree))
		}
	}
}

// largest lists processes as the killer weighs them.
func (p *page) largest(k *diagnose.OOMKill) {
	if len(k.Top) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, "Largest processes"), p.tint(faint, " (as the killer weighs them: all that is resident, swap, page tables)"))
	p.line(p.tint(faint, "      pid   resident    private     tables       swap    adj  name and role"))
	for i := range k.Top {
		t := &k.Top[i]
		tint := plain
		if k.Victim != nil && k.Victim.PID == t.PID {
			tint = red
		}
		adj := "?"
		if t.Adj != nil {
			adj = fmt.Sprint(*t.Adj)
		}
		p.line(p.tint(tint, fmt.Sprintf("%9d %10s %10s %10s %10s %6s  %s%s", t.PID, sizeOf(t.RSS), sizeOf(t.Anon), sizeOf(t.PageTables), sizeOf(t.Swap), adj, clean(t.Name), clean(roleComma(t.Role)))))
	}
}

// deaths writes what the server's log tells beside the kernel's reports.
func (p *page) deaths(d *diagnose.OOM) {
	if len(d.Unexplained) > 0 {
		p.gap()
		p.line(p.tint(strong, "Ended by signal 9, with no report of the kernel"))
		for _, u := range d.Unexplained {
			p.para("  ", plain, strings.TrimSpace(fmt.Sprintf("%s process %d%s", u.Time, u.PID, roleComma(u.Role))))
			if u.Statement != "" {
				p.para("    ", faint, shorten(strings.Join(strings.Fields(u.Statement), " "), 400))
			}
		}
	}
	if len(d.Refused) > 0 {
		p.gap()
		p.line(p.tint(strong, "Refused memory, and nothing killed"))
		for _, r := range d.Refused {
			p.para("  ", plain, strings.TrimSpace(fmt.Sprintf("%s process %d: %s", r.Time, r.PID, shorten(r.Text, 300))))
			if r.Statement != "" {
				p.para("    ", faint, shorten(strings.Join(strings.Fields(r.Statement), " "), 400))
			}
		}
	}
	if len(d.Lines) > 0 {
		p.gap()
		p.line(p.tint(strong, "Said besides, by systemd and the kernel"))
		for _, l := range d.Lines {
			p.line("    ", p.tint(faint, clean(l)))
		}
	}
}

func (p *page) killGaps(title string, list []known.Gap) {
	if len(list) == 0 {
		return
	}
	p.gap()
	p.line(p.tint(strong, title))
	for _, g := range list {
		t := g.Fact + ": " + g.Reason
		if g.Reveal != "" {
			t += " → " + g.Reveal
		}
		p.para("  ~ ", plain, t)
	}
}
