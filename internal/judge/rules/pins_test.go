package rules_test

import (
	"errors"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
	"github.com/pgfettle/pgfettle/test/hostcase"
)

// TestPinWithoutInstance: a pinned setting of a server is refused if no server was found, and only there; a pinned knob
// of the host is obeyed.
func TestPinWithoutInstance(t *testing.T) {
	read := func(over map[string]string) *snapshot.Snapshot {
		return hostcase.Read(t, "ram=8GB cpus=4 pg=17", over)
	}
	none, one := read(map[string]string{"instances.json": "[]\n"}), read(nil)
	if len(none.Instances) != 0 || len(one.Instances) != 1 {
		t.Fatalf("%d and %d instances", len(none.Instances), len(one.Instances))
	}
	pin := func(a knob.Address, v string) rule.Options {
		return rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{a: v}}
	}
	_, err := rule.Decide(none, rules.All(), pin("pg:work_mem", "64MB"))
	var refused *rule.PinError
	if !errors.As(err, &refused) || refused.Address != "pg:work_mem" || refused.Reason.String() != "no instance found" {
		t.Errorf("without an instance: %v", err)
	}
	if _, err := rule.Decide(one, rules.All(), pin("pg:work_mem", "64MB")); err != nil {
		t.Errorf("with one: %v", err)
	}
	out, err := rule.Decide(none, rules.All(), pin("sysctl:vm.swappiness", "7"))
	if err != nil {
		t.Fatalf("a pin of the host: %v", err)
	}
	if d := out.Of("", "sysctl:vm.swappiness"); d == nil || d.Want.Setting != "7" {
		t.Errorf("a pin of the host: %+v", d)
	}
	// A knob that is never planned is reported as such, with or without an instance.
	if _, err := rule.Decide(none, rules.All(), pin("pg:no_such", "1")); !errors.As(err, &refused) ||
		refused.Reason.String() == "no instance found" {
		t.Errorf("an unknown knob: %v", err)
	}
}
