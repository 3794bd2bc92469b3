package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
)

// TestUnitsOfTwoBranches: only slices above a unit have a kill for its sake.
func TestUnitsOfTwoBranches(t *testing.T) {
	units := func(names ...string) (out []oom.Unit) {
		for _, n := range names {
			out = append(out, oom.Unit{Name: n, By: "systemd"})
		}
		return out
	}
	for name, c := range map[string]struct {
		list      []oom.Unit
		want, not string
	}{
		"above": {units("system-postgresql.slice", "system.slice", "-.slice"), "systemd reports 2 more units",
			"not above"},
		"two": {units("user-7.slice", "user.slice", "system-postgresql.slice"),
			"2 units that systemd reports are not above it", "more unit"},
		"both": {units("postgresql@16-main.service", "system-postgresql.slice", "user@7.service"),
			"systemd reports 1 more unit", "2 more"},
		"unplaced": {units("postgresql.service", "user-7.slice"), "postgresql.service", "above it"},
	} {
		if got := unitsVerdict(c.list).String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestVerdicts holds what the first line says where no report of the OOM killer was read, or several.
func TestVerdicts(t *testing.T) {
	postmaster, backend := oom.Death{Role: "postmaster"}, oom.Death{PID: 7, Role: "backend"}
	query, fork := oom.Refusal{What: "query"}, oom.Refusal{What: "process"}
	cause := oom.Cause{Text: say.Text("Why.")}
	killed := oom.Kill{Victim: &oom.Task{PID: 12345, Name: "postgres"}, Cause: cause}
	state := oom.Kill{OnlyMemory: true, Cause: cause}
	first := 0
	for name, c := range map[string]struct {
		d    oom.Report
		want string
		not  string
	}{
		"a postmaster that is gone": {oom.Report{Unexplained: []oom.Death{postmaster}},
			"The postmaster exited unexpectedly.", "terminated by signal 9"},
		"it and a backend": {oom.Report{Unexplained: []oom.Death{backend, postmaster}},
			"The postmaster exited unexpectedly, and 1 server process was terminated by signal 9.", "2 server"},
		"backends": {oom.Report{Unexplained: []oom.Death{backend, backend}},
			"2 server processes were terminated by signal 9.", "postmaster"},
		"refusals": {oom.Report{Refused: []oom.Refusal{query, query, fork}},
			`2 queries failed with "out of memory" and 1 process could not be forked.`,
			"at least"},
		"as many refusals as are kept": {oom.Report{Refused: slices.Repeat([]oom.Refusal{query}, oom.MaxRefused)},
			"at least 50 queries", "forked"},
		"kills": {oom.Report{Kills: []oom.Kill{killed, killed}, TellsMost: &first},
			"The OOM killer ran 2 times. Report 1 is the most complete: postgres (process 12345) was killed",
			"memory was"},
		"a kill and a state of the memory": {oom.Report{Kills: []oom.Kill{killed, state}, TellsMost: &first},
			"2 reports of the kernel about memory were read.", "ran 2"},
		"nothing": {oom.Report{Read: oom.Read{Lines: 3}}, "No OOM kill was found in the logs that were read.", "empty"},
	} {
		got := oomWords{}.verdict(&c.d).String()
		if !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestUnitsOfOthers holds what is said of what others than the kernel ended.
func TestUnitsOfOthers(t *testing.T) {
	size, pressure, limit := unit.Bytes(512*unit.MB), 71.2, 60.0
	for name, c := range map[string]struct {
		list      []oom.Unit
		want, not string
	}{
		"pressure above": {[]oom.Unit{{Name: "/a/b.scope", By: "systemd-oomd", Reason: "memory_pressure",
			Pressure: &pressure, Most: &limit, PressureOf: "/a", PressureFor: "1min 30s"}},
			"The tasks of /a together were stalled on memory 71.20% of the time (memory pressure, limit " +
				"60.00%)", "Its tasks"},
		"for how long": {[]oom.Unit{{Name: "/a", By: "systemd-oomd", Reason: "memory_pressure", Pressure: &pressure,
			Most: &limit, PressureFor: "20s"}}, "for more than 20 s.", "together"},
		"evictions": {[]oom.Unit{{Name: "db", By: oom.ByKubelet, Evicted: true, RSS: &size, Available: &size},
			{Name: "web", By: oom.ByKubelet, Evicted: true}}, "1 more eviction is reported.", "kill is reported"},
		"limit": {[]oom.Unit{{Name: "db", By: "kernel", Container: true, Limit: &size}},
			"The memory limit of the container is 512 MB.", "evict"},
	} {
		if got := unitsVerdict(c.list).String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %s", name, got)
		}
	}
	for want, d := range map[string]oom.Report{
		"Exit code 137 means that signal 9 (SIGKILL) terminated it": {Spared: true},
		"2 memory allocations of the kernel failed":                 {FailedAllocations: 2},
		"The text mentions an OOM kill, but no line":                {Mention: "it was OOM-killed"},
	} {
		if got := (oomWords{}).verdict(&d).String(); !strings.Contains(got, want) {
			t.Errorf("%s", got)
		}
	}
}
