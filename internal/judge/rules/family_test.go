package rules_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// TestFamily: a rule with many addresses decides each, the pin of one goes before
// that of all, and a pin of what is not there is refused.
func TestFamily(t *testing.T) {
	s := hostcase.Read(t, "ram=8GB cpus=4 pg=17", nil)
	family := rule.Rule{Address: "block:*/scheduler", Title: "t",
		Over: func(*rule.Case) []knob.Address {
			return []knob.Address{"block:sda/scheduler", "block:sdb/scheduler", "block:sdc/scheduler"}
		},
		Legal: func(_ *rule.Case, v string) error {
			if v == "cfq" {
				return errors.New("the kernel has none")
			}
			return nil
		},
		Decide: func(c *rule.Case) { c.Set("none", "a reason") },
	}
	decide := func(pins map[knob.Address]string) string {
		out, err := rule.Decide(s, []rule.Rule{family}, rule.Options{Profile: rule.Mixed, Pins: pins})
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		for _, d := range out.Decisions {
			if out.Of("", d.Address) != d {
				t.Errorf("%s is not found by its address", d.Address)
			}
			fmt.Fprintf(&b, "%s=%s %t;", d.Address.Subject(), d.Want.Setting, d.Pinned)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		pins map[knob.Address]string
		want string
	}{
		"no pin": {nil, "sda=none false;sdb=none false;sdc=none false;"},
		"one": {map[knob.Address]string{"block:sdb/scheduler": "kyber"},
			"sda=none false;sdb=kyber true;sdc=none false;"},
		"all, but one": {map[knob.Address]string{"block:*/scheduler": "bfq", "block:sdc/scheduler": "kyber"},
			"sda=bfq true;sdb=bfq true;sdc=kyber true;"},
		"one that is not here": {map[knob.Address]string{"block:sdz/scheduler": "kyber"},
			"pin block:sdz/scheduler: no directory of an instance is known to be on it"},
		"of another attribute": {map[knob.Address]string{"block:sda/nr_requests": "1"},
			"pin block:sda/nr_requests: not a setting that pgfettle plans; 'pgfettle explain' lists them"},
		"what is not legal": {map[knob.Address]string{"block:*/scheduler": "cfq"},
			"pin block:*/scheduler: the kernel has none"},
	} {
		if got := decide(c.pins); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
