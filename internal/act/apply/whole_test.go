package apply_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// stuck is a kind that cannot bring a knob to some value.
type stuck struct {
	toyKind
	value string
}

func (s stuck) Set(ctx context.Context, k apply.Knob, st journal.State) error {
	if *st.Live == s.value {
		return errors.New("it does not move")
	}
	return s.toyKind.Set(ctx, k, st)
}

// TestWhole: where a change of one thing fails, all are undone, and no other apply can come between. The locks are
// taken once.
func TestWhole(t *testing.T) {
	two := changes(change("sysctl:vm.swappiness", "", "0", "10", knob.Now),
		change("thp:enabled", "", "0", "never", knob.Now))
	for name, c := range map[string]struct {
		kinds     map[string]string // the value that a kind refuses
		state     journal.Outcome
		live      string
		why, left string
	}{
		"all is made":        {nil, journal.Whole, "10", "", ""},
		"the last one fails": {map[string]string{"thp": "never"}, journal.TakenBack, "0", "it does not move", ""},
		"and the first one stays": {map[string]string{"thp": "never", "sysctl": "0"}, journal.Partly, "10", "enabled",
			"swappiness"},
		"the first one fails, too": {map[string]string{"sysctl": "10"}, journal.TakenBack, "0", "it does not move", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench()
			for prefix, value := range c.kinds {
				b.w.Kinds[prefix] = stuck{toyKind{b.d, prefix}, value}
			}
			res, err := apply.Whole(context.Background(), b.w, two, b.d.snapshot(), all)
			said := func(err error) string {
				if p, ok := errors.AsType[*say.Problem](err); ok {
					return p.Message.String() + p.Detail.String()
				}
				return ""
			}
			back, failed := errors.AsType[*apply.Reverted](err)
			if failed != (c.why != "") || failed && (!strings.Contains(said(back.Why), c.why) ||
				(back.Left != nil) != (c.left != "") || !strings.Contains(said(back.Left), c.left)) {
				t.Errorf("%v", err)
			}
			if res.Journal.State != c.state || b.d.live["/proc/sys/vm.swappiness"] != c.live {
				t.Errorf("%s, %s", res.Journal.State, b.d.live["/proc/sys/vm.swappiness"])
			}
			if !slices.Equal(b.d.taken, []string{"/var/lib/pgfettle/lock"}) || len(b.d.locked) > 0 {
				t.Errorf("locks taken: %v; left: %v", b.d.taken, b.d.locked)
			}
		})
	}
}
