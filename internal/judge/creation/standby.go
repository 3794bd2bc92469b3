package creation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Primary is the server that a standby is to follow, as it answered before anything was written.
type Primary struct {
	Conninfo string // keywords and values as the standby will have them, without a password
	Passfile string // of the standby's account; "": none
	Where    string // host and port, for people
	Role     string // that connects
	System   string // system identifier
	Version  unit.Version
	Settings map[string]string // as SHOW prints them
	// Superuser is the role that initdb made, which may have been renamed
	Superuser   string
	Roles       []string               // those of the accounts that were asked for, if they exist
	Bytes       known.Fact[unit.Bytes] // of all databases
	Tablespaces []Space                // those that initdb has not made
	Senders     int                    // walsenders in use
	Slots       []string
	Databases   []Database
}

// Space is a tablespace of a primary.
type Space struct {
	Path  string // its directory there
	Bytes known.Fact[unit.Bytes]
}

// Database is the locale of a database of a primary.
type Database struct {
	Name     string `json:"name"`
	Encoding string `json:"encoding"`
	Collate  string `json:"collate"`
	CType    string `json:"ctype"`
	Provider string `json:"provider"` // b, i, c; "": libc, as before 15
	Locale   string `json:"locale"`   // of ICU or the builtin provider
}

// Standby is what a plan says of the server that the new instance follows.
type Standby struct {
	Primary  string     `json:"primary"`            // host and port
	Conninfo string     `json:"primary_conninfo"`   // without a password
	Passfile string     `json:"passfile,omitempty"` // with it; absent: none is used
	Role     string     `json:"role"`
	Slot     string     `json:"slot"` // of its own, made on the primary
	System   string     `json:"system_identifier"`
	Version  string     `json:"version"`
	Bytes    unit.Bytes `json:"bytes,omitempty"` // that are copied, without the WAL; absent: unknown
	// Tablespaces are where those of the primary will be
	Tablespaces []newcluster.Mapping `json:"tablespaces,omitempty"`
}

// needs are the settings that a hot standby must not have lower than its primary: else it stops replaying, or does not
// start.
var needs = []string{"max_connections", "max_locks_per_transaction", "max_prepared_transactions", "max_wal_senders",
	"max_worker_processes"}

// shared are settings that initdb writes from the environment and that the text of answers depends on: the same query
// gives the same answer on the standby.
var shared = []string{"DateStyle", "default_text_search_config", "lc_monetary", "lc_numeric", "lc_time", "log_timezone",
	"TimeZone"}

// Asked are the settings that a primary is asked for.
func Asked() []string {
	return slices.Concat(needs, shared, []string{"data_checksums", "data_directory_mode", "max_replication_slots",
		"max_slot_wal_keep_size", "server_version_num", "wal_level", "wal_segment_size"})
}

// copySenders are the walsenders of pg_basebackup: one sends the files, one the WAL that is written meanwhile.
const copySenders = 2

// follow holds a layout to the server that the instance is to follow.
func (l *Layout) follow(at Site) error {
	p := l.Order.Primary
	if p == nil {
		return nil
	}
	if l.Programs.BaseBackup == "" {
		n := strconv.Itoa(l.Major)
		return refuse(say.M("the program pg_basebackup is not installed"), say.M("it copies the primary"),
			say.M("install the package, for example: {command}; 'pgfettle explain packages' has the repositories",
				"command", map[bool]string{true: "dnf install postgresql" + n,
					false: "apt install postgresql-client-" + n}[redHat(at)]))
	}
	if err := p.refuse(); err != nil {
		return err
	}
	if err := l.spaces(); err != nil {
		return err
	}
	if l.Order.Slot == "" {
		l.Order.Slot = slotOf(l.Name)
	}
	if !newcluster.ValidSlot(l.Order.Slot) {
		return say.Usage(say.M("--slot: {name} is not a name for a replication slot", "name",
			say.Quoted(l.Order.Slot)), say.M("Use at most 63 lower-case letters, digits and _."))
	}
	if slices.Contains(p.Slots, l.Order.Slot) {
		return refuse(say.M("the primary has a replication slot {name}", "name", l.Order.Slot),
			say.M("another standby may use it"), say.M("name another one with --slot; if it is left over, on the "+
				"primary: {command}", "command", "SELECT pg_drop_replication_slot('"+l.Order.Slot+"');"))
	}
	return l.copied(at)
}

// slotOf is the slot of an instance that was not given one.
func slotOf(name string) string {
	return ("pgfettle_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToLower(name)))[:min(63, len("pgfettle_")+len(name))]
}

// refuse says what of the primary keeps it from having another standby.
func (p *Primary) refuse() error {
	if p.Settings["wal_level"] == "minimal" {
		return refuse(say.M("the primary at {where} has wal_level = minimal", "where", p.Where),
			say.M("its WAL is not "+
				"enough for a standby"), say.M("on the primary: ALTER SYSTEM SET wal_level = replica, then restart it"))
	}
	most, known := p.number("max_wal_senders")
	if known && most-p.Senders < copySenders {
		return refuse(say.M("max_wal_senders is {most} on the primary, and {n} are in use", "most", most, "n",
			p.Senders), say.M("the copy needs {n}", "n", copySenders), say.M("on the primary: ALTER SYSTEM SET "+
			"max_wal_senders = {n}, then restart it", "n", p.Senders+copySenders+1))
	}
	if most, known = p.number("max_replication_slots"); known && len(p.Slots) >= most {
		return refuse(say.M("max_replication_slots is {most} on the primary, and all are in use", "most", most),
			say.Message{}, say.M("on the primary: drop a slot that nothing uses, or ALTER SYSTEM SET "+
				"max_replication_slots = {n}, then restart it", "n", len(p.Slots)+1))
	}
	return nil
}

func (p *Primary) number(name string) (int, bool) {
	n, err := strconv.Atoi(p.Settings[name])
	return n, err == nil
}

// copied takes over what comes with a copy, and holds the host to its locales: a database whose locale the system does
// not have accepts no connection.
func (l *Layout) copied(at Site) error {
	p := l.Order.Primary
	size, err := unit.ParseBytes(p.Settings["wal_segment_size"])
	if err != nil {
		return refuse(say.M("the WAL segments of the primary have an unknown size: {value}", "value",
			say.Quoted(p.Settings["wal_segment_size"])), say.Message{}, say.Message{})
	}
	l.Order.Segment, l.Order.NoChecksums = size, p.Settings["data_checksums"] == "off"
	l.Order.Group = p.Settings["data_directory_mode"] == "0750"
	for _, name := range []string{"lc_monetary", "lc_numeric", "lc_time"} {
		if _, err := libcLocale(p.Settings[name], at); err != nil && p.Settings[name] != "" {
			return err
		}
	}
	for _, d := range p.Databases {
		switch d.Provider {
		case "i":
			if !l.Programs.ICU {
				return refuse(say.M("the database {name} of the primary needs ICU", "name", d.Name), say.M("the "+
					"programs in {dir} were built without ICU", "dir", l.Programs.Bin), say.M("use programs that were "+
					"built as those of the primary"))
			}
		}
		for _, name := range []string{d.Collate, d.CType} {
			if _, err := libcLocale(name, at); err != nil {
				return err
			}
		}
		if d.Name == "template1" {
			l.Locale = Locale{Provider: map[string]string{"b": "builtin", "i": "icu"}[d.Provider], Name: d.Locale,
				Encoding: d.Encoding}
			if l.Locale.Provider == "" {
				l.Locale.Provider, l.Locale.Name = "libc", d.Collate
			}
		}
	}
	return nil
}

// superuser is the role of who may do everything in the instance.
func (l Layout) superuser() string {
	if p := l.Order.Primary; p != nil && p.Superuser != "" {
		return p.Superuser
	}
	return l.Owner.Name
}

// raised lifts the settings of a new standby to those of its primary.
func (l Layout) raised(set pg.Settings) {
	if l.Order.Primary == nil {
		return
	}
	for _, name := range needs {
		s := set[name]
		have, err := strconv.Atoi(s.Value)
		if least, ok := l.Order.Primary.number(name); ok && (err != nil || least > have) {
			s.Value = strconv.Itoa(least)
			set[name] = s
		}
	}
}

// followed adds the settings of a standby to those that were planned: list is what the configuration has so far, set
// what was planned from.
func (l Layout) followed(list []Setting, set pg.Settings) []Setting {
	p := l.Order.Primary
	if p == nil {
		return list
	}
	for _, name := range needs {
		i := slices.IndexFunc(list, func(s Setting) bool { return s.Name == name })
		least, err := strconv.Atoi(set[name].Value)
		switch {
		case i < 0 && strconv.Itoa(least) == initially(l, name):
		case i < 0:
			list = append(list, Setting{name, set[name].Show(), say.M("at least {value}, as the primary has it: "+
				"with less "+
				"the standby would not replay", "value", p.Settings[name])})
		default:
			if n, e := strconv.Atoi(list[i].Value); err != nil || e != nil || n >= least {
				continue
			}
			list[i] = Setting{name, set[name].Show(), say.M("at least {value}, as the primary has it: with less the "+
				"standby would not replay", "value", p.Settings[name])}
		}
	}
	for _, name := range shared {
		if v := p.Settings[name]; v != "" && !slices.ContainsFunc(list,
			func(s Setting) bool { return s.Name == name }) {
			list = append(list, Setting{name, v, say.M("as on the primary: the same query gives the same text")})
		}
	}
	return append(list, Setting{"primary_conninfo", l.conninfo(), say.M("where its WAL comes from")},
		Setting{"primary_slot_name", l.Order.Slot, say.M("the primary keeps the WAL that it has not received")})
}

// initially is a setting as initdb leaves it: the primary has no more, and no line is needed.
func initially(l Layout, name string) string {
	p, _ := params.Find(l.Major, name)
	return p.Fresh()
}

// conninfo is what the standby connects with: the password is in the file that it names.
func (l Layout) conninfo() string {
	p := l.Order.Primary
	if p.Passfile == "" {
		return p.Conninfo
	}
	return p.Conninfo + " passfile='" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(p.Passfile) + "'"
}

// standby is what the cluster is a copy of, in the plan and in the value of its step.
func (l Layout) standby() (*Standby, *newcluster.Standby) {
	p := l.Order.Primary
	if p == nil {
		return nil, nil
	}
	out := &Standby{Primary: p.Where, Conninfo: p.Conninfo, Passfile: p.Passfile, Role: p.Role, Slot: l.Order.Slot,
		System: p.System, Version: p.Version.String(), Tablespaces: l.Order.Tablespaces}
	out.Bytes, _ = p.Bytes.Get()
	return out, &newcluster.Standby{Conninfo: p.Conninfo, Passfile: p.Passfile, Slot: l.Order.Slot, System: p.System,
		Program: l.Programs.BaseBackup, Fast: l.Order.Fast, Tablespaces: l.Order.Tablespaces}
}

// slot is the value of the step that makes the slot.
func (l Layout) slot() string {
	p := l.Order.Primary
	return newcluster.Slot{Conninfo: p.Conninfo, Passfile: p.Passfile, System: p.System, Owner: l.Owner, Data: l.Data,
		Where: p.Where}.Text()
}

// cautions are what a person should know of a standby and its primary.
func (l Layout) cautions() (out []say.Message) {
	p := l.Order.Primary
	if p == nil {
		return nil
	}
	if keep := p.Settings["max_slot_wal_keep_size"]; keep == "-1" {
		out = append(out, say.M("While the standby is down, its slot keeps WAL on the primary without limit, until "+
			"the "+
			"disk there is full. max_slot_wal_keep_size on the primary bounds it, at what its disk can spare."))
	} else if keep != "" {
		out = append(out, say.M("max_slot_wal_keep_size is {size} on the primary: a standby that falls further behind "+
			"loses its slot, and has to be created again.", "size", keep))
	}
	if l.Order.AuthLocal == localDefault && !slices.Contains(p.Roles, l.Owner.Name) {
		out = append(out, say.M("The socket lets {owner} in as the role {owner}, which the primary does not have: "+
			"on the "+
			"primary, CREATE ROLE {owner} LOGIN, with the memberships that it needs.", "owner", l.Owner.Name))
	}
	if l.Twin == nil {
		out = append(out, say.M("Other settings of the primary, such as shared_preload_libraries, and the lines of "+
			"its "+
			"pg_hba.conf are not taken over. --like takes over settings; lines for clients are to be added to "+
			"pg_hba.conf."))
	}
	if !p.Bytes.Known() {
		out = append(out, say.M("The size of the primary is unknown: the role {role} may not read it. Whether the "+
			"copy "+
			"fits was not checked.", "role", p.Role))
	}
	return out
}
