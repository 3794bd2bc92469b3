package export

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/shell"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// ofTablespace reports whether a change is of an option of a tablespace, which no file holds.
func ofTablespace(c plan.Change) bool { return c.Address.Prefix() == "tablespace" }

// spacesOf returns the options of tablespaces among what a form carries, of one instance;
// key "": of all.
func (d carried) spacesOf(key string) []plan.Change {
	return slices.DeleteFunc(slices.Clone(d.spaces), func(c plan.Change) bool { return key != "" && c.Key != key })
}

// spaceSQL is the statement that makes a change of an option of a tablespace, and the one that takes it back; ok is
// false if its name cannot be seen in a text, such as one with a line break.
func spaceSQL(c plan.Change) (sql, back string, ok bool) {
	name, option, is := c.Address.Tablespace()
	sql, err1 := plan.TablespaceSQL(name, option, c.ToBase)
	back, err2 := plan.TablespaceSQL(name, option, c.FromBase)
	ok = is && err1 == nil && err2 == nil && utf8.ValidString(name) && !strings.ContainsFunc(name, typeset.Hidden)
	return sql, back, ok
}

// spaceLine is a change of an option of a tablespace as one line of a comment.
func spaceLine(c plan.Change) string {
	if sql, _, ok := spaceSQL(c); ok {
		return sql
	}
	return typeset.Clean(string(c.Address)) + ": " + outline.Shown(c.To) +
		"   (its name cannot be written here; pgfettle apply sets it)"
}

// spacePart lists, as comments, the options of tablespaces, which a form cannot contain.
func (d carried) spacePart(b *strings.Builder, mark, key string) {
	list := d.spacesOf(key)
	if len(list) == 0 {
		return
	}
	b.WriteByte('\n')
	comment(b, mark,
		"Not in here, as it stands in a catalog and in no file: run it with psql on the primary, in any database, "+
			"as a superuser or the owner of the tablespace. New plans take it at once.", commentWidth)
	for _, c := range list {
		b.WriteString(mark + "   " + spaceLine(c) + "\n")
	}
}

// spaceStatements writes them as SQL.
func (d carried) spaceStatements(b *strings.Builder, key string) {
	list := d.spacesOf(key)
	if len(list) == 0 {
		return
	}
	b.WriteString("\n-- ---- tablespaces: in force at once ----\n")
	for _, c := range list {
		b.WriteByte('\n')
		comment(b, "--", changeComment(c), commentWidth)
		sql, back, ok := spaceSQL(c)
		if !ok {
			b.WriteString("-- " + spaceLine(c) + "\n")
			continue
		}
		b.WriteString("-- back: " + back + "\n" + sql + "\n")
	}
}

// spaces writes the options of tablespaces of the n-th instance, whose server takes SQL.
func (sc *script) spaces(n int, key string) {
	for _, c := range sc.d.spacesOf(key) {
		sc.line("")
		comment(&sc.b, "#", string(c.Address)+", "+changeComment(c), commentWidth)
		sql, back, ok := spaceSQL(c)
		if !ok {
			sc.line("say " + shell.Quote("manually: "+spaceLine(c)))
			continue
		}
		sc.line("# back: " + back)
		sc.line("printf '%s\\n' " + shell.Quote(sql) + " | server" + strconv.Itoa(n))
	}
}

// spacesBeside are the options of tablespaces of instances to which a form sends no SQL.
func (d carried) spacesBeside() (out []plan.Change) {
	keys := Keys(d.Plan)
	for _, c := range d.spaces {
		if !slices.Contains(keys, c.Key) {
			out = append(out, c)
		}
	}
	return out
}

// space writes an option of a tablespace as a task: a statement always counts as a
// change, so it is run only where it is one.
func (a *playbook) space(c plan.Change) {
	sql, back, ok := spaceSQL(c)
	a.b.WriteByte('\n')
	comment(a.b, "    #", changeComment(c), commentWidth)
	if !ok {
		a.b.WriteString("    # manually: " + spaceLine(c) + "\n")
		return
	}
	a.b.WriteString("    # back: " + back + "\n")
	a.b.WriteString("    - name: " + title(string(c.Address)+", whether it is so") +
		"\n      community.postgresql.postgresql_query:\n")
	a.args("query", spaceIsSo(c))
	a.login(c.Key)
	a.b.WriteString("      register: pgfettle_is_so\n\n")
	a.named(c, "community.postgresql.postgresql_query")
	a.args("query", sql)
	a.login(c.Key)
	a.b.WriteString("      when: pgfettle_is_so.rowcount == 0\n")
}

// spaceIsSo asks for a row where a tablespace has the option as it is planned.
func spaceIsSo(c plan.Change) string {
	name, option, _ := c.Address.Tablespace()
	const from = "SELECT 1 FROM pg_tablespace t WHERE t.spcname = "
	if c.ToBase == knob.Unset {
		return from + conf.SQLString(name) +
			" AND NOT EXISTS (SELECT FROM pg_options_to_table(t.spcoptions) o WHERE o.option_name = " +
			conf.SQLString(option) + ")"
	}
	return from + conf.SQLString(name) + " AND " + conf.SQLString(option+"="+c.ToBase) + " = ANY (t.spcoptions)"
}
