package reports

import (
	"fmt"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// A number that is a name is shown as a command takes it, and what nobody looks for among many facts is left to JSON.
func TestPastedFacts(t *testing.T) {
	for _, c := range []struct {
		fact part.Fact
		want string
	}{
		{part.Count("unit.main_pid", "", 895834), "895834"},
		{part.Count("control.catalog", "", 202307071), "202307071"},
		{part.Fact{Name: "setting", Of: "port", Value: int64(54321)}, "54321"},
		{part.Fact{Name: "setting", Of: "max_connections", Value: int64(10000)}, "10,000"},
		{part.Count("control.oldest_xid", "", 3213300797), "3213300797"},
		{part.Seconds("pgbench.latency", "", 0.002573), "2.573 ms"},
		{part.Seconds("setting", "", 1.5), "1.5 s"},
		{part.Seconds("uptime", "", 285*86400), "285 days"},
	} {
		if s := fmt.Sprint(pastedText(c.fact)); s != c.want {
			t.Errorf("%s is shown as %s, want %s", c.fact.Name, s, c.want)
		}
	}
	for _, c := range []struct {
		part paste.Part
		want string
	}{
		{paste.Part{Kind: part.Sar, Command: "mpstat -P ALL 1"}, "mpstat"},
		{paste.Part{Kind: part.Sar, Command: "sar -u"}, "sar"},
		{paste.Part{Kind: part.PgSettings, Sure: part.Likely}, "settings in a table"},
		{paste.Part{Kind: part.PgSettings, Sure: part.Certain}, "pg_settings"},
		{paste.Part{Kind: part.SysctlSet}, "kernel parameters that a command sets"},
	} {
		if s := fmt.Sprint(titleOf(&c.part)); s != c.want {
			t.Errorf("%s is called %s, want %s", c.part.Kind, s, c.want)
		}
	}
	for kind, facts := range map[part.Kind][]part.Fact{
		part.Lsblk: {part.Word("disk.kind", "sda", "disk"), part.Word("disk.kind", "loop12", "loop")},
		part.Df:    {part.Word("space.source", "/srv", "/dev/sda"), part.Word("space.source", "/etc/hosts", "b")},
		part.Sar:   {part.Percent("cpu.idle.min", "", 10), part.Percent("cpu.idle.min", "3", 9)},
	} {
		if got := telling(&paste.Part{Kind: kind, Facts: facts}); len(got) != 1 || got[0] != facts[0] {
			t.Errorf("%s: %v is shown", kind, got)
		}
		if got := telling(&paste.Part{Kind: kind, Facts: facts[1:]}); len(got) != 1 {
			t.Errorf("%s: nothing is shown of what stands alone", kind)
		}
	}
}
