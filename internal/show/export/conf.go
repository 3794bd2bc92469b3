package export

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// commentWidth is the width of comments in files: they are read in editors and
// mails, not in the terminal that wrote them.
const commentWidth = 88

// Keys returns the instances that a plan changes, by their key in the snapshot,
// in the order of the plan.
func Keys(d document.Plan) []string {
	var keys []string
	seen := map[string]bool{}
	for _, c := range d.Changes {
		if c.Layer == knob.Instance && !seen[c.Key] {
			seen[c.Key] = true
			keys = append(keys, c.Key)
		}
	}
	return keys
}

var confForm = Form{
	Name: "conf", What: "a snippet of postgresql.conf",
	Label: "postgresql.conf", Suffix: ".conf", OneInstance: true, Write: Conf,
}

// Conf writes the changes of one instance as a snippet of postgresql.conf.
func Conf(w io.Writer, p document.Plan, s *snapshot.Snapshot, key string) error {
	for _, c := range p.Upgrades {
		if c.Key == key {
			return newClusterConf(w, carry(p, s, inPieces), s, c)
		}
	}
	return confOf(w, carry(p, s, inPieces), s, key)
}

func confOf(w io.Writer, d carried, s *snapshot.Snapshot, key string) error {
	var b strings.Builder
	list := changesOf(d, key)
	head(&b, "#", d, s, key, len(list))
	if len(list) > 0 {
		comment(&b, "#", "Its place: "+confPlace(s, key)+
			". A later line or file that sets the same parameter wins over this one.", commentWidth)
	}
	d.hugeFirst(&b, "#", s, key, "the host")
	d.leftOut(&b, "#", changeOf(key, false))
	effect := knob.Effect(-1)
	for _, c := range list {
		if c.Effect != effect {
			effect = c.Effect
			fmt.Fprintf(&b, "\n# ---- %s ----\n", outline.EffectWords[effect])
		}
		b.WriteByte('\n')
		comment(&b, "#", changeComment(c), commentWidth)
		for _, note := range rivals(s, c) {
			comment(&b, "#", "BEWARE: "+note, commentWidth)
		}
		fmt.Fprintf(&b, "%s = %s\n", typeset.Clean(c.Address.Name()), confValue(c.To))
	}
	d.spacePart(&b, "#", key)
	_, err := io.WriteString(w, b.String())
	return err
}

// changesOf returns the changes of one instance, those after a restart last.
func changesOf(d carried, key string) []plan.Change {
	var out []plan.Change
	for eff := knob.Now; eff <= knob.Reboot; eff++ {
		for _, c := range d.Changes {
			if c.Layer == knob.Instance && c.Key == key && c.Effect == eff {
				out = append(out, c)
			}
		}
	}
	return out
}

// head says which instance a file is for, and on what it rests.
func head(b *strings.Builder, mark string, d carried, s *snapshot.Snapshot, key string, n int) {
	name := "an instance"
	if in := s.Instance(key); in != nil {
		name = in.Label()
		if v := in.Version(); v != "" {
			name += ", PostgreSQL " + v
		}
	}
	comment(b, mark, fmt.Sprintf("pgfettle: %s for %s", typeset.Count(n, "change", "changes"), typeset.Clean(name)),
		commentWidth)
	comment(b, mark, fmt.Sprintf("profile %s, snapshot %s", d.Profile, typeset.Clean(shortHash(d.Snapshot))),
		commentWidth)
	assumedNotes(b, mark, d)
}

// shortHash is enough of a hash to distinguish two snapshots of one host.
func shortHash(h string) string { return h[:min(len(h), 12)] }

// rivals lists what would override a line in a configuration file.
func rivals(s *snapshot.Snapshot, c plan.Change) []string {
	in := s.Instance(c.Key)
	if in == nil {
		return nil
	}
	settings, ok := in.Server.Settings.Get()
	if !ok {
		return nil
	}
	set, ok := settings[c.Address.Name()]
	switch {
	case !ok:
		return nil
	case path.Base(set.File) == "postgresql.auto.conf":
		return []string{"postgresql.auto.conf sets it too and wins; take it out of there with ALTER SYSTEM RESET " +
			typeset.Clean(c.Address.Name()) + ", or use --format alter-system."}
	case set.Source == "command line":
		return []string{"it is set on the command line of the server, which wins over every file."}
	}
	return nil
}

// confPlace is where a snippet belongs: the directory conf.d beside the configuration file that the server says it
// reads, else in the data directory.
func confPlace(s *snapshot.Snapshot, key string) string {
	const name = "conf.d/00-pgfettle.conf"
	in := s.Instance(key)
	if in == nil {
		return name
	}
	if settings, ok := in.Server.Settings.Get(); ok {
		if f, ok := settings.Text("config_file"); ok && path.IsAbs(f) {
			return typeset.Clean(path.Dir(f)) + "/" + name
		}
	}
	if d, ok := in.DataDirectory.Get(); ok {
		return typeset.Clean(d) + "/" + name
	}
	return name + " beside postgresql.conf"
}
