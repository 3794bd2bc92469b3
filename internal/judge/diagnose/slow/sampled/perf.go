package sampled

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
)

// ProfileSchema names the version of the document of a profile.
const ProfileSchema = "pgfettle.diagnose.slow-perf/1"

// Profile is what a file of perf tells.
type Profile struct {
	Schema    string         `json:"schema"`
	Name      string         `json:"name"` // file
	Verdict   string         `json:"verdict"`
	Format    string         `json:"format"`            // report, script or folded
	Event     string         `json:"event,omitempty"`   // what was counted
	Samples   int64          `json:"samples,omitempty"` // about, where perf rounded it
	Lost      int64          `json:"lost,omitempty"`
	Verdicts  []slow.Verdict `json:"verdicts"`
	Groups    []Group        `json:"groups"`    // what the time is, most first
	Functions []Function     `json:"functions"` // by their own time, most first
	Callers   []Function     `json:"callers"`   // by their time with what they called; where stacks were recorded
	Missing   []string       `json:"missing"`
}

// Group is a kind of work or of trouble with its share.
type Group struct {
	ID      string  `json:"id"`
	Meaning string  `json:"meaning"`
	Percent float64 `json:"percent"` // of what was counted
}

// profileLines is how many functions are told.
const profileLines = 30

// JudgeProfile judges what perf saw.
func JudgeProfile(name string, p *live.Profile) *Profile {
	d := &Profile{Schema: ProfileSchema, Name: name, Format: p.Format, Event: p.Event, Samples: p.Samples, Lost: p.Lost,
		Verdicts: []slow.Verdict{}, Groups: []Group{}, Functions: []Function{}, Callers: []Function{},
		Missing: []string{}}
	s := &Sample{e: &live.Episode{}, weight: map[string]float64{}}
	for _, x := range p.Symbols {
		m, _ := slowMeaning(x.Name)
		s.Functions = append(s.Functions, Function{Symbol: x, Meaning: m.meaning})
	}
	d.Functions = append(d.Functions, s.Functions[:min(len(s.Functions), profileLines)]...)
	for _, x := range p.Callers {
		if m, ok := slowMeaning(x.Name); ok && len(d.Callers) < profileLines {
			d.Callers = append(d.Callers, Function{Symbol: x, Meaning: m.meaning})
		}
	}
	d.groups(p)
	s.inclusive = map[string]float64{}
	for _, g := range d.Groups {
		s.inclusive[g.ID] = g.Percent
	}
	for _, f := range []func(){s.spins, s.profile} {
		f()
	}
	for _, id := range []string{"compaction", "thp", "lwlocks", "swap"} {
		s.group(id)
	}
	slices.SortStableFunc(s.Verdicts, func(a, b slow.Verdict) int {
		return int(math.Copysign(1, s.weight[b.ID]-s.weight[a.ID]))
	})
	d.Verdicts = append(d.Verdicts, s.Verdicts...)
	d.gaps(p)
	d.headline(p)
	return d
}

// groups sums the functions that speak for one thing. Where stacks were recorded it is the
// share of whatever was called by one of them.
func (d *Profile) groups(p *live.Profile) {
	sums, most, words := map[string]float64{}, map[string]float64{}, map[string]string{}
	for _, x := range p.Symbols {
		if m, ok := slowMeaning(x.Name); ok && m.trouble != "" {
			sums[m.trouble] += x.Percent
			words[m.trouble] = m.meaning
		}
	}
	perName := map[string]float64{}
	for _, x := range p.Callers {
		m, ok := slowMeaning(x.Name)
		if !ok || m.trouble == "" {
			continue
		}
		perName[x.Name] += x.Percent // of all commands
		most[m.trouble], words[m.trouble] = max(most[m.trouble], perName[x.Name]), m.meaning
	}
	for id, w := range words {
		d.Groups = append(d.Groups, Group{ID: id, Meaning: w, Percent: slowTenth(min(max(sums[id], most[id]), 100))})
	}
	slices.SortFunc(d.Groups, func(a, b Group) int {
		if a.Percent != b.Percent {
			return int(math.Copysign(1, b.Percent-a.Percent))
		}
		return strings.Compare(a.ID, b.ID)
	})
}

// group tells a group that no verdict of a watch is for.
func (d *Sample) group(id string) {
	title := map[string]struct {
		title string
		least float64
		next  []string
	}{
		"compaction": {"The kernel moves pages about to make huge ones", 2,
			[]string{"pgfettle explain thp_always: madvise is what PostgreSQL wants"}},
		"thp": {"The kernel makes and clears transparent huge pages", 2,
			[]string{"huge pages of a pool, made at boot, need none of it (pgfettle explain nr_hugepages)"}},
		"lwlocks": {"Much time goes into internal locks of the server (LWLocks)", 10,
			[]string{"pg_stat_activity names the lock: SELECT wait_event, count(*) FROM pg_stat_activity WHERE " +
				"wait_event_type = 'LWLock' GROUP BY 1 ORDER BY 2 DESC"}},
		"swap": {"The kernel swaps", 1,
			[]string{"pgfettle diagnose memory, and pgfettle plan for the memory that there is"}},
	}[id]
	share := d.profileShare(id)
	if share < title.least {
		return
	}
	d.add(id, slow.Likely, share, title.title, d.functionLines(id), title.next)
}

// functionLines are the functions of a group with their shares.
func (d *Sample) functionLines(id string) []string {
	var out []string
	for _, f := range d.Functions {
		if m, ok := slowMeaning(f.Name); ok && m.trouble == id && len(out) < 3 {
			out = append(out, symbolLine(f.Symbol))
		}
	}
	if s := d.inclusive[id]; s > 0 && len(out) == 0 {
		out = append(out, fmt.Sprintf("%.1f %% of the profile, with what they called", s))
	}
	return out
}

func symbolLine(s live.Symbol) string {
	if s.Command == "" {
		return fmt.Sprintf("%s: %.1f %% of the profile", s.Name, s.Percent)
	}
	return fmt.Sprintf("%s in %s: %.1f %% of the profile", s.Name, s.Command, s.Percent)
}

func (d *Profile) gaps(p *live.Profile) {
	if p.Lost > 0 {
		d.Missing = append(d.Missing,
			fmt.Sprintf("%d samples were lost: record with a lower rate (-F) or for less long",
				p.Lost))
	}
	if p.Unknown > 0 {
		d.Missing = append(d.Missing, fmt.Sprintf("%d lines were seen and not understood, the first: %s", p.Unknown,
			slow.Cut(p.First)))
	}
	const few = 100 // one sample is a hundredth of the time
	if p.Samples > 0 && p.Samples < few {
		d.Missing = append(d.Missing, fmt.Sprintf("only %d samples, one of which is %.0f %% of the profile: record "+
			"for longer before you rely on the shares", p.Samples, 100/float64(p.Samples)))
	}
	bare := 0.0
	for _, x := range p.Symbols {
		if strings.HasPrefix(x.Name, "0x") || x.Name == "[unknown]" {
			bare += x.Percent
		}
	}
	if bare >= 5 {
		d.Missing = append(d.Missing,
			fmt.Sprintf("%.0f %% have no name of a function: install the debug symbols of the server "+
				"(postgresql-NN-dbgsym, postgresqlNN-debuginfo)", bare))
	}
	if p.Format == "report" && len(p.Callers) == 0 {
		d.Missing = append(d.Missing, "no stacks: perf record -g tells who calls the kernel's functions")
	}
	if e := p.Event; e != "" && !strings.HasPrefix(e, "cpu") && !strings.HasPrefix(e, "cycles") &&
		!strings.HasPrefix(e, "task-clock") {
		d.Missing = append(d.Missing, "the shares are of the event "+e+", not of time")
	}
}

func (d *Profile) headline(p *live.Profile) {
	text := d.Name + " shows nothing out of the ordinary."
	switch {
	case len(d.Verdicts) > 0:
		text = d.Verdicts[0].Title + "."
		if len(d.Verdicts) > 1 {
			text += " Then: " + d.Verdicts[1].Title + "."
		}
	case len(p.Symbols) > 0:
		text += " Most of it: " + symbolLine(p.Symbols[0]) + "."
	}
	d.Verdict = text
}
