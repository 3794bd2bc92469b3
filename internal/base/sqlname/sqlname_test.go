package sqlname_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/sqlname"
)

// TestSpelling holds how names and texts are spelled.
func TestSpelling(t *testing.T) {
	for got, want := range map[string]string{
		sqlname.Quote(`a"b`): `"a""b"`, sqlname.Quote("user"): `"user"`, sqlname.Qualified("s", "t"): `"s"."t"`,
		sqlname.InList("user"): "user", sqlname.InList("Old"): `"Old"`, sqlname.InList("1a"): `"1a"`,
		sqlname.Literal("/srv/it's"): `'/srv/it''s'`, sqlname.Literal(`a\'b`): `E'a\\''b'`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
