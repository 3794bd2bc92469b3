package io

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// tablespacesWith returns an option of each tablespace that has its own directory: the two that every cluster has are
// on the disks of the data directory.
func tablespacesWith(option string) func(*rule.Case) []knob.Address {
	return func(c *rule.Case) []knob.Address {
		var out []knob.Address
		spaces, _ := c.Instance.Server.Tablespaces.Get()
		for _, t := range spaces {
			if a := knob.Tablespace(t.Name, option); t.Location != "" && a != "" {
				out = append(out, a)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
}

// space is what a rule has to know of the tablespace that it decides an option of.
type space struct {
	pg.Tablespace
	kind rule.Storage // of its disks
	why  say.Message  // how that is known
	main rule.Storage // of the disks of the data directory; "" if it is not known
	// what a probe measured on its device; nil: nothing, and the kind of its disks counts
	reads *measured.Reads
}

// spaceOfOptions returns the tablespace that the case's address names; ok is false if its disks are neither known nor
// measured, and on a standby, whose catalogs are the primary's.
func spaceOfOptions(c *rule.Case) (sp space, ok bool) {
	name, _, _ := c.Address.Tablespace()
	spaces, _ := c.Instance.Server.Tablespaces.Get()
	places, _ := c.Instance.Places.Get()
	i := slices.IndexFunc(spaces, func(t pg.Tablespace) bool { return t.Name == name })
	if standby, _ := c.Instance.Server.Recovery.Get(); i < 0 || standby || c.Options.Storage != "" {
		return sp, false // --storage says one kind for all of it
	}
	sp.Tablespace = spaces[i]
	for _, p := range places {
		switch {
		case p.Role == snapshot.DataPlace:
			sp.main, _, _ = kindOf(c, p)
		case p.Role == snapshot.TablespacePlace && p.Tablespace == strconv.FormatInt(sp.OID, 10):
			sp.kind, sp.why, ok = kindOf(c, p)
			sp.reads = readsOn(c, p.Device)
		}
	}
	return sp, ok || sp.reads != nil
}

// readsOn returns what a probe measured on a device, or nil.
func readsOn(c *rule.Case, device string) *measured.Reads {
	probe, ok := c.Snapshot.Measured.Get()
	if !ok {
		return nil
	}
	d, ok := probe.On(device)
	if !ok {
		return nil
	}
	return d.Reads
}

// own returns the number that the tablespace itself has for an option.
func (sp *space) own(option string) (f float64, ok bool) {
	for _, o := range sp.Options {
		if v, is := strings.CutPrefix(o, option+"="); is {
			f, err := strconv.ParseFloat(v, 64)
			return f, err == nil
		}
	}
	return 0, false
}

// has reports whether the tablespace has its own option, whether it is a number or not.
func (sp *space) has(option string) bool {
	return slices.ContainsFunc(sp.Options, func(o string) bool { return strings.HasPrefix(o, option+"=") })
}

// choice is what is decided of an option of a tablespace: want is right for its disks,
// and differ says that those of the data directory want another value.
type choice struct {
	want   float64
	suits  func(float64) bool // a value that was set for the tablespace
	differ bool
}

// decide sets the option if the server's value is for other disks, or if the tablespace has one that is wrong for its
// disks.
func (sp *space) decide(c *rule.Case, ch choice) {
	option := rule.SettingOf(c.Address)
	server, seen := c.Float(knob.PG(option))
	have, number := sp.own(option)
	inputs := []any{"name", sp.Name, "its", string(sp.kind), "why", sp.why, "present", c.Shown()}
	switch {
	case sp.has(option) && !number:
		return
	case number && ch.suits(have):
		c.Keep("{present}, set on tablespace {name}, suits {its} ({why})", inputs...)
	case number:
		c.Set(ch.want, "tablespace {name} is on {its} ({why}); {present}, set on the tablespace, does not suit it",
			inputs...)
	case sp.main == "" || !seen:
		return
	case !ch.differ:
		c.Keep("tablespace {name} is on {its} ({why}), as the data directory is; the server value applies", inputs...)
	case server == ch.want:
		c.Keep("the server value suits tablespace {name} on {its} ({why})", inputs...)
	default:
		c.Set(ch.want,
			"tablespace {name} is on {its} ({why}) and the data directory on {main}, but {option} = {server} applies "+
				"to both",
			append(inputs, "main", string(sp.main), "option", option, "server", server)...)
	}
}

// decideMeasured decides the option by what was measured on the device of the tablespace: by is the clause that says
// so. The server's value stays in force where it suits the device.
func (sp *space) decideMeasured(c *rule.Case, want float64, suits func(float64) bool, by say.Message) {
	option := rule.SettingOf(c.Address)
	server, seen := c.Float(knob.PG(option))
	have, number := sp.own(option)
	inputs := []any{"name", sp.Name, "by", by, "present", c.Shown()}
	switch {
	case sp.has(option) && !number:
	case number && suits(have):
		c.Keep("{present}, set on tablespace {name}, suits its device: {by}", inputs...)
	case number:
		c.Set(want, "{present}, set on tablespace {name}, does not suit its device: {by}", inputs...)
	case !seen:
	case suits(server):
		c.Keep("the server value suits the device of tablespace {name}: {by}", inputs...)
	default:
		c.Set(want, "{option} = {server} does not suit the device of tablespace {name}: {by}",
			append(inputs, "option", option, "server", server)...)
	}
}

// costClause says what the cost of a random page rests on.
func costClause(r *measured.Reads, ratio float64) say.Message {
	one, _ := r.AtDepth(1)
	return say.M("{random} random IOPS at queue depth 1, {ratio} × the time per page of a scan ({by})", "random",
		int64(math.Round(one.PerSecond)), "ratio", int64(math.Round(ratio)), "by", r.Author())
}

// tablespaceDepth decides how deep to read ahead in a tablespace, with the numbers of
// prefetchDepth for the server before 18.
func tablespaceDepth(c *rule.Case, enough, want, hddMost, hddWant float64) {
	sp, ok := spaceOfOptions(c)
	if !ok || c.Parameter.Max == "0" {
		return // a build without posix_fadvise takes nothing but 0
	}
	if sp.reads != nil {
		if depth, ok := sp.reads.Saturation(); ok {
			deepest := float64(aheadMost)
			if depth <= fewHeads {
				deepest = aheadTooMany
			}
			least := float64(min(max(depth*aheadFactor, 2), aheadMost))
			sp.decideMeasured(c, least, func(f float64) bool { return (f >= least || depth == 1) && f <= deepest },
				say.M("a queue depth above {depth} gains nothing ({by})", "depth", depth, "by", sp.reads.Author()))
			return
		}
	}
	if sp.kind == "" {
		return
	}
	if sp.kind == rule.HDD {
		sp.decide(c, choice{hddWant, func(f float64) bool { return f <= hddMost }, sp.main != rule.HDD})
		return
	}
	sp.decide(c, choice{want, func(f float64) bool { return f >= enough }, sp.main == rule.HDD})
}
