package knob

import (
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const relation = "relation"

// placeOf is the one attribute that a relation has an address of: the tablespace that it is in.
const placeOf = "tablespace"

// Relation returns the address of the tablespace of a table, a materialized view or an index, such as
// relation:shop.public.orders/tablespace; "" if a name can be none of a server's. What is neither a letter nor a digit
// nor one of _ - is spelled as in a URL, the dot of a name too.
func Relation(database, schema, name string) Address {
	var parts []string
	for _, s := range []string{database, schema, name} {
		if s == "" || len(s) > maxTablespace || !utf8.ValidString(s) || strings.ContainsRune(s, 0) {
			return ""
		}
		parts = append(parts, spell(s, "_-"))
	}
	return Address(relation + ":" + strings.Join(parts, ".") + "/" + placeOf)
}

// Relation returns the names that an address of Relation has; ok is false for every other address.
func (a Address) Relation() (database, schema, name string, ok bool) {
	subject, attribute := a.parts()
	parts := strings.Split(subject, ".")
	if a.Prefix() != relation || attribute != placeOf || len(parts) != 3 {
		return "", "", "", false
	}
	for i, s := range parts {
		if parts[i], ok = unspell(s); !ok {
			return "", "", "", false
		}
	}
	return parts[0], parts[1], parts[2], Relation(parts[0], parts[1], parts[2]) == a
}

// parseRelation reads an address that Relation made.
func parseRelation(s string) (Address, error) {
	if _, _, _, ok := Address(s).Relation(); !ok {
		return "", say.Err("{text} is not the address of a relation: write relation:DATABASE.SCHEMA.NAME/tablespace, "+
			"with %XX for what is neither a letter nor a digit", "text", say.Quoted(s))
	}
	return Address(s), nil
}
