// Package newcluster is what a cluster is to be made of: the value of the step of an apply that makes it. It is all
// that
// a later process needs to finish the step or to take it back, and it is kept in the journal, so that it holds nothing
// secret.
package newcluster

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Absent is the value of a step whose thing does not exist.
const Absent = "absent"

// Hand is who makes a cluster.
type Hand string

// The hands.
const (
	Debian Hand = "debian" // pg_createcluster of postgresql-common
	RPM    Hand = "rpm"    // initdb in the layout of the PGDG packages, with a unit of its own
	InitDB Hand = "initdb" // initdb, with a unit of its own where systemd runs
)

// Account is a user of the host with its main group.
type Account struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	UID   int    `json:"uid"`
	GID   int    `json:"gid"`
}

// File is a file of the configuration: below the directory of the configuration, as the server reads it at its first
// start.
type File struct {
	Name string `json:"name"` // relative: conf.d/50-pgfettle.conf
	Text string `json:"text"`
}

// Spec is a cluster that is to be made.
type Spec struct {
	// Token tells this cluster from another one in the same place; it is in the file Marker of the data directory.
	Token string  `json:"token"`
	Hand  Hand    `json:"hand"`
	Major int     `json:"major"`
	Name  string  `json:"name"`
	Bin   string  `json:"bin"` // directory of the programs
	Owner Account `json:"owner"`
	Data  string  `json:"data"`
	// Config is the directory of postgresql.conf and pg_hba.conf: the data directory, or Debian's below
	// /etc/postgresql.
	Config string   `json:"config"`
	WAL    string   `json:"wal,omitempty"`    // directory of the WAL; "": pg_wal of the data directory
	Socket string   `json:"socket,omitempty"` // directory of the socket; "": the programs' own
	Port   int      `json:"port"`
	InitDB []string `json:"initdb"`          // arguments of initdb beside -D and --waldir
	Start  string   `json:"start,omitempty"` // of Debian's start.conf: auto, manual, disabled
	Log    string   `json:"log,omitempty"`   // file that pg_ctl appends the server's first messages to
	Files  []File   `json:"files"`
	// Lines are appended to pg_hba.conf as its tool makes it; "" where Files holds the whole of it.
	HBA string `json:"hba,omitempty"`
	// Standby is what it is a copy of; nil: initdb makes it
	Standby *Standby `json:"standby,omitempty"`
}

// Marker is the file of a data directory that says which apply has made it.
const Marker = "pgfettle-created.json"

// MaxSpec bounds a spec that is read: its files are a few kB.
const MaxSpec = 256 << 10

// Live is the live value of a cluster that was made of a spec.
func (s Spec) Live() string { return "PostgreSQL " + strconv.Itoa(s.Major) + ", made as " + s.Token }

// String spells a spec for people.
func (s Spec) String() string {
	return "PostgreSQL " + strconv.Itoa(s.Major) + ", port " + strconv.Itoa(s.Port) + ", owner " + s.Owner.Name
}

// Short is the value of a step for people: what a cluster is made of in a few words, of a text how many lines it has.
func Short(value string) string {
	if s, err := Parse(value); err == nil {
		return s.String()
	}
	if s, err := ParseSlot(value); err == nil {
		return "on " + s.Where
	}
	if s, err := ParseSwap(value); err == nil {
		return s.Size.String()
	}
	if n := strings.Count(value, "\n"); n > 0 {
		return strconv.Itoa(n) + " lines"
	}
	return value
}

// Text is the spec as a step has it.
func (s Spec) Text() string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return string(b)
}

var (
	token = regexp.MustCompile(`^[0-9a-f]{16}$`)
	// name is what pg_createcluster and systemd's %i both take: a dash would be read as the end of the version.
	name = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.]{0,62}$`)
)

// ValidName reports whether a cluster may be called so.
func ValidName(s string) bool { return name.MatchString(s) }

// Parse reads a spec. A journal may have been written by anybody who could write it, so that everything is held to what
// a plan could have made.
func Parse(text string) (Spec, error) {
	var s Spec
	if len(text) > MaxSpec {
		return s, say.Err("the description of the cluster has more than {n} bytes", "n", strconv.Itoa(MaxSpec))
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return s, say.Err("the description of the cluster: {reason}", "reason", err)
	}
	return s, s.check()
}

func (s Spec) check() error {
	bad := func(value string) error {
		return say.Err("the description of the cluster has the invalid value {value}", "value", say.Quoted(value))
	}
	clean := func(p string) bool {
		return path.IsAbs(p) && path.Clean(p) == p && p != "/" && !strings.ContainsAny(p, "\n\r\x00'")
	}
	switch {
	case !token.MatchString(s.Token):
		return bad(s.Token)
	case s.Hand != Debian && s.Hand != RPM && s.Hand != InitDB:
		return bad(string(s.Hand))
	case !ValidName(s.Name):
		return bad(s.Name)
	case s.Owner.UID <= 0 || s.Owner.Name == "":
		return bad(s.Owner.Name)
	case s.Port < 1 || s.Port > 65535:
		return bad(strconv.Itoa(s.Port))
	case s.Standby != nil && !s.Standby.valid():
		return bad(s.Standby.Conninfo)
	}
	for _, p := range []string{s.Bin, s.Data, s.Config} {
		if !clean(p) {
			return bad(p)
		}
	}
	for _, p := range []string{s.WAL, s.Socket, s.Log} {
		if p != "" && !clean(p) {
			return bad(p)
		}
	}
	for _, f := range s.Files {
		if f.Name == "" || path.IsAbs(f.Name) || path.Clean(f.Name) != f.Name || strings.HasPrefix(f.Name, "..") {
			return bad(f.Name)
		}
	}
	if i := slices.IndexFunc(s.InitDB, func(a string) bool { return !strings.HasPrefix(a, "--") }); i >= 0 {
		return bad(s.InitDB[i])
	}
	return nil
}

// Made is what the file Marker holds.
type Made struct {
	Schema string `json:"schema"`
	Token  string `json:"token"`
	Hand   Hand   `json:"hand"`
	Major  int    `json:"major"`
	Name   string `json:"name"`
	Data   string `json:"data"`          // where it was made: a copy elsewhere is another cluster
	WAL    string `json:"wal,omitempty"` // directory of the WAL, if it is another one
	Bin    string `json:"bin"`
	Role   string `json:"role"` // the superuser
	// Password says that the superuser was given one.
	Password bool `json:"password,omitempty"`
	// System is the system identifier of what it is a copy of; absent: it was made by initdb
	System string `json:"system,omitempty"`
	// Tablespaces are the directories of those that came with a copy
	Tablespaces []string `json:"tablespaces,omitempty"`
	// Sums are the SHA-256 of the configuration files as they were made, by path.
	Sums map[string]string `json:"sums"`
}

// MadeSchema names the version of Made.
const MadeSchema = "pgfettle.created/1"

// ParseMade reads the file Marker.
func ParseMade(b []byte) (Made, error) {
	var m Made
	if err := json.Unmarshal(b, &m); err != nil {
		return m, say.Named(Marker, err)
	}
	if m.Schema != MadeSchema || !token.MatchString(m.Token) || !ValidName(m.Name) {
		return m, say.Named(Marker, say.Err("not what pgfettle create writes"))
	}
	return m, nil
}

// Spaces are the directories of the tablespaces of a copy.
func (s *Standby) Spaces() (out []string) {
	if s != nil {
		for _, m := range s.Tablespaces {
			out = append(out, m.New)
		}
	}
	return out
}

// Live is the live value of the cluster that the file is of.
func (m Made) Live() string { return Spec{Major: m.Major, Token: m.Token}.Live() }
