package sampled

import (
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/live"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
)

// ProfileSchema names the version of the document of a profile.
const ProfileSchema = "pgfettle.diagnose.slow-perf/1"

// Profile is what a file of perf says.
type Profile struct {
	Schema    string         `json:"schema"`
	Name      string         `json:"name"` // file
	Verdict   say.Message    `json:"verdict"`
	Format    string         `json:"format"`            // report, script or folded
	Event     string         `json:"event,omitempty"`   // what was counted
	Samples   int64          `json:"samples,omitempty"` // approximate, if perf rounded it
	Lost      int64          `json:"lost,omitempty"`
	Verdicts  []slow.Verdict `json:"verdicts"`
	Groups    []Group        `json:"groups"`    // what the time is, most first
	Functions []Function     `json:"functions"` // by their own time, most first
	Callers   []Function     `json:"callers"`   // by their time including callees; if stacks were recorded
	Missing   []say.Message  `json:"missing"`
}

// Group is a kind of work or of trouble with its share.
type Group struct {
	ID      string      `json:"id"`
	Meaning say.Message `json:"meaning"`
	Percent float64     `json:"percent"` // of what was counted
}

// profileLines is how many functions are reported.
const profileLines = 30

// JudgeProfile judges what perf saw.
func JudgeProfile(name string, p *live.Profile) *Profile {
	d := &Profile{Schema: ProfileSchema, Name: name, Format: p.Format, Event: p.Event, Samples: p.Samples, Lost: p.Lost,
		Verdicts: []slow.Verdict{}, Groups: []Group{}, Functions: []Function{}, Callers: []Function{},
		Missing: []say.Message{}}
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

// groups sums the functions that indicate one thing. If stacks were recorded, it is the share of everything called by
// one of them.
func (d *Profile) groups(p *live.Profile) {
	sums, most, words := map[string]float64{}, map[string]float64{}, map[string]say.Message{}
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

// group reports a group that no verdict of a watch is for.
func (d *Sample) group(id string) {
	words := map[string]struct {
		title say.Message
		least float64
		next  say.Message
	}{
		"compaction": {say.M("Memory compaction takes CPU time"), 2,
			say.M("Set transparent huge pages to madvise or never (pgfettle explain thp_always).")},
		"thp": {say.M("Transparent huge pages take CPU time"), 2,
			say.M("A pool of huge pages reserved at boot needs none of it (pgfettle explain nr_hugepages).")},
		"lwlocks": {say.M("Internal locks (LWLocks) take much CPU time"), 10,
			say.M("pg_stat_activity shows which: SELECT wait_event, count(*) FROM pg_stat_activity WHERE " +
				"wait_event_type = 'LWLock' GROUP BY 1 ORDER BY 2 DESC;")},
		"swap": {say.M("Swapping takes CPU time"), 1, whoHasMemory()},
	}[id]
	share := d.profileShare(id)
	if share < words.least {
		return
	}
	d.add(id, slow.Likely, share, words.title, d.functionLines(id), []say.Message{words.next})
}

// functionLines are the functions of a group with their shares.
func (d *Sample) functionLines(id string) []say.Message {
	var out []say.Message
	for _, f := range d.Functions {
		if m, ok := slowMeaning(f.Name); ok && m.trouble == id && len(out) < 3 {
			out = append(out, symbolLine(f.Symbol))
		}
	}
	if s := d.inclusive[id]; s > 0 && len(out) == 0 {
		out = append(out, say.M("{percent} of the profile, including the functions that they called", "percent",
			tenths(s)))
	}
	return out
}

func symbolLine(s live.Symbol) say.Message {
	if s.Command == "" {
		return say.M("{percent} of the profile in {function}", "percent", tenths(s.Percent), "function", s.Name)
	}
	return say.M("{percent} of the profile in {function} ({command})", "percent", tenths(s.Percent), "function", s.Name,
		"command", s.Command)
}

func (d *Profile) gaps(p *live.Profile) {
	miss := func(text say.Message) { d.Missing = append(d.Missing, text) }
	if p.Lost > 0 {
		miss(say.N(p.Lost, "{n} sample was lost: record with a lower rate (-F), or for a shorter time",
			"{n} samples were lost: record with a lower rate (-F), or for a shorter time"))
	}
	if p.Unknown > 0 {
		miss(say.N(p.Unknown, "{n} line was not understood: {line}", "{n} lines were not understood, the first: {line}",
			"line", slow.Cut(p.First)))
	}
	const few = 100 // one sample is a hundredth of the time
	if p.Samples > 0 && p.Samples < few {
		miss(say.N(p.Samples, "only {n} sample, {percent} of the profile: record for a longer time before you rely on "+
			"the percentages", "only {n} samples, each {percent} of the profile: record for a longer time "+
			"before you rely on the percentages", "percent", percent(100/float64(p.Samples))))
	}
	bare := 0.0
	for _, x := range p.Symbols {
		if strings.HasPrefix(x.Name, "0x") || x.Name == "[unknown]" {
			bare += x.Percent
		}
	}
	if bare >= 5 {
		miss(say.M("{percent} have no function name: install the debug symbols of the server (postgresql-NN-dbgsym, "+
			"postgresqlNN-debuginfo)", "percent", percent(bare)))
	}
	if p.Format == "report" && len(p.Callers) == 0 {
		miss(say.M("no call stacks: perf record -g shows what calls the functions of the kernel"))
	}
	if e := p.Event; e != "" && !strings.HasPrefix(e, "cpu") && !strings.HasPrefix(e, "cycles") &&
		!strings.HasPrefix(e, "task-clock") {
		miss(say.M("the percentages are of the event {event}, not of time", "event", e))
	}
}

func (d *Profile) headline(p *live.Profile) {
	switch {
	case len(d.Verdicts) > 0:
		d.Verdict = firstTwo(d.Verdicts)
	case len(p.Symbols) > 0:
		d.Verdict = say.M("{profile} shows nothing unusual. Most: {share}.", "profile", d.Name, "share",
			symbolLine(p.Symbols[0]))
	default:
		d.Verdict = say.M("{profile} shows nothing unusual.", "profile", d.Name)
	}
}
