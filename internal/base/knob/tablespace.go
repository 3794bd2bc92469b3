package knob

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const tablespace = "tablespace"

// Unset is the value of an option that a tablespace does not have: the server's setting
// of the same name holds there. No option takes it for a value.
const Unset = "unset"

// What a tablespace has beside its options: the directory that it was created in, or Unset where there is no such
// tablespace, and the role that owns it.
const (
	Location = "location"
	Owner    = "owner"
)

// maxTablespace bounds the name of a tablespace: a server that is built as usual takes
// 63 bytes, and four times that is more than any other was built for.
const maxTablespace = 252

// Tablespace returns the address of an option of a tablespace; "" if the name can be none of a server's. A name may
// hold anything, as a line break or a comma: what is neither a letter nor a digit nor one of _ . - is spelled as in a
// URL, %20 for a blank.
func Tablespace(name, option string) Address {
	if name == "" || len(name) > maxTablespace || !utf8.ValidString(name) || strings.ContainsRune(name, 0) {
		return ""
	}
	return Address(tablespace + ":" + spell(name, "_.-") + "/" + option)
}

// spell writes a name as an address has it: letters, digits and the characters of plain stand for themselves.
func spell(name, plain string) string {
	var b strings.Builder
	for _, r := range name {
		if strings.ContainsRune(plain, r) || unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
			continue
		}
		for _, c := range []byte(string(r)) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// unspell reads what spell wrote.
func unspell(s string) (string, bool) {
	var b []byte
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) {
				return "", false
			}
			high, ok1 := hex(s[i+1])
			low, ok2 := hex(s[i+2])
			if !ok1 || !ok2 {
				return "", false
			}
			c = high<<4 | low
			i += 2
		}
		b = append(b, c)
	}
	return string(b), true
}

// Tablespace returns the name of the tablespace and the option that an address is of; ok
// is false for every other address, and for that of a family.
func (a Address) Tablespace() (name, option string, ok bool) {
	subject, option := a.parts()
	if a.Prefix() != tablespace || subject == "" || subject == Any || option == "" {
		return "", "", false
	}
	name, ok = unspell(subject)
	return name, option, ok && Tablespace(name, option) != ""
}

func hex(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

// parseTablespace reads an address as a person writes it, with the blanks that a name
// may have, and returns the one spelling that there is.
func parseTablespace(s string) (Address, error) {
	a := Address(s)
	if subject, option := a.parts(); subject == Any && option != "" {
		return a, nil
	}
	name, option, ok := a.Tablespace()
	if !ok {
		return "",
			say.Err("{text} is not the address of an option of a tablespace: write tablespace:NAME/OPTION, with %XX "+
				"for what is neither a letter nor a digit", "text", say.Quoted(s))
	}
	return Tablespace(name, option), nil
}
