package newcluster

import (
	"encoding/binary"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Standby is what a cluster is a copy of, and follows.
type Standby struct {
	Conninfo string `json:"conninfo"`           // keywords and values, without a password
	Passfile string `json:"passfile,omitempty"` // of the owner; "": none
	Slot     string `json:"slot"`               // of its own on the primary
	System   string `json:"system"`             // system identifier
	Program  string `json:"program"`            // pg_basebackup
	Fast     bool   `json:"fast,omitempty"`     // the copy requests a checkpoint
	// Tablespaces are where those of the primary are in the copy
	Tablespaces []Mapping `json:"tablespaces,omitempty"`
}

// Mapping is where a tablespace of a primary is in its copy.
type Mapping struct {
	Old string `json:"old"` // directory on the primary
	New string `json:"new"` // directory here
}

// ParseMapping reads OLD=NEW, in which \= is an equals sign of a directory, as pg_basebackup takes it.
func ParseMapping(text string) (m Mapping, ok bool) {
	part, parts := strings.Builder{}, []string{}
	for i := 0; i < len(text); i++ {
		switch {
		case strings.HasPrefix(text[i:], `\=`):
			i++
			part.WriteByte('=')
		case text[i] == '=':
			parts = append(parts, part.String())
			part.Reset()
		default:
			part.WriteByte(text[i])
		}
	}
	parts = append(parts, part.String())
	if len(parts) != 2 {
		return m, false
	}
	m = Mapping{Old: path.Clean(parts[0]), New: path.Clean(parts[1])}
	return m, m.valid()
}

// valid reports whether both are absolute paths that a command and a unit can name.
func (m Mapping) valid() bool {
	for _, p := range []string{m.Old, m.New} {
		if !path.IsAbs(p) || path.Clean(p) != p || p == "/" || strings.ContainsAny(p, "\n\r\x00'%") {
			return false
		}
	}
	return true
}

// String is a mapping as pg_basebackup takes it.
func (m Mapping) String() string {
	escape := strings.NewReplacer("=", `\=`)
	return escape.Replace(m.Old) + "=" + escape.Replace(m.New)
}

// Slot is a replication slot on a primary: the value of the step that makes it.
type Slot struct {
	Conninfo string  `json:"conninfo"`
	Passfile string  `json:"passfile,omitempty"`
	System   string  `json:"system"`
	Owner    Account `json:"owner"` // who connects
	Data     string  `json:"data"`  // of the standby that it is for
	Where    string  `json:"where"` // the primary, for people
}

var (
	slotName = regexp.MustCompile(`^[a-z0-9_]{1,63}$`)
	system   = regexp.MustCompile(`^[0-9]{1,20}$`)
	// secret is a keyword with a password, as conninfo.Pairs spells it
	secret = regexp.MustCompile(`(^|' )(ssl)?password=`)
)

// ValidSlot reports whether a replication slot may be called so.
func ValidSlot(s string) bool { return slotName.MatchString(s) }

// Text is the slot as a step has it.
func (s Slot) Text() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return string(b)
}

// ParseSlot reads the value of the step of a slot. What no plan could have made is refused.
func ParseSlot(text string) (Slot, error) {
	var s Slot
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if len(text) > MaxSpec || d.Decode(&s) != nil || !system.MatchString(s.System) || !connects(s.Conninfo,
		s.Passfile) ||
		s.Owner.UID <= 0 || !path.IsAbs(s.Data) || path.Clean(s.Data) != s.Data {
		return s, say.Err("not the description of a replication slot")
	}
	return s, nil
}

// connects reports whether a connection string and a password file could be a plan's: neither has a password.
func connects(conninfo, passfile string) bool {
	return conninfo != "" && !strings.ContainsAny(conninfo+passfile, "\n\r\x00") &&
		!secret.MatchString(conninfo) && (passfile == "" || path.IsAbs(passfile))
}

func (s Standby) valid() bool {
	return connects(s.Conninfo, s.Passfile) && ValidSlot(s.Slot) && system.MatchString(s.System) &&
		path.IsAbs(s.Program) && path.Base(s.Program) == "pg_basebackup" &&
		!slices.ContainsFunc(s.Tablespaces, func(m Mapping) bool { return !m.valid() })
}

// SystemOf is the system identifier of the file global/pg_control, whose first field it is, in the byte order of the
// host; "" if the file is too short.
func SystemOf(control []byte) string {
	if len(control) < 8 {
		return ""
	}
	return strconv.FormatUint(binary.NativeEndian.Uint64(control), 10)
}

// Signal is the file that makes a server a standby. It is gone once the server was promoted.
const Signal = "standby.signal"

// Dropped are files that a copy has of its primary and that are not its own: our note of how that was made, and the
// request for a recovery that ends.
func Dropped() []string { return []string{Marker, "recovery.signal"} }

// Own are the files of the data directory that a standby has instead of those of its primary. The last one makes it a
// standby. The lines of postgresql.auto.conf are those of initdb.
func (s Spec) Own() []File {
	conf := "# Written by 'pgfettle create --standby-of'.\ninclude_dir = 'conf.d'\n"
	return []File{{"postgresql.conf", conf}, {"pg_hba.conf", s.HBA},
		{"pg_ident.conf", "# MAPNAME       SYSTEM-USERNAME         PG-USERNAME\n"},
		{"postgresql.auto.conf", "# Do not edit this file manually!\n# It will be overwritten by the ALTER SYSTEM " +
			"command.\n"}, {Signal, ""}}
}

// Copy is the command that copies the primary into an empty directory. create says that it makes the slot too.
func (s Spec) Copy(create bool) []string {
	checkpoint := "spread"
	if s.Standby.Fast {
		checkpoint = "fast"
	}
	argv := []string{s.Standby.Program, "-D", s.Data, "-d", s.Standby.Conninfo, "--no-password", "--wal-method=stream",
		"--slot=" + s.Standby.Slot, "--checkpoint=" + checkpoint}
	if create {
		argv = append(argv, "--create-slot")
	}
	if s.WAL != "" {
		argv = append(argv, "--waldir="+s.WAL)
	}
	for _, m := range s.Standby.Tablespaces {
		argv = append(argv, "--tablespace-mapping="+m.String())
	}
	return argv
}

// Environment is what that command has in it: the file with the password, and never a password.
func (s Standby) Environment() []string {
	if s.Passfile == "" {
		return nil
	}
	return []string{"PGPASSFILE=" + s.Passfile}
}
