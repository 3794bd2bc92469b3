// Package pgpass reads and spells the lines of password files (.pgpass), as libpq does.
package pgpass

import "strings"

// MaxFile bounds a password file that is read.
const MaxFile = 1 << 20

// Entry is whom a line is for. A field may be "*" in a file.
type Entry struct {
	Host     string `json:"host"` // "localhost" stands for the default directory of sockets, too
	Port     string `json:"port"`
	Database string `json:"database"` // "replication" for a standby and pg_basebackup
	User     string `json:"user"`
}

// String spells an entry as the beginning of its line, without the colon before the password.
func (e Entry) String() string {
	return strings.Join([]string{escape(e.Host), escape(e.Port), escape(e.Database), escape(e.User)}, ":")
}

// Line spells a line of a file, with its end. ok is false for a password that no line can hold.
func (e Entry) Line(password string) (line string, ok bool) {
	line = e.String() + ":" + escape(password) + "\n"
	return line, !strings.ContainsAny(e.String()+password, "\n\r\x00")
}

// escape protects what would end a field.
func escape(s string) string { return strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(s) }

// Find returns the password of the first line that is for an entry.
func Find(text string, of Entry) (password string, ok bool) {
	for line := range strings.Lines(text) {
		if f, ok := split(line); ok && of.matches(f) {
			return f[4], true
		}
	}
	return "", false
}

func (e Entry) matches(f []string) bool {
	for i, v := range []string{e.Host, e.Port, e.Database, e.User} {
		if f[i] != "*" && f[i] != v {
			return false
		}
	}
	return true
}

// Is reports whether a line of a file is the one of an entry, letter for letter, whatever its password.
func (e Entry) Is(line string) bool {
	f, ok := split(line)
	return ok && f[0] == e.Host && f[1] == e.Port && f[2] == e.Database && f[3] == e.User
}

// split takes a line apart. ok is false for a comment, and for a line with too few fields.
func split(line string) (fields []string, ok bool) {
	line = strings.TrimRight(line, "\r\n")
	if line == "" || line[0] == '#' {
		return nil, false
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
		case c == ':' && len(fields) < 4:
			fields = append(fields, b.String())
			b.Reset()
		default:
			b.WriteByte(c)
		}
	}
	fields = append(fields, b.String())
	return fields, len(fields) == 5
}

// In reports whether a file has the line of an entry.
func (e Entry) In(text string) bool {
	for line := range strings.Lines(text) {
		if e.Is(line) {
			return true
		}
	}
	return false
}

// Append adds a line to a file. One that does not end with a line break does not afterward either, so that Remove gives
// back the very same.
func Append(text, line string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		return text + "\n" + strings.TrimSuffix(line, "\n")
	}
	return text + line
}

// Remove takes the line of an entry out of a file.
func (e Entry) Remove(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !e.Is(line) {
			b.WriteString(line)
		} else if !strings.HasSuffix(line, "\n") {
			return strings.TrimSuffix(b.String(), "\n")
		}
	}
	return b.String()
}

// ParseEntry reads what String has spelled.
func ParseEntry(text string) (e Entry, ok bool) {
	f, ok := split(text + ":")
	if !ok || strings.ContainsAny(text, "\n\r\x00") {
		return e, false
	}
	return Entry{f[0], f[1], f[2], f[3]}, true
}
