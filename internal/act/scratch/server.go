// Package server finds PostgreSQL server binaries, fetches them if there are none, and runs its own throwaway
// instances: in a private directory, on a unix socket, as an unprivileged user. It never touches an instance that it
// did not start.
package scratch

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Binaries is a directory that holds a server's programs: initdb, pg_ctl, postgres.
type Binaries struct {
	Dir     string       // the bin directory, absolute, symlinks resolved
	Version unit.Version // of the postgres program in it
	// Unfinished is how a program that is no release calls its version, such as 19rc1; "" for a release
	Unfinished string
}

// Tool returns the path of one of its programs.
func (b Binaries) Tool(name string) string { return b.Dir + "/" + name }

// String returns "PostgreSQL 15.18 in /usr/lib/postgresql/15/bin".
func (b Binaries) String() string {
	return fmt.Sprintf("PostgreSQL %s in %s", cmp.Or(b.Unfinished, b.Version.String()), b.Dir)
}

// parseVersion reads what postgres --version prints: "postgres (PostgreSQL)
// 15.18 (Debian 15.18-0+deb12u1)". A release candidate or a development tree
// ("19rc1", "20devel") counts as minor 0 of its major, and its word is returned.
func parseVersion(out string) (v unit.Version, unfinished string, err error) {
	_, rest, ok := strings.Cut(out, "(PostgreSQL) ")
	if !ok {
		return 0, "", say.Err("{value} is not the version of a PostgreSQL server",
			"value", say.Quoted(strings.TrimSpace(firstLine(out))))
	}
	word, _, _ := strings.Cut(strings.TrimSpace(firstLine(rest)), " ")
	major, minor, _ := strings.Cut(word, ".")
	digits := strings.IndexFunc(major, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		major, minor, unfinished = major[:digits], "0", word
	}
	if minor == "" {
		minor = "0"
	}
	m, err1 := strconv.Atoi(major)
	n, err2 := strconv.Atoi(minor)
	if err1 != nil || err2 != nil || m < 1 || m > 999 || n < 0 || n > 9999 {
		return 0, "", say.Err("{value} is not a version of PostgreSQL", "value", say.Quoted(word))
	}
	return unit.MajorVersion(m) + unit.Version(n), unfinished, nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
