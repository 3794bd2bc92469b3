package policy

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const whole = `# what this site has decided
profile = "oltp"

[pins]
"pg:work_mem" = "64MB"
"sysctl:vm.swappiness" = 5
"pg:jit" = false

[[accept]]
id = "swap_none"
instance = "host"
reason = "the provider gives no swap"
expires = 2027-06-30

[[accept]]
id = "tls_off"
reason = """the network
is private"""
expires = "never"

[limits]
max_effect = "restart"
fail_on = "warning"
`

func TestWholeFile(t *testing.T) {
	text := strings.Replace(whole, "\"\"\"the network\nis private\"\"\"", `"the network is private"`, 1)
	p, err := Parse("p.toml", []byte(text), All())
	if err != nil {
		t.Fatal(err)
	}
	effect, severity := knob.Restart, check.Warning
	want := &Policy{File: "p.toml", Profile: rule.OLTP,
		Pins: []Pin{{"pg:jit", "off", 7}, {"pg:work_mem", "64MB", 5}, {"sysctl:vm.swappiness", "5", 6}},
		Accept: []Acceptance{
			{check.Acceptance{ID: "swap_none", Instance: "host", Reason: "the provider gives no swap",
				Expires: "2027-06-30"}, 9},
			{check.Acceptance{ID: "tls_off", Reason: "the network is private", Expires: "never"}, 15},
		},
		Limits: Limits{&effect, &severity},
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
	if p, err := Parse("empty", nil, All()); err != nil || len(p.Pins)+len(p.Accept) > 0 {
		t.Errorf("an empty file: %+v %v", p, err)
	}
	if p, err := Parse("inline", []byte(`pins = {"pg:work_mem" = "64MB"}`), All()); err != nil || p.Pins[0].Line != 1 {
		t.Errorf("an inline table: %+v %v", p, err)
	}
}

// TestFamilies: a pin of one device goes before that of all.
func TestFamilies(t *testing.T) {
	p, err := Parse("p",
		[]byte("[pins]\n\"block:*/scheduler\" = \"none\"\n\"block:sda/scheduler\" = \"mq-deadline\"\n"), All())
	if err != nil {
		t.Fatal(err)
	}
	for a, want := range map[knob.Address]string{"block:sda/scheduler": "mq-deadline", "block:sdb/scheduler": "none",
		"block:sdb/read_ahead_kb": ""} {
		if pin, ok := p.Pin(a); pin.Value != want || ok != (want != "") {
			t.Errorf("%s: %+v", a, pin)
		}
	}
}

// TestWrongFiles: each fault is one line with its place, and a hint.
func TestWrongFiles(t *testing.T) {
	entry := "[[accept]]\nid = \"swap_none\"\nreason = \"r\"\nexpires = 2027-01-31\n"
	for name, c := range map[string]struct{ text, message, hint string }{
		"no TOML":            {"profile = \n", "p:1: invalid TOML: ", "policy example"},
		"an unknown key":     {"# x\nprofil = \"oltp\"\n", `p:2: unknown key "profil"`, "Did you mean profile?"},
		"an unknown table":   {"[pin]\n", `p:1: unknown key "pin"`, "Did you mean pins?"},
		"a profile":          {"profile = \"olpt\"\n", "p:1: invalid profile \"olpt\"", "Did you mean oltp?"},
		"a profile's type":   {"profile = 3\n", "p:1: profile is not a string", "quotes"},
		"pins no table":      {"\npins = 3\n", "p:2: pins is not a table", "[pins]"},
		"a pin without kind": {"[pins]\nwork_mem = \"64MB\"\n", "p:2: pin: ", "Did you mean pg:work_mem"},
		"an unknown pin": {"[pins]\n\n\"pg:wrk_mem\" = \"64MB\"\n", "p:3: pin: pgfettle does not plan pg:wrk_mem",
			"Did you mean pg:work_mem"},
		"a family of none": {"[pins]\n\"block:*/write_cache\" = \"x\"\n",
			"p:2: pin: pgfettle does not plan block:*/write_cache", ""},
		"a pin's type": {"[pins]\n\"pg:work_mem\" = [1]\n", "p:2: pin pg:work_mem is not a string", "quotes"},
		"a pin twice": {"[pins]\n\"pg:work_mem\" = \"1MB\"\n\"pg:work_mem\" = \"2MB\"\n", "p:3: invalid TOML: ",
			"policy example"},
		"an escape in a pin": {"[pins]\n\"pg:work_mem\" = \"\\u001b[31m\"\n",
			"p:2: pin pg:work_mem contains control characters", "plain text"},
		"accept no list": {"[accept]\nid = \"swap_none\"\n", "p:1: accept is not an array of tables", "[[accept]]"},
		"a key of the second": {entry + "\n" + strings.Replace(entry, "reason", "reson", 1),
			"p:8: unknown key \"reson\" in accept", "Did you mean reason?"},
		"no reason": {"[[accept]]\nid = \"swap_none\"\nexpires = \"never\"\n",
			"p:1: this acceptance has no reason", "[[accept]]"},
		"no end": {entry + "[[accept]]\nid = \"swap_none\"\nreason = \"x\"\n",
			"p:5: this acceptance has no expires", `"never"`},
		"an empty reason": {strings.Replace(entry, `"r"`, `"  "`, 1), "p:3: reason is empty", "write a value"},
		"an unknown check": {strings.Replace(entry, "swap_none", "swap_non", 1), `p:2: unknown check "swap_non"`,
			"Did you mean swap_none"},
		"the end accepted": {strings.Replace(entry, "swap_none", "policy_expired", 1),
			"p:2: an expired acceptance cannot be accepted", "new date"},
		"no such day": {strings.Replace(entry, "2027-01-31", `"2027-02-30"`, 1), "p:4: expires is not a date",
			"2027-01-31"},
		"a time of day": {strings.Replace(entry, "2027-01-31", "2027-01-31T10:00:00Z", 1),
			"p:4: expires is not a date", "2027-01-31"},
		"a long year": {strings.Replace(entry, "2027-01-31", `"12027-01-31"`, 1), "p:4: expires is not a date",
			"2027-01-31"},
		"accepted twice": {entry + entry, "p:5: swap_none is already accepted on line 1", "remove one"},
		"an unknown limit": {"[limits]\nmax_effct = \"reload\"\n", `p:2: unknown key "max_effct" in limits`,
			"Did you mean max_effect?"},
		"an effect":  {"[limits]\nmax_effect = \"relaod\"\n", "p:2: max_effect: ", "reload"},
		"a severity": {"[limits]\nfail_on = \"bad\"\n", "p:2: fail_on: ", "critical, warning"},
		"another file": {strings.Repeat("#", MaxFile+1), "p: the file exceeds 65536 bytes",
			"short file"},
		"too many lines": {strings.Repeat("\n", maxLines+1), "p: the file exceeds 1000 lines",
			"short file"},
		"bytes": {"profile = \"\xff\"", "p: the file is not valid UTF-8 text", "UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("p", []byte(c.text), All())
			pr, ok := errors.AsType[*say.Problem](err)
			if !ok {
				t.Fatalf("%v", err)
			}
			if !strings.HasPrefix(pr.Message.String(), c.message) || !strings.Contains(pr.Hint.String(), c.hint) ||
				pr.Code != say.CodeUsage {
				t.Errorf("%q, hint %q, code %d", pr.Message.String(), pr.Hint.String(), pr.Code)
			}
		})
	}
}

func TestExampleIsAPolicy(t *testing.T) {
	p, err := Parse("example", []byte(Example), All())
	if err != nil {
		t.Fatal(err)
	}
	if p.Profile == "" || len(p.Pins) == 0 || len(p.Accept) < 2 || p.Limits.FailOn == nil || p.Limits.MaxEffect == nil {
		t.Errorf("the example does not show everything: %+v", p)
	}
}

// FuzzParse: no content of a file makes the reader crash or omit a position, and what it accepts is complete.
func FuzzParse(f *testing.F) {
	f.Add(whole)
	f.Add(Example)
	f.Add("a=[[[[{b=1}]]]]\n")
	f.Add("[[accept]]\nid=\"swap_none\"\n\"\\u0069d2\"=1\n")
	f.Add("accept.x=1\n[pins.\"pg:work_mem\"]\n")
	k := All()
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("f", []byte(text), k)
		if err != nil {
			pr, ok := errors.AsType[*say.Problem](err)
			if !ok || pr.Hint.IsZero() || !strings.HasPrefix(pr.Message.String(), "f:") {
				t.Fatalf("%#v", err)
			}
			return
		}
		for _, a := range p.Accept {
			if a.ID == "" || a.Reason == "" || a.Expires == "" || a.Line == 0 {
				t.Fatalf("%+v", a)
			}
		}
		for _, pin := range p.Pins {
			if pin.Value == "" || pin.Line == 0 {
				t.Fatalf("%+v", pin)
			}
		}
	})
}
