package knob_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// TestParse holds which addresses exist and which layer each is of.
func TestParse(t *testing.T) {
	for s, layer := range map[string]knob.Layer{
		"pg:shared_buffers": knob.Instance, "wal:location": knob.Instance, "sysctl:vm.nr_hugepages": knob.Kernel,
		"thp:enabled": knob.Kernel, "block:vda/scheduler": knob.Kernel,
		"relation:shop.public.orders/tablespace": knob.Instance,
		"tablespace:archive/random_page_cost":    knob.Instance, "tablespace:*/random_page_cost": knob.Instance,
		"mount:/srv/options": knob.Mounts, "boot:transparent_hugepage": knob.Boot, "unit:OOMPolicy": knob.Units,
	} {
		a, err := knob.Parse(s)
		if err != nil || a.Layer() != layer || a.Prefix()+":"+a.Name() != s {
			t.Errorf("%s: %v, %v, layer %s", s, a, err, a.Layer())
		}
	}
	for _, s := range []string{"", "shared_buffers", "pg:", "registry:x", ":x", "tablespace:x", "tablespace:/x",
		"tablespace:x/", "relation:a.b/tablespace", "relation:a.b.c/x", "relation:a.b.c", "relation:a..c/tablespace",
		"relation:a.b.c%2/tablespace", "relation:a.b.%63/tablespace", "tablespace:a%2/x", "tablespace:a%00b/x",
		"tablespace:%FF/x"} {
		if a, err := knob.Parse(s); err == nil {
			t.Errorf("%q was read as %s", s, a)
		}
	}
}

// TestEffects: their order is their meaning, and their names are read back.
func TestEffects(t *testing.T) {
	if !(knob.Now < knob.Reload && knob.Reload < knob.Restart && knob.Restart < knob.Reboot) {
		t.Error("effects are out of order")
	}
	for _, e := range []knob.Effect{knob.Now, knob.Reload, knob.Restart, knob.Reboot} {
		if back, err := knob.ParseEffect(e.String()); err != nil || back != e {
			t.Errorf("%s: %v, %v", e, back, err)
		}
	}
	if _, err := knob.ParseEffect("soon"); err == nil {
		t.Error("soon was read as an effect")
	}
	if knob.EffectOf("postmaster") != knob.Restart || knob.EffectOf("sighup") != knob.Reload ||
		knob.EffectOf("user") != knob.Reload {
		t.Error("contexts have other effects")
	}
}

// TestFamilies: what there is once a device or a mount has a subject and a family.
func TestFamilies(t *testing.T) {
	for a, want := range map[knob.Address][2]string{
		"block:vda/scheduler":                   {"vda", "block:*/scheduler"},
		"block:mapper/vg0-data/read_ahead_kb":   {"mapper/vg0-data", "block:*/read_ahead_kb"},
		"block:*/scheduler":                     {"*", "block:*/scheduler"},
		"block:scheduler":                       {"", "block:scheduler"},
		"mount:/srv/pg/options":                 {"/srv/pg", "mount:*/options"},
		"mount:/options":                        {"/", "mount:*/options"},
		"mount:/options/options":                {"/options", "mount:*/options"},
		"mount:*/options":                       {"*", "mount:*/options"},
		"sysctl:net/ipv4":                       {"", "sysctl:net/ipv4"},
		"tablespace:a/random_page_cost":         {"a", "tablespace:*/random_page_cost"},
		"tablespace:*/random_page_cost":         {"*", "tablespace:*/random_page_cost"},
		"thp:khugepaged/defrag":                 {"", "thp:khugepaged/defrag"},
		knob.Block("sda", "scheduler"):          {"sda", "block:*/scheduler"},
		knob.MountOptions("/"):                  {"/", "mount:*/options"},
		knob.MountOptions("/var/lib/pgsql/17/"): {"/var/lib/pgsql/17", "mount:*/options"},
	} {
		if got := a.Subject(); got != want[0] {
			t.Errorf("%s: the subject %q, want %q", a, got, want[0])
		}
		if got := a.Family(); got != knob.Address(want[1]) {
			t.Errorf("%s: the family %q, want %q", a, got, want[1])
		}
		if want[0] != "" && !a.Family().Covers(a) || !a.Covers(a) {
			t.Errorf("%s is not covered", a)
		}
	}
	if knob.Address("block:*/scheduler").Covers("block:vda/read_ahead_kb") ||
		knob.Address("block:vda/scheduler").Covers("block:vdb/scheduler") {
		t.Error("another knob is covered")
	}
}

// TestTablespaces: a tablespace may have any name, and each has an address of its own
// that is one visible word without what ends a list, an address or a path.
func TestTablespaces(t *testing.T) {
	seen := map[knob.Address]bool{}
	for _, name := range []string{"archive", "Old Data", `a"b`, "a/b", "*", "a,b", "a@b", "x\ny", "%20", " ", "été",
		"a\u202eb", "{name}", "a:b", `\`, "%", strings.Repeat("x", 63)} {
		a := knob.Tablespace(name, "random_page_cost")
		got, option, ok := a.Tablespace()
		if !ok || got != name || option != "random_page_cost" {
			t.Errorf("%q: %s is read back as %q, %q, %t", name, a, got, option, ok)
		}
		if strings.ContainsAny(a.Subject(), "/,@*{}: \n\"\\") || strings.ContainsRune(string(a), 0x202e) || seen[a] {
			t.Errorf("%q: the address %s", name, a)
		}
		if b, err := knob.Parse(string(a)); err != nil || b != a {
			t.Errorf("%s is parsed to %s, %v", a, b, err)
		}
		if a.Family() != "tablespace:*/random_page_cost" || !a.Family().Covers(a) {
			t.Errorf("%s: the family %s", a, a.Family())
		}
		seen[a] = true
	}
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", 1000)} {
		if a := knob.Tablespace(name, "random_page_cost"); a != "" {
			t.Errorf("%q has the address %s", name, a)
		}
	}
	if a, err := knob.Parse("tablespace:Old Data/random_page_cost"); err != nil ||
		a != "tablespace:Old%20Data/random_page_cost" {
		t.Errorf("as a person writes it: %s, %v", a, err)
	}
	if _, _, ok := knob.PG("random_page_cost").Tablespace(); ok {
		t.Error("a setting of the server is one of a tablespace")
	}
}

// TestRelations: any three names have one address, which is one word and is read back.
func TestRelations(t *testing.T) {
	seen := map[knob.Address]bool{}
	odd := []string{"orders", "a.b", `a"b`, "a/b", "*", "a,b", "a@b", "x\ny", " ", "été", "%2E", strings.Repeat("x",
		63)}
	for _, database := range odd {
		for _, name := range odd {
			a := knob.Relation(database, "public", name)
			db, schema, rel, ok := a.Relation()
			if !ok || db != database || schema != "public" || rel != name || seen[a] {
				t.Errorf("%q, %q: %s is read back as %q, %q, %q", database, name, a, db, schema, rel)
			}
			if b, err := knob.Parse(string(a)); err != nil || b != a || strings.ContainsAny(string(a), ",@ \n\"") {
				t.Errorf("%s is parsed to %s, %v", a, b, err)
			}
			seen[a] = true
		}
	}
	for _, name := range []string{"", "a\x00b", "\xff", strings.Repeat("x", 1000)} {
		if a := knob.Relation("shop", "public", name); a != "" {
			t.Errorf("%q has the address %s", name, a)
		}
	}
	if _, _, _, ok := knob.Tablespace("a.b.c", "tablespace").Relation(); ok {
		t.Error("a tablespace is a relation")
	}
}
