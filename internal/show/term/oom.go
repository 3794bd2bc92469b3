package term

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// OOM writes it for a person in a hurry: the verdict, then each kill
// with its evidence and what would have prevented it, then what is missing.
func OOM(w io.Writer, d *oom.Report, st Style) error {
	p := newPage(st)
	p.para("", strong, reports.KillVerdict(d))
	shown := 0
	// The newest first: a host that kills for days has hundreds, and somebody waits.
	for i := len(d.Kills) - 1; i >= 0 && shown < reports.MaxKillsShown; i-- {
		shown++
		p.gap()
		p.kill(&d.Kills[i], i+1, len(d.Kills))
	}
	if n := len(d.Kills) - shown; n > 0 {
		p.gap()
		p.para("", yellow, reports.KillsBefore(n))
	}
	p.deaths(d)
	p.killGaps("Not told by what was read", d.Missing)
	if d.Read.Cut {
		p.gap()
		p.para("", yellow, reports.LogsCut)
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

// kill writes one run of the killer.
func (p *page) kill(k *oom.Kill, n, of int) {
	p.line(p.tint(strong, "── "+reports.KillHead(k, n, of)))
	p.gap()
	if k.Victim != nil {
		p.para("Victim     ", red, reports.VictimText(k))
		if st := reports.StatementOf(k.Victim.Statement, 600); st != "" {
			p.para("Statement  ", plain, st)
		}
	} else {
		p.para("Victim     ", yellow, "not told")
	}
	if k.Invoker != nil {
		p.para("Asked by   ", plain, reports.InvokerText(k.Invoker))
	}
	p.para("Short of memory in  ", plain, reports.ShortOf(k))
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
		p.para("  ", plain, reports.NothingPrevents)
	}
	for _, v := range k.Prevention {
		p.para("  - ", plain, reports.PreventionText(&v))
		if v.Why != "" {
			p.para("    ", faint, v.Why)
		}
		for _, c := range v.Commands {
			p.line("      ", p.tint(cyan, typeset.Clean(c)))
		}
	}
	p.gap()
	p.line(p.tint(strong, "What became of the server"))
	p.para("  ", plain, reports.AfterText(&k.After))
	p.killGaps("Not told by this report", k.Missing)
}

func (p *page) killCause(c *oom.Cause, t tone) {
	p.para("  ", t, c.Text)
	for _, e := range c.Evidence {
		p.para("    · ", plain, typeset.Shorten(e, 400))
	}
}

// held draws what held the memory.
func (p *page) held(k *oom.Kill) {
	parts := reports.HeldParts(&k.Memory)
	if parts == nil {
		return
	}
	p.gap()
	p.line(p.tint(strong, "What held the memory"))
	const bar = 30
	for _, r := range parts {
		l := "  " + typeset.Pad(r.Name, 17) + typeset.PadLeft(r.Size.String(), 9)
		if r.Share >= 0 {
			l += fmt.Sprintf(" %4.0f %%", 100*r.Share)
			if p.st.Width >= 36+bar {
				l += "  " + strings.Repeat("#", min(int(r.Share*bar+0.5), bar))
			}
		}
		p.line(l)
	}
	switch m := &k.Memory; {
	case m.SwapTotal == nil:
	case *m.SwapTotal == 0:
		p.line("  ", typeset.Pad("swap", 17), typeset.PadLeft("none", 9))
	default:
		p.line("  ", typeset.Pad("swap", 17), typeset.PadLeft(m.SwapTotal.String(), 9), ", free ", reports.SizeOf(m.SwapFree))
	}
}

// largest lists processes as the killer weighs them.
func (p *page) largest(k *oom.Kill) {
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
		p.line(p.tint(tint, fmt.Sprintf("%9d %10s %10s %10s %10s %6s  %s%s", t.PID, reports.SizeOf(t.RSS), reports.SizeOf(t.Anon), reports.SizeOf(t.PageTables), reports.SizeOf(t.Swap), reports.AdjOf(t), typeset.Clean(t.Name), typeset.Clean(reports.RoleComma(t.Role)))))
	}
}

// deaths writes what the server's log tells beside the kernel's reports.
func (p *page) deaths(d *oom.Report) {
	if len(d.Unexplained) > 0 {
		p.gap()
		p.line(p.tint(strong, "Ended by signal 9, with no report of the kernel"))
		for _, u := range d.Unexplained {
			p.para("  ", plain, reports.DeathText(&u))
			if u.Statement != "" {
				p.para("    ", faint, reports.StatementOf(u.Statement, 400))
			}
		}
	}
	if len(d.Refused) > 0 {
		p.gap()
		p.line(p.tint(strong, "Refused memory, and nothing killed"))
		for _, r := range d.Refused {
			p.para("  ", plain, reports.RefusalText(&r))
			if r.Statement != "" {
				p.para("    ", faint, reports.StatementOf(r.Statement, 400))
			}
		}
	}
	if len(d.Lines) > 0 {
		p.gap()
		p.line(p.tint(strong, "Said besides, by systemd and the kernel"))
		for _, l := range d.Lines {
			p.line("    ", p.tint(faint, typeset.Clean(l)))
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
