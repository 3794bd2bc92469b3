package plan_test

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// BenchmarkMake is one plan of a snapshot that was read before: on a host where
// everything fits, on one where the number of connections has to be searched
// for, and on one whose huge pages serve several instances.
func BenchmarkMake(b *testing.B) {
	describe := func(spec string) *snapshot.Snapshot {
		a, err := snapshot.Describe(spec)
		if err != nil {
			b.Fatal(err)
		}
		return read(b, a)
	}
	opt := rule.Options{Profile: rule.Mixed, Pins: map[knob.Address]string{}}
	for _, c := range []struct {
		name string
		s    *snapshot.Snapshot
	}{
		{"server", describe("ram=64GB,swap=2GB,cpus=16,storage=nvme,disk=2000GB,pg=17")},
		{"short", describe("ram=16GB,cpus=8,storage=ssd,pg=15,set.max_connections=5000")},
		{"four", several(b, host{spec: description(b, "ram=256GB,cpus=64,storage=nvme,pg=18"), opt: opt},
			4, 1000, 100)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				mustPlan(b, c.s, opt)
			}
		})
	}
}

func description(b *testing.B, spec string) snapshot.Description {
	d, err := snapshot.ParseDescription(spec)
	if err != nil {
		b.Fatal(err)
	}
	return d
}
