package plan_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// TestTablespaceSQL: a name is one identifier whatever it contains.
func TestTablespaceSQL(t *testing.T) {
	for _, c := range [][3]string{
		{"archive", "4", `ALTER TABLESPACE "archive" SET (random_page_cost = '4');`},
		{"archive", knob.Unset, `ALTER TABLESPACE "archive" RESET (random_page_cost);`},
		{`a"; DROP TABLE x; --`, "1.1", `ALTER TABLESPACE "a""; DROP TABLE x; --" SET (random_page_cost = '1.1');`},
		{"archive", "1'); --", ""},
		{"a\x00b", "1", ""},
	} {
		if got, _ := plan.TablespaceSQL(c[0], "random_page_cost", c[1]); got != c[2] {
			t.Errorf("%q = %q: %s", c[0], c[1], got)
		}
	}
}
