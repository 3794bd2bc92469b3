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
		p.para("", yellow, killsBefore(n))
	}
	p.deaths(d)
	p.killGaps("Not told by what was read", d.Missing)
	if d.Read.Cut {
		p.gap()
		p.para("", yellow, logsCut)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// maxKillsShown is about what somebody reads.
const maxKillsShown = 5

const logsCut = "The logs are larger than what is kept of them: the oldest reports or the longest lines were left out."

func killsBefore(n int) string {
	return fmt.Sprintf("%s before these are in --format json only.", count(n, "kill", "kills"))
}

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
	p.line(p.tint(strong, "── "+killHead(k, n, of)))
	p.gap()
	if k.Victim != nil {
		p.para("Victim     ", red, victimText(k))
		if st := statementOf(k.Victim.Statement, 600); st != "" {
			p.para("Statement  ", plain, st)
		}
	} else {
		p.para("Victim     ", yellow, "not told")
	}
	if k.Invoker != nil {
		p.para("Asked by   ", plain, invokerText(k.Invoker))
	}
	p.para("Short of memory in  ", plain, shortOf(k))
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
		p.para("  ", plain, nothingPrevents)
	}
	for _, v := range k.Prevention {
		p.para("  - ", plain, preventionText(&v))
		if v.Why != "" {
			p.para("    ", faint, v.Why)
		}
		for _, c := range v.Commands {
			p.line("      ", p.tint(cyan, clean(c)))
		}
	}
	p.gap()
	p.line(p.tint(strong, "What became of the server"))
	p.para("  ", plain, afterText(&k.After))
	p.killGaps("Not told by this report", k.Missing)
}

func killHead(k *diagnose.OOMKill, n, of int) string {
	head := fmt.Sprintf("Kill %d of %d", n, of)
	if k.Time != "" {
		head += ", " + clean(k.Time)
	}
	if k.Kernel != "" {
		head += ", kernel " + clean(k.Kernel)
	}
	return head
}

// victimText is who was killed, what he was, and how large.
func victimText(k *diagnose.OOMKill) string {
	v := k.Victim
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
	return t
}

// statementOf is a statement on one line, cut where nobody reads on.
func statementOf(s string, most int) string { return shorten(flat(s), most) }

func invokerText(a *diagnose.OOMInvoker) string {
	t := a.Name
	if a.PID > 0 {
		t += fmt.Sprintf(", process %d", a.PID)
	}
	t += roleComma(a.Role)
	if a.Order != nil {
		t += fmt.Sprintf(", for %s", count(1<<min(*a.Order, 20), "page", "pages in one piece"))
	}
	return t
}

// shortOf says where memory was short, and how much there was.
func shortOf(k *diagnose.OOMKill) string {
	where := constraintWords[k.Constraint]
	if k.Limit != nil {
		where += " with a limit of " + k.Limit.String()
	} else if k.Memory.Total != nil {
		where += map[bool]string{true: ", with about ", false: ", with "}[k.Memory.Summed] + k.Memory.Total.String()
	}
	if k.Group != "" {
		where += ": " + k.Group
	}
	return where
}

// afterText is what became of the server.
func afterText(a *diagnose.OOMAfter) string {
	if a.Seconds == nil {
		return a.Text
	}
	return fmt.Sprintf("It takes connections again after %s. ", seconds(*a.Seconds)) + a.Text
}

const nothingPrevents = "Nothing can be worked out from what was read."

// preventionText is what would have prevented a kill, and how that is known.
func preventionText(v *diagnose.OOMPrevention) string {
	if v.From == "plan" {
		return v.What + " (pgfettle plan, for this host)"
	}
	return v.What
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
	parts := heldParts(&k.Memory)
	if parts == nil {
		return
	}
	p.gap()
	p.line(p.tint(strong, "What held the memory"))
	const bar = 30
	for _, r := range parts {
		l := "  " + pad(r.name, 17) + padLeft(r.size.String(), 9)
		if r.share >= 0 {
			l += fmt.Sprintf(" %4.0f %%", 100*r.share)
			if p.st.Width >= 36+bar {
				l += "  " + strings.Repeat("#", min(int(r.share*bar+0.5), bar))
			}
		}
		p.line(l)
	}
	switch m := &k.Memory; {
	case m.SwapTotal == nil:
	case *m.SwapTotal == 0:
		p.line("  ", pad("swap", 17), padLeft("none", 9))
	default:
		p.line("  ", pad("swap", 17), padLeft(m.SwapTotal.String(), 9), ", free ", sizeOf(m.SwapFree))
	}
}

// heldPart is one part of what held the memory.
type heldPart struct {
	name  string // two spaces before what is in the part above
	size  unit.Bytes
	share float64 // of all; below 0 where all is not known
}

// heldParts are those that the report tells; nil where it tells none.
func heldParts(m *diagnose.OOMMemory) []heldPart {
	var out []heldPart
	for _, r := range []struct {
		name string
		b    *unit.Bytes
	}{
		{"anonymous", m.Anon}, {"shared", m.Shared}, {"page tables", m.PageTables}, {"kernel (slab)", m.Slab},
		{"file cache", m.Cache}, {"free", m.Free}, {"huge pages", m.HugeTotal}, {"  of them unused", m.HugeFree},
	} {
		if r.b == nil || strings.HasPrefix(r.name, "  ") && *r.b == 0 {
			continue
		}
		part := heldPart{r.name, *r.b, -1}
		if m.Total != nil && *m.Total > 0 {
			part.share = float64(*r.b) / float64(*m.Total)
		}
		out = append(out, part)
	}
	return out
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
		p.line(p.tint(tint, fmt.Sprintf("%9d %10s %10s %10s %10s %6s  %s%s", t.PID, sizeOf(t.RSS), sizeOf(t.Anon), sizeOf(t.PageTables), sizeOf(t.Swap), adjOf(t), clean(t.Name), clean(roleComma(t.Role)))))
	}
}

func adjOf(t *diagnose.OOMTask) string {
	if t.Adj == nil {
		return "?"
	}
	return fmt.Sprint(*t.Adj)
}

// deaths writes what the server's log tells beside the kernel's reports.
func (p *page) deaths(d *diagnose.OOM) {
	if len(d.Unexplained) > 0 {
		p.gap()
		p.line(p.tint(strong, "Ended by signal 9, with no report of the kernel"))
		for _, u := range d.Unexplained {
			p.para("  ", plain, deathText(&u))
			if u.Statement != "" {
				p.para("    ", faint, statementOf(u.Statement, 400))
			}
		}
	}
	if len(d.Refused) > 0 {
		p.gap()
		p.line(p.tint(strong, "Refused memory, and nothing killed"))
		for _, r := range d.Refused {
			p.para("  ", plain, refusalText(&r))
			if r.Statement != "" {
				p.para("    ", faint, statementOf(r.Statement, 400))
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

func deathText(u *diagnose.OOMDeath) string {
	return strings.TrimSpace(fmt.Sprintf("%s process %d%s", u.Time, u.PID, roleComma(u.Role)))
}

func refusalText(r *diagnose.OOMRefusal) string {
	return strings.TrimSpace(fmt.Sprintf("%s process %d: %s", r.Time, r.PID, shorten(r.Text, 300)))
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
