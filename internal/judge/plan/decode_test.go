package plan_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/rules"
)

func described(t *testing.T, spec string) (*plan.Plan, *snapshot.Snapshot, []byte) {
	t.Helper()
	a, err := snapshot.Describe(spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Make(s, rules.All(), rule.Options{Profile: rule.Mixed, Connections: 150,
		Pins: map[knob.Address]string{"pg:work_mem": "7MB"}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return p, s, b
}

// TestDecodeGivesThePlanBack verifies that what was written is what is read, the keys of the instances found again by
// their labels.
func TestDecodeGivesThePlanBack(t *testing.T) {
	p, s, b := described(t, "ram=64GB,swap=2GB,cpus=16,storage=nvme,pg=17")
	got, _, err := plan.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.Changes[0].Key != "" {
		t.Error("a key came through the file")
	}
	if err := got.Bind(s); err != nil {
		t.Fatal(err)
	}
	// The texts come back, their arguments as such do not; nor what is computed from the snapshot.
	unread := []cmp.Option{cmpopts.IgnoreFields(plan.Plan{}, "AtWork")}
	if d := cmp.Diff(p, got, append(unread, cmpopts.EquateEmpty())...); d != "" {
		t.Error(d)
	}
	again, err := plan.Make(s, rules.All(), got.Options())
	if err != nil {
		t.Fatal(err)
	}
	// Messages keep values whose types hide their fields; their texts are compared.
	words := cmp.Comparer(func(a, b say.Message) bool { return a.About == b.About && a.String() == b.String() })
	if d := cmp.Diff(p, again, cmpopts.EquateEmpty(), words); d != "" {
		t.Errorf("made again with what was asked: %s", d)
	}
	s.Instances = nil
	if err := got.Bind(s); err == nil || !strings.Contains(err.Error(), "/var/lib/postgresql/data not found") {
		t.Errorf("without the instance: %v", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	_, _, good := described(t, "ram=8GB,cpus=4,pg=15")
	swap := func(old, new string) string {
		if !strings.Contains(string(good), old) {
			t.Fatalf("%s is not in the plan", old)
		}
		return strings.Replace(string(good), old, new, 1)
	}
	var doc struct{ Changes []json.RawMessage }
	if err := json.Unmarshal(good, &doc); err != nil {
		t.Fatal(err)
	}
	first := string(doc.Changes[0])
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                 {"", "not valid JSON"},
		"an array":                {"[]", "not valid JSON"},
		"cut off":                 {string(good[:len(good)/2]), "not valid JSON"},
		"no schema":               {`{}`, "no schema"},
		"another schema":          {`{"schema":"pgfettle.check/1"}`, `"pgfettle.check/1"`},
		"a later schema":          {swap(plan.Schema, "pgfettle.plan/2"), "this program reads"},
		"something after it":      {string(good) + "{}", "not valid JSON"},
		"a field nobody knows":    {swap(`"kept":`, `"rm":1,"kept":`), "unknown field"},
		"no snapshot":             {swap(`"snapshot":"`, `"snapshot":"zz`), "snapshot"},
		"a change twice":          {swap(first, first+","+first), "duplicate address"},
		"no address":              {swap(`"address":"sysctl:`, `"address":"file:`), "not the address of a knob"},
		"a layer that is another": {swap(`"layer":"kernel"`, `"layer":"boot"`), "belongs to layer kernel"},
		"a host's with instance": {swap(`"layer":"kernel"`, `"instance":"/d","layer":"kernel"`),
			"do not match"},
		"no effect":          {swap(`"effect":"now"`, `"effect":"soon"`), "not an effect"},
		"no risk":            {swap(`"risk":"low"`, `"risk":"none"`), "invalid risk"},
		"a NUL":              {swap(`"to":"`, `"to":"\u0000`), "NUL"},
		"a text without end": {swap(`"to":"`, `"to":"`+strings.Repeat("x", 65<<10)), "too long"},
		"no UTF-8":           {swap(`"to":"`, "\"to\":\"\xff"), "not valid UTF-8"},
		"too large":          {strings.Repeat(" ", plan.MaxFile) + "{}", "larger than"},
	} {
		if _, _, err := plan.Decode([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// FuzzDecode verifies that no bytes bring the reader down, and that what it takes is written as what it reads again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"schema":"pgfettle.plan/1","snapshot":"` + strings.Repeat("0", 64) +
		`","profile":"web","changes":[{"address":"sysctl:vm.swappiness","layer":"kernel","risk":"low",` +
		`"effect":"now"}]}`))
	f.Add([]byte(`{"schema":"pgfettle.plan/1"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, _, err := plan.Decode(b)
		if err != nil {
			return
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := plan.Decode(out)
		if err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if d := cmp.Diff(p, q, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	})
}
