package outline

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

var holdTones = map[journal.Hold]Tone{journal.Holds: ToneGood, journal.Changed: ToneBad, journal.Lost: ToneBad,
	journal.Waits: ToneMind, journal.Unseen: ToneMind}

// Status is which applied values no longer hold, then those that do.
func Status(list []journal.Drift, c *say.Catalogue) Outline {
	p := WordsIn(c)
	var o Outline
	o.Command("pgfettle status")
	n := map[journal.Hold]int{}
	for _, d := range list {
		n[d.Hold]++
	}
	for _, h := range []journal.Hold{journal.Lost, journal.Changed, journal.Waits, journal.Unseen, journal.Holds} {
		if n[h] == 0 {
			continue
		}
		o.Heading(2, p.Word(HoldWords[h]))
		var out Fields
		for _, d := range list {
			if d.Hold == h {
				out.List = append(out.List, p.drift(d))
			}
		}
		o.Add(out)
	}
	o.Summary(p.StatusSummary(list, n))
	return o
}

// drift is one applied value with who changed it, and where it was applied.
func (p Words) drift(d journal.Drift) Field {
	f := FieldOf(string(d.Address), p.Drift(d))
	f.Tone = holdTones[d.Hold]
	more := func(t Tone, text string) {
		f.Items[0].More = append(f.Items[0].More, Para{Text: Join(text), Tone: t})
	}
	if d.Instance != "" {
		more(ToneNote, d.Instance)
	}
	if d.By != "" {
		more(ToneNone, p.Say("set by {who}", "who", d.By))
	}
	if d.Reason != "" {
		more(ToneNone, d.Reason)
	}
	if d.Hold != journal.Holds {
		more(ToneNote, p.Say("applied by journal {journal} ({where})", "where", d.Where, "journal",
			d.Journal))
	}
	return f
}

func (p Words) Drift(d journal.Drift) string {
	if d.Found != "" {
		return p.Say("applied {applied}, now {found}", "applied", Shown(d.Applied), "found",
			Shown(d.Found))
	}
	return p.Say("applied {applied}", "applied", Shown(d.Applied))
}

func (p Words) StatusSummary(list []journal.Drift, n map[journal.Hold]int) string {
	switch {
	case len(list) == 0:
		return p.Say("Everything that was applied here was undone, or nothing was applied yet.")
	case n[journal.Holds] == len(list):
		return p.Many(len(list), "{n} applied value is in effect.", "All {n} applied values are in effect.")
	}
	return p.Many(len(list), "{held} of {n} applied value is in effect.",
		"{held} of {n} applied values are in effect.", "held", n[journal.Holds])
}
