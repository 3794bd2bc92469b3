package upgrade

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Configuration is what becomes of the settings of one instance in the new cluster.
type Configuration struct {
	Instance   string        `json:"instance"` // data directory or port
	Key        string        `json:"-"`        // Instance.Key
	From       string        `json:"from"`     // version
	Major      int           `json:"-"`        // of From
	To         int           `json:"to"`
	Candidate  string        `json:"candidate,omitempty"` // the release candidate that the facts of To were read from
	Parameters []Parameter   `json:"parameters"`          // set by hand, and added to keep a meaning
	Stored     []Stored      `json:"stored"`              // set by ALTER ROLE and ALTER DATABASE
	Trial      Trial         `json:"trial"`
	Notes      []say.Message `json:"notes,omitempty"`
	Unknown    []known.Gap   `json:"unknown,omitempty"`
}

// Fate is what becomes of a setting.
type Fate string

// The fates. AsDefault is one that the new version has anyway: its line can go.
const (
	Kept      Fate = "kept"
	Renamed   Fate = "renamed"
	Adapted   Fate = "adapted"
	Dropped   Fate = "dropped"
	AsDefault Fate = "default"
	Added     Fate = "added" // not set by hand, and needed to keep the meaning of one that is
)

// Fates are all of them, in the order in which they are told.
var Fates = []Fate{Dropped, Renamed, Adapted, Added, Kept, AsDefault}

// Parameter is a setting by hand and what becomes of it. Values are spelled as SHOW prints them.
type Parameter struct {
	Name    string      `json:"name"`
	Value   string      `json:"value"` // "" with Added
	Place   string      `json:"place,omitempty"`
	Fate    Fate        `json:"fate"`
	NewName string      `json:"new_name,omitempty"`  // "" with Dropped
	New     string      `json:"new_value,omitempty"` // likewise
	Reason  say.Message `json:"reason,omitzero"`     // why it is not kept, or what to know of it
	// Planned is what the plan has in place of New; Why is its reason
	Planned *Planned `json:"planned,omitempty"`

	base string // New in the base unit
}

// Planned is a value that the plan recommends.
type Planned struct {
	Value  string      `json:"value"`
	Reason say.Message `json:"reason"`
}

// Line reports whether the parameter is a line of the new configuration by itself: the plan has no other value for it.
func (p Parameter) Line() bool { return p.Fate != Dropped && p.Fate != AsDefault && p.Planned == nil }

// Stored is a setting that a catalog holds, with what becomes of it.
type Stored struct {
	Role     string `json:"role,omitempty"`     // "" for all
	Database string `json:"database,omitempty"` // "" for all
	Parameter
	Before string `json:"before,omitempty"` // statement for the old cluster: pg_upgrade fails without it
	After  string `json:"after,omitempty"`  // statement for the new cluster
}

// Trial is whether a server of the new version would start with the configuration.
type Trial struct {
	By         string      `json:"by,omitempty"`      // "PostgreSQL 19.0 in /usr/lib/postgresql/19/bin"; "": not tried
	Complaints []string    `json:"refused,omitempty"` // in the words of the server; none: it would start
	Reason     say.Message `json:"reason,omitzero"`   // why it was not tried
}

// In returns the configuration in the language of a catalog.
func (c Configuration) In(words *say.Catalogue) Configuration {
	if words == nil {
		return c
	}
	of := func(p Parameter) Parameter {
		p.Reason = p.Reason.Translated(words)
		if p.Planned != nil {
			p.Planned = &Planned{p.Planned.Value, p.Planned.Reason.Translated(words)}
		}
		return p
	}
	c.Parameters, c.Stored = slices.Clone(c.Parameters), slices.Clone(c.Stored)
	for i := range c.Parameters {
		c.Parameters[i] = of(c.Parameters[i])
	}
	for i := range c.Stored {
		c.Stored[i].Parameter = of(c.Stored[i].Parameter)
	}
	c.Trial.Reason, c.Notes = c.Trial.Reason.Translated(words), say.AllIn(c.Notes, words)
	c.Unknown = gapwords.Gaps(words, c.Unknown)
	return c
}

// Count is how many parameters have a fate.
func (c Configuration) Count(f Fate) (n int) {
	for _, p := range c.Parameters {
		if p.Fate == f {
			n++
		}
	}
	return n
}

// Values are the lines of the new configuration, as the plan leaves them.
func (c Configuration) Values() map[string]string {
	out := map[string]string{}
	for _, p := range c.Parameters {
		if p.Line() {
			out[p.NewName] = p.New
		}
	}
	return out
}

// ofCluster are parameters that name places of the old cluster.
var ofCluster = map[string]say.Template{
	"data_directory":    "It names the old data directory.",
	"config_file":       "The new cluster has its own file.",
	"hba_file":          "The new cluster has its own pg_hba.conf: copy the lines of the old file into it.",
	"ident_file":        "The new cluster has its own pg_ident.conf: copy the lines of the old file into it.",
	"external_pid_file": "The old server writes this file. Choose a new one if something reads it.",
}

// inDataDirectory are files that a relative name is looked for in the data directory, which pg_upgrade does not copy.
var inDataDirectory = []string{"ssl_cert_file", "ssl_key_file", "ssl_ca_file", "ssl_crl_file", "ssl_crl_dir",
	"ssl_dh_params_file", "krb_server_keyfile"}

// hidden reports whether a value that can contain a secret was not collected, or was redacted.
func hidden(value string) bool { return value == "(hidden)" || value == evidence.Redacted }

// translation is one run: the settings of an instance for a later version.
type translation struct {
	set      pg.Settings
	from, to int
	out      Configuration
}

// translate says what becomes of settings.
func translate(set pg.Settings, from, to int) Configuration {
	t := &translation{set: set, from: from, to: to, out: Configuration{Major: from, To: to,
		Candidate: params.Candidate(to), Parameters: []Parameter{}, Stored: []Stored{}}}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		s := set[name]
		if !SetByHand(s) {
			continue
		}
		t.out.Parameters = append(t.out.Parameters, t.parameter(s))
		t.out.Parameters = append(t.out.Parameters, t.added(s)...)
	}
	t.notes()
	return t.out
}

// parameter is what becomes of one setting.
func (t *translation) parameter(s pg.Setting) Parameter {
	p := Parameter{Name: s.Name, Value: s.Show(), Place: placeOf(s), NewName: s.Name}
	drop := func(why say.Message) Parameter {
		p.Fate, p.Reason, p.NewName = Dropped, why, ""
		return p
	}
	if why, ok := ofCluster[s.Name]; ok {
		return drop(say.M(why))
	}
	if hidden(s.Value) {
		return drop(say.M("Its value is not collected, as it can contain a secret: copy the line from the old " +
			"configuration."))
	}
	if s.Name == "archive_command" && t.from < 16 && t.to >= 16 && BothArchives(t.set) {
		return drop(say.M("archive_library is set too, and is what archives up to 15. PostgreSQL 16 and later then " +
			"archive nothing."))
	}
	if strings.Contains(s.Name, ".") {
		p.Fate, p.New, p.base = Kept, s.Value, s.Value
		return p
	}
	fact, ok := params.Find(t.to, s.Name)
	g, gone := params.GoneBy(t.to, s.Name)
	switch {
	case !ok && gone && g.Same:
		p.Fate, p.Reason = Renamed, say.M(g.How)
		if fact, ok = params.Find(t.to, g.To); !ok {
			return drop(say.M(g.How))
		}
	case !ok && gone:
		return drop(say.M(g.How))
	case !ok && s.Context == "internal":
		return drop(say.M("It cannot be set."))
	case !ok:
		return drop(say.M("PostgreSQL {major} has no such parameter.", "major", MajorOf(t.to)))
	case fact.Name != s.Name:
		p.Fate, p.Reason = Renamed, say.M(g.How)
	default:
		p.Fate = Kept
	}
	p.NewName, p.base = fact.Name, s.Value
	if turned, ok := t.turned(s); ok {
		p.Reason = turned.message
		if turned.keeps && turned.value != p.base {
			p.Fate, p.base = Adapted, turned.value
		}
	}
	if why, refused := accept(fact, t.to, &p); refused {
		return drop(why)
	}
	p.New = unit.ShowGUC(p.base, fact.Unit)
	if p.base == fact.Fresh() && !ofInitdb[fact.Name] && !written[fact.Name] {
		p.Fate = AsDefault
	}
	return p
}

// accept keeps a value within what a version takes; refused is one that cannot be.
func accept(fact params.Param, to int, p *Parameter) (why say.Message, refused bool) {
	if fact.Name == "shared_memory_type" || fact.Name == "dynamic_shared_memory_type" {
		return why, false // what is known is of Linux
	}
	r := fact.Accepts(to, p.base)
	switch {
	case r == nil:
		return why, false
	case r.Fault == params.BuildDecides:
		p.Reason = say.All(" ", p.Reason, say.M("It needs a build of PostgreSQL {major} that has it.", "major", to))
		return why, false
	case r.Fault == params.OutOfRange:
		if nearest := bound(fact, p.base); nearest != "" && fact.Accepts(to, nearest) == nil {
			p.Fate, p.base = Adapted, nearest
			p.Reason = say.All(" ", p.Reason, say.M("Not accepted by PostgreSQL {major}: {reason}.", "major",
				MajorOf(to), "reason", r.Text))
			return why, false
		}
	}
	return say.M("Not accepted by PostgreSQL {major}: {reason}.", "major", MajorOf(to), "reason", r.Text), true
}

// bound is the bound that a number is beyond, in the base unit; "" if it is beyond none.
func bound(p params.Param, value string) string {
	n, err := strconv.ParseFloat(value, 64)
	lo, err1 := strconv.ParseFloat(p.Min, 64)
	hi, err2 := strconv.ParseFloat(p.Max, 64)
	switch {
	case err != nil:
		return ""
	case err1 == nil && n < lo:
		return p.Min
	case err2 == nil && n > hi:
		return p.Max
	}
	return ""
}

// turnedTo is another meaning that a setting has, and the value that keeps the old one.
type turnedTo struct {
	message say.Message
	value   string // in the base unit
	keeps   bool   // there is such a value; else there is none, or another setting keeps the meaning
}

func (t *translation) turned(s pg.Setting) (out turnedTo, ok bool) {
	for _, u := range turnsOf(t.from, t.to, s, t.set) {
		ok = true
		if out.message.IsZero() {
			out.message = say.M("{what}.", "what", say.M(u.what))
		}
		if u.keep != nil {
			if name, value := u.keep(s); name == s.Name {
				out.value, out.keeps = value, true
			}
		}
	}
	return out, ok
}

// added are settings that are not set by hand and keep the meaning of one that is.
func (t *translation) added(s pg.Setting) (out []Parameter) {
	for _, u := range turnsOf(t.from, t.to, s, t.set) {
		if u.keep == nil {
			continue
		}
		name, value := u.keep(s)
		fact, ok := params.Lookup(t.to, name)
		if !ok || name == s.Name || SetByHand(t.set[name]) || value == fact.Fresh() || fact.Accepts(t.to,
			value) != nil {
			continue
		}
		out = append(out, Parameter{Name: name, Fate: Added, NewName: name, base: value,
			New: unit.ShowGUC(value, fact.Unit), Reason: say.M("It keeps the meaning of {name}: {what}.", "name",
				s.Name, "what", say.M(u.what))})
	}
	return out
}

// notes are what a person has to copy, as neither pg_upgrade nor the new configuration has it.
func (t *translation) notes() {
	var secret []string
	for _, p := range t.out.Parameters {
		if hidden(p.Value) {
			secret = append(secret, p.Name)
		}
	}
	if len(secret) > 0 {
		t.out.Notes = append(t.out.Notes, say.M("Copy these lines from the old configuration, as their values are not "+
			"collected: {names}.", "names", say.Names(secret, 0)))
	}
	if on, _ := t.set.Bool("ssl"); !on {
		return
	}
	var names []string
	for _, name := range inDataDirectory {
		if v := t.set[name].Value; v != "" && !strings.HasPrefix(v, "/") && !strings.Contains(v, ":") {
			names = append(names, v)
		}
	}
	if len(names) > 0 {
		t.out.Notes = append(t.out.Notes, say.M("ssl is on: before the first start, copy these files from the old "+
			"data directory into the new one: {files}.", "files", say.Names(names, 0)))
	}
}

// stored says what becomes of the settings of roles and databases. pg_upgrade restores them as they are.
func (t *translation) stored(list []pg.RoleSetting) {
	for _, o := range list {
		s := pg.Setting{Name: o.Name, Value: o.Value}
		if old, ok := params.Find(t.from, o.Name); ok {
			s.Name, s.Unit, s.Type, s.Context = old.Name, old.Unit, old.Type, old.Context
			s.Value = s.InBase(o.Value)
		}
		out := Stored{Role: o.Role, Database: o.Database}
		if out.Parameter = t.parameter(s); out.Fate == AsDefault || hidden(o.Value) {
			out.Fate = Kept // pg_upgrade restores it, and a default overrides the value of another level
		}
		alter := alterStored(o)
		if _, text := stops(t.from, t.to, s); !text.IsZero() && !hidden(o.Value) {
			out.Before = alter + " RESET " + o.Name + ";"
		}
		if v, ok := conf.SQLValue(out.NewName, out.New); ok && (out.Fate == Renamed || out.Fate == Adapted) {
			out.After = alter + " SET " + out.NewName + " = " + v + ";"
		}
		t.out.Stored = append(t.out.Stored, out)
	}
}

// alterStored is the statement that changes a stored setting, up to SET or RESET.
func alterStored(o pg.RoleSetting) string {
	switch {
	case o.Role != "" && o.Database != "":
		return "ALTER ROLE " + conf.SQLName(o.Role) + " IN DATABASE " + conf.SQLName(o.Database)
	case o.Role != "":
		return "ALTER ROLE " + conf.SQLName(o.Role)
	case o.Database != "":
		return "ALTER DATABASE " + conf.SQLName(o.Database)
	}
	return "ALTER ROLE ALL"
}
