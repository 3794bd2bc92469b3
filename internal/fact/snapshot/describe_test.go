package snapshot_test

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TestParseDescription holds what a description may say and how it is refused.
func TestParseDescription(t *testing.T) {
	d, err := snapshot.ParseDescription("ram=64GB,swap=2GB,cpus=16,sockets=2,storage=nvme,pg=17 set.work_mem=64MB")
	if err != nil {
		t.Fatal(err)
	}
	if d.RAM != 64*unit.GB || d.Swap != 2*unit.GB || d.CPUs != 16 || d.Sockets != 2 || d.Storage != "nvme" ||
		d.Major != 17 || d.Settings["work_mem"] != "64MB" {
		t.Errorf("read as %+v", d)
	}
	for spec, want := range map[string]string{
		"":                                   "nothing is described",
		"cpus=4":                             "ram is missing",
		"ram=64GB,ram=32GB":                  "twice",
		"ram=lots":                           "not an amount",
		"ram=1MB":                            "from 128 MB",
		"ram=999999999999999TB":              "not an amount",
		"ram=64GB,cpus=0":                    "from 1",
		"ram=64GB,cpus=-3":                   "from 1",
		"ram=64GB,pg=12":                     "from 13 to 19",
		"ram=64GB,storage=floppy":            "nvme, ssd, hdd, san",
		"ram=64GB,colour=red":                "no such key",
		"ram=64GB,cpus=2,sockets=4":          "at least one CPU",
		"ram=8GB,cgroup=16GB":                "limits nothing",
		"ram=8GB,pg=13,set.io_method=worker": "no such parameter",
		"ram=8GB,set.work_mem=much":          "not a number",
		"ram":                                "not KEY=VALUE",
	} {
		if _, err := snapshot.ParseDescription(spec); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want one that says %q", spec, err, want)
		}
	}
}

// TestDescribedFacts verifies that what was given is a fact and what was not is missing, with the word that would give
// it.
func TestDescribedFacts(t *testing.T) {
	a, err := snapshot.Describe("ram=64GB,swap=2GB,pg=14,cgroup=16GB,container=docker")
	if err != nil {
		t.Fatal(err)
	}
	s, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	if m, ok := s.Host.Memory.Get(); !ok || m.Total != 64*unit.GB || m.SwapTotal != 2*unit.GB {
		t.Errorf("memory %+v, %v", m, ok)
	}
	if cpu, ok := s.Host.CPU.Get(); !ok || cpu.Logical != 4 || len(s.Assumed) != 1 ||
		s.Assumed[0] != (snapshot.Assumption{Word: "cpus", Value: "4"}) {
		t.Errorf("processors were not told: want 4 and that they are assumed: %+v, %+v", cpu, s.Assumed)
	}
	if g := s.Host.Blocks.Gap(); g.Fact != "storage=" || !strings.Contains(g.Reveal, "storage=") {
		t.Errorf("the gap of the disks does not name the word that tells them: %+v", g)
	}
	if len(s.Instances) != 1 {
		t.Fatalf("%d instances", len(s.Instances))
	}
	in := &s.Instances[0]
	if v, ok := in.Server.Version.Get(); !ok || v.Major() != 14 {
		t.Errorf("version %v, %v", v, ok)
	}
	if l, limited := s.MemoryLimit(in); !limited {
		t.Errorf("the limit of the control group is not seen: %+v", l)
	} else if v, _ := l.Get(); v != 16*unit.GB {
		t.Errorf("limit %s", v)
	}
	set, _ := in.Server.Settings.Get()
	if b, ok := set.Bytes("shared_buffers"); !ok || b != 128*unit.MB {
		t.Errorf("shared_buffers %s, %v: initdb writes 128MB in every version", b, ok)
	}
	if v, ok := s.Host.Virt.Get(); !ok || v.Container != "docker" {
		t.Errorf("virt %+v, %v", v, ok)
	}
}
