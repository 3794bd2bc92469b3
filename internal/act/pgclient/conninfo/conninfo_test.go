package conninfo

import (
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// FuzzParse holds the reader to pgconn's: what both understand, they understand
// alike, and so does the text that is made of it.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"host=a port=1 user=u dbname=d", "host='a b' password='x\\'y'",
		"postgres://u:p@h:1/d?sslmode=disable", "host = a\tuser=\\'x dbname=''", "postgresql://[::1]/d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := Parse(text)
		if err != nil || len(pairs) == 0 {
			return
		}
		again, err := Parse(pairs.String())
		if err != nil || !slices.Equal(pairs, again) {
			t.Fatalf("%q is %q, which is %q: %v", text, pairs, again, err)
		}
		want, err := pgconn.ParseConfig(text)
		if err != nil {
			return
		}
		for _, p := range pairs {
			if p.Name == "service" || p.Name == "servicefile" || p.Name == "passfile" || p.Value == "" {
				return
			}
		}
		got, err := pgconn.ParseConfig(pairs.String())
		if err != nil {
			t.Fatalf("%q is understood, and %q is not: %v", text, pairs, err)
		}
		if got.Host != want.Host || got.Port != want.Port || got.User != want.User ||
			strings.TrimSpace(got.Database) != strings.TrimSpace(want.Database) || got.Password != want.Password {
			t.Fatalf("%q leads to %s@%s:%d/%s, %q to %s@%s:%d/%s", text, want.User, want.Host, want.Port, want.Database,
				pairs, got.User, got.Host, got.Port, got.Database)
		}
	})
}
