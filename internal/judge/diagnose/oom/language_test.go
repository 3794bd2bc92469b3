package oom

import (
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/test/translated"
)

// TestIn verifies that each text of a post-mortem follows the language, except for times.
func TestIn(t *testing.T) {
	const ram = 4 << 20
	log := oomHost(ram, 3500000, 300000, 300000, 1000, 10000, newTable+oomRow(900, 500, 3000, 160000, -900, "postgres")+
		oomRow(2000, 3300000, 1000, 30<<20, 0, "postgres")) + oomKilled(2000, 3300000, 1000) +
		"[  12.5] Out of memory: Killed process 7 (java) total-vm:10kB, anon-rss:8kB, file-rss:0kB\n"
	l, err := oomRead(log)
	if err != nil {
		t.Fatal(err)
	}
	d := Diagnose(l, Facts{})
	if len(d.Kills) != 2 || len(d.Kills[0].Also) == 0 || len(d.Kills[0].Prevention) == 0 || len(d.Missing) == 0 {
		t.Fatalf("%+v", d)
	}
	translated.Whole(t, d, func(d *Report, c *say.Catalogue) *Report { return d.In(c) }, "Time")
}
