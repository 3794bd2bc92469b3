package apply_test

import (
	"context"
	"io/fs"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// throughServer is a kind whose file another program writes.
type throughServer struct {
	toyKind
	may error
}

func (s throughServer) MayWrite(context.Context, apply.Knob, journal.File) error { return s.may }

// TestFileOfAnother: whether a file may be written is asked of the kind that has it written, and not of the permissions
// of its directory.
func TestFileOfAnother(t *testing.T) {
	for name, c := range map[string]struct {
		may  error
		code int
	}{
		"it lets us":     {nil, 0},
		"it lets us not": {&fs.PathError{Op: "write", Path: "x", Err: fs.ErrPermission}, say.CodeNoAccess},
	} {
		b := newBench()
		b.w.Target = barred{b.d}
		b.w.Kinds["pg"] = throughServer{toyKind{b.d, "pg"}, c.may}
		res, no := b.run(t, &plan.Plan{Changes: []plan.Change{change("pg:r_a", "/data/1", "0", "1", knob.Reload)}}, all)
		switch {
		case c.code != 0:
			if no == nil || no.Code != c.code || res.Journal != nil {
				t.Errorf("%s: %+v", name, no)
			}
		case no != nil || res.Journal.State != journal.Whole:
			t.Errorf("%s: %v", name, no)
		}
	}
}
