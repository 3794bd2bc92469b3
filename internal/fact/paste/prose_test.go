package paste

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// What a sentence says of a parameter contradicts no answer of the server: nothing is taken from it, so that a
// contradiction would name a part that is not used.
func TestProseContradictsNothing(t *testing.T) {
	r := ReadAll([]Input{{Name: "in", Text: []byte("postgres=# show work_mem;\n work_mem \n----------\n 8MB\n" +
		"(1 row)\n\nThe configuration of that server showed work_mem=64MB and max_connections=900 last week.\n")}}, "")
	var found bool
	for i := range r.Parts {
		if r.Parts[i].Kind == part.Stated {
			_, found = r.Parts[i].Fact("setting", "max_connections")
			if r.Parts[i].Used {
				t.Error("a sentence is used")
			}
		}
	}
	if !found || len(r.Conflicts) > 0 {
		t.Errorf("the sentence was read: %v; contradictions: %+v", found, r.Conflicts)
	}
}
