package slow

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/translated"
)

const removing = `Seq Scan on t  (cost=0.0..9.0 rows=9 width=4) (actual time=0.1..900.0 rows=9 loops=1)
  Filter: (a = 1)
  Rows Removed by Filter: 90000
Execution Time: 901.0 ms
`

// TestIn verifies that each text of a comparison and of a reading follows the language.
func TestIn(t *testing.T) {
	slow := parsed(t, removing)
	fast := parsed(t, strings.NewReplacer("900.0", "9.0", "901.0", "9.1").Replace(removing))
	compared := Compare("slow", slow, "fast", fast)
	if len(compared.Verdicts) == 0 || len(compared.RuledOut) == 0 || len(compared.Missing) == 0 {
		t.Fatalf("%+v", compared)
	}
	translated.Whole(t, compared, func(d *Report, c *say.Catalogue) *Report { return d.In(c) })

	torn := parsed(t, strings.Replace(removing, "900.0", "9000.0", 1))
	read := Read("torn", torn)
	if len(read.Verdicts) == 0 || len(read.Inconsistent) == 0 || len(read.Missing) == 0 {
		t.Fatalf("%+v", read)
	}
	translated.Whole(t, read, func(d *Reading, c *say.Catalogue) *Reading { return d.In(c) })
}
