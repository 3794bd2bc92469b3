package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// newClusterConf writes the whole configuration of a new cluster: what is carried over of the old one, and what the
// plan has in its place or adds.
func newClusterConf(w io.Writer, d carried, s *snapshot.Snapshot, c upgrade.Configuration) error {
	var b strings.Builder
	comment(&b, "#", fmt.Sprintf("pgfettle: configuration of the new cluster of %s, from PostgreSQL %s to %s",
		typeset.Clean(c.Instance), typeset.Clean(c.From), upgrade.MajorOf(c.To)), commentWidth)
	comment(&b, "#", "profile "+string(d.Profile), commentWidth)
	assumedNotes(&b, "#", d)
	comment(&b, "#", "Its place: beside the postgresql.conf of the new cluster, whose last line includes it: include "+
		"'FILE'. It is not for the old server.", commentWidth)
	if t := c.Trial; t.By != "" && len(t.Complaints) == 0 {
		comment(&b, "#", "Tried with "+typeset.Clean(t.By)+": it starts with the whole plan.", commentWidth)
	} else {
		comment(&b, "#", "Not tried. "+t.Reason.String(), commentWidth)
	}
	for _, text := range c.Trial.Complaints {
		comment(&b, "#", "BEWARE: "+typeset.Clean(text), commentWidth)
	}
	for _, m := range c.Notes {
		comment(&b, "#", "BEWARE: "+m.String(), commentWidth)
	}
	d.hugeFirst(&b, "#", s, c.Key, "the host")
	d.leftOut(&b, "#", changeOf(c.Key, false))
	changes := changesOf(d, c.Key)
	planned := map[string]bool{}
	for _, ch := range changes {
		planned[ch.Address.Name()] = true
	}
	carriedOver(&b, c, planned)
	if len(changes) > 0 {
		fmt.Fprint(&b, "\n# ---- planned ----\n")
	}
	for _, ch := range changes {
		b.WriteByte('\n')
		comment(&b, "#", wasOf(c, ch)+changeComment(ch), commentWidth)
		fmt.Fprintf(&b, "%s = %s\n", typeset.Clean(ch.Address.Name()), confValue(ch.To))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// wasOf names the setting by hand that a change replaces, if it had another name or value.
func wasOf(c upgrade.Configuration, ch plan.Change) string {
	for _, p := range c.Parameters {
		if p.NewName == ch.Address.Name() && p.Value != "" && (p.Name != p.NewName || p.Value != ch.From) {
			return "in the old configuration " + typeset.Clean(p.Name) + " = " + outline.Shown(p.Value) + "; "
		}
	}
	return ""
}

// carriedOver writes the settings by hand, those that are no lines of the new configuration as comments. What the plan
// has in place of one is below them.
func carriedOver(b *strings.Builder, c upgrade.Configuration, planned map[string]bool) {
	head := "\n# ---- from the old configuration ----\n"
	for _, p := range c.Parameters {
		if planned[p.NewName] && p.NewName != "" {
			continue
		}
		b.WriteString(head + "\n")
		head = ""
		why := typeset.Capital(p.Reason.String())
		switch p.Fate {
		case upgrade.Renamed, upgrade.Adapted:
			why = strings.TrimSpace("Was " + typeset.Clean(p.Name) + " = " + outline.Shown(p.Value) + ". " + why)
		case upgrade.Dropped:
			why = strings.TrimSpace("Not carried over. " + why)
		case upgrade.AsDefault:
			why = strings.TrimSpace("Equal to the new default. " + why)
		}
		if p.Place != "" {
			why = strings.TrimSpace(why + " (" + typeset.Clean(p.Place) + ")")
		}
		if why != "" {
			comment(b, "#", why, commentWidth)
		}
		switch p.Fate {
		case upgrade.Dropped:
			fmt.Fprintf(b, "#%s = %s\n", typeset.Clean(p.Name), confValue(p.Value))
		case upgrade.AsDefault:
			fmt.Fprintf(b, "#%s = %s\n", typeset.Clean(p.NewName), confValue(p.New))
		default:
			fmt.Fprintf(b, "%s = %s\n", typeset.Clean(p.NewName), confValue(p.New))
		}
	}
}
