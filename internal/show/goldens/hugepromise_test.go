package goldens_test

import (
	"bytes"
	"regexp"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/test/hosts"
)

// saysOn finds huge_pages = on in any form: in postgresql.conf, SQL (also between the
// quotes of a shell), YAML, the arguments of a server, and a module of Ansible.
var saysOn = regexp.MustCompile(`(?m)^[^#\n]*huge_pages("?\n        value)?["\\']*( = |: |=)["\\']*on\b`)

// TestHugePagesOnlyWithTheirPool: whatever host was planned for, a form says on only
// where the pool is there already, or where the form itself makes it.
func TestHugePagesOnlyWithTheirPool(t *testing.T) {
	on := 0
	rapid.Check(t, func(t *rapid.T) {
		h := hosts.Any().Draw(t, "host")
		if rapid.Bool().Draw(t, "pinned") {
			h.Opt.Pins["pg:huge_pages"] = "on"
		}
		a, err := h.Spec.Evidence()
		if err != nil {
			t.Fatal(err)
		}
		p, s, err := planner.Make(t.Context(), nil, a, h.Opt)
		if err != nil || len(s.Instances) == 0 {
			return
		}
		key := s.Instances[0].Key
		mem, _ := s.Host.Memory.Get()
		grows := false
		for _, c := range p.Changes {
			grows = grows || c.Address == "sysctl:vm.nr_hugepages" && c.Effect == knob.Now
		}
		for name, form := range map[string]func(b *bytes.Buffer, d document.Plan) error{
			"conf":         func(b *bytes.Buffer, d document.Plan) error { return export.Conf(b, d, s, key) },
			"alter-system": func(b *bytes.Buffer, d document.Plan) error { return export.AlterSystem(b, d, s, key) },
			"patroni":      func(b *bytes.Buffer, d document.Plan) error { return export.Patroni(b, d, s, key) },
			"cnpg":         func(b *bytes.Buffer, d document.Plan) error { return export.CNPG(b, d, s, key) },
			"docker":       func(b *bytes.Buffer, d document.Plan) error { return export.Docker(b, d, s, key) },
			"ansible":      func(b *bytes.Buffer, d document.Plan) error { return export.Ansible(b, d, s) },
			"script":       func(b *bytes.Buffer, d document.Plan) error { return export.Script(b, d, s) },
		} {
			var b bytes.Buffer
			if err := form(&b, document.Plan{Plan: p}); err != nil {
				t.Fatal(err)
			}
			if !saysOn.Match(b.Bytes()) {
				continue
			}
			on++
			makes := grows && (name == "ansible" || name == "script")
			if len(p.Shared) != 1 || !makes && mem.HugeTotal < p.Shared[0].Pages {
				t.Fatalf("%s says on: %d pages are there, %+v are needed\n%s", name, mem.HugeTotal, p.Shared,
					b.String())
			}
		}
	})
	if on == 0 {
		t.Error("no form of any host said on: this shows nothing")
	}
}
