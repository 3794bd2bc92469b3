package export

import (
	"fmt"
	"io"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

var alterSystemForm = Form{
	Name: "alter-system", What: "SQL",
	Label: "ALTER SYSTEM (SQL)", Suffix: ".sql", OneInstance: true, Write: AlterSystem,
}

// AlterSystem writes the changes of one instance as SQL for a superuser. The
// statements do not run inside of a transaction block.
func AlterSystem(w io.Writer, p document.Plan, s *snapshot.Snapshot, key string) error {
	var b strings.Builder
	d := carry(p, s, inPieces)
	list := changesOf(d, key)
	head(&b, "--", d, s, key, len(list)+len(d.spacesOf(key)))
	if len(list) > 0 {
		comment(&b, "--",
			"Run it as a superuser with psql, not in a transaction. ALTER SYSTEM RESET takes a value back.",
			commentWidth)
	}
	d.hugeFirst(&b, "--", s, key, "the host")
	d.leftOut(&b, "--", changeOf(key, false))
	restart := 0
	effect := knob.Effect(-1)
	for _, c := range list {
		if c.Effect != effect {
			effect = c.Effect
			fmt.Fprintf(&b, "\n-- ---- %s ----\n", outline.EffectWords[effect])
		}
		if c.Effect == knob.Restart {
			restart++
		}
		b.WriteByte('\n')
		comment(&b, "--", changeComment(c), commentWidth)
		b.WriteString(alterSystem(c.Address.Name(), c.To) + "\n")
	}
	if len(list) > 0 {
		b.WriteString("\nSELECT pg_reload_conf();\n")
	}
	d.spaceStatements(&b, key)
	if restart > 0 {
		comment(&b, "--", typeset.Count(restart, "of these waits", "of these wait")+" for a restart of the server.",
			commentWidth)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// alterSystem is one statement. An empty list is reset instead of set: the server would write it as a list of one empty
// name and not start again.
func alterSystem(name, value string) string {
	id := quoteIdent(name)
	v, ok := conf.SQLValue(name, value)
	if !ok {
		return "ALTER SYSTEM RESET " + id + ";"
	}
	return "ALTER SYSTEM SET " + id + " = " + v + ";"
}

// quoteIdent spells the name of a parameter: plain ones and those of extensions
// (auto_explain.log_analyze) as they are, anything else in double quotes.
func quoteIdent(name string) string {
	for _, c := range name {
		if c != '_' && c != '.' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return conf.SQLName(typeset.Clean(name))
		}
	}
	return name
}
