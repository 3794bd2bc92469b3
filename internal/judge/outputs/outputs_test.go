package outputs

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/fact/measured/output"
)

// table is one table of pg_test_fsync: names and rates in turn.
func table(pairs ...any) output.Output {
	f := &measured.Fsync{}
	for i := 0; i < len(pairs); i += 2 {
		r := measured.Rate{Name: pairs[i].(string), PerSecond: pairs[i+1].(float64)}
		if r.Name == "write" {
			f.Plain = &r
		} else {
			f.One = append(f.One, r)
		}
	}
	return output.Output{Program: output.TestFsync, Fsync: f}
}

// TestVerdicts: what each output means, by the ids of its verdicts; nothing that contradicts
// itself is good.
func TestVerdicts(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	n := func(x int64) *int64 { return &x }
	yes, no := true, false
	job := func(j output.Job) output.Output {
		return output.Output{Fio: &output.Fio{Jobs: []output.Job{j}}}
	}
	bench := func(p output.Pgbench) output.Output { return output.Output{Pgbench: &p} }
	for name, c := range map[string]struct {
		of   []output.Output
		want string
	}{
		"a mac": {[]output.Output{table("fdatasync", 15042., "fsync", 15063., "fsync_writethrough",
			88., "write", 14078.)},
			"fsync_without_the_disk critical, write_no_faster_than_flush warning"},
		"windows": {[]output.Output{table("open_datasync", 48817., "fsync", 79.7, "fsync_writethrough", 80.,
			"write", 1800.)},
			"fsync_without_the_disk critical, write_no_faster_than_flush warning"},
		"a cache of Windows": {[]output.Output{table("open_datasync", 12853., "fsync", 1986.,
			"fsync_writethrough", 1990.)},
			"fsync_without_the_disk warning"},
		"a mac that flushes": {[]output.Output{table("fsync", 90., "fsync_writethrough", 88.)}, "flush_slow warning"},
		"no disk": {[]output.Output{table("fdatasync", 200_000., "write", 900_000.)},
			"flush_impossible critical"},
		"one method lies": {[]output.Output{table("open_datasync", 9000., "fdatasync", 120., "write", 300_000.)},
			"methods_contradict warning"},
		"one that is far slower": {[]output.Output{table("open_datasync", 1002., "fdatasync", 1062., "fsync", 598.,
			"open_sync", 34.4)}, "methods_contradict info, flush_fair info"},
		"a journal": {[]output.Output{table("fdatasync", 608., "fsync", 177., "write", 300_000.)},
			"flush_slow info"},
		"good": {[]output.Output{table("fdatasync", 11855., "fsync", 10594.)}, "flush_fast good"},
		"fair": {[]output.Output{table("fdatasync", 2297., "write", 200_000.)}, "flush_fair info"},
		"rotating": {[]output.Output{table("fdatasync", 80.3, "fsync", 39.4, "write", 484_193.)},
			"flush_slow warning"},
		"two writes alone": {[]output.Output{{Program: output.TestFsync, Fsync: &measured.Fsync{
			Two: []measured.Rate{{Name: "open_sync", PerSecond: 88}}}}}, ""},
		"an initialization": {[]output.Output{bench(output.Pgbench{Init: &output.PgbenchInit{Rows: 100000}})},
			"initialization_only info"},
		"a run behind it that is cut": {[]output.Output{bench(output.Pgbench{Type: "<builtin: TPC-B (sort of)>",
			Clients: 10, Scale: 10, Init: &output.PgbenchInit{Rows: 100000}})}, ""},
		"nothing measured": {[]output.Output{table("fsync_writethrough", 80.)}, ""},
		"a slow flush by fio": {[]output.Output{job(output.Job{Write: &output.Side{PerSecond: 58},
			Sync: &output.Side{Mean: 0.0169, P99: 0.2999}})}, "flush_slow warning"},
		"a quick one": {[]output.Output{job(output.Job{Write: &output.Side{PerSecond: 8000},
			Sync: &output.Side{Mean: 0.0001, P99: 0.0003}})}, "flush_fast good"},
		"flushes that are not in it": {[]output.Output{job(output.Job{SyncEvery: 1, SyncBy: "fdatasync",
			Write: &output.Side{PerSecond: 1192, Mean: 3e-4}})}, "flush_missing info"},
		"into the cache": {[]output.Output{job(output.Job{Direct: &no,
			Write: &output.Side{PerSecond: 438_367, Mean: 2e-6}})},
			"page_cache warning"},
		"past the cache": {[]output.Output{job(output.Job{Direct: &yes,
			Write: &output.Side{PerSecond: 1244, Mean: 8e-4}})}, ""},
		"nobody knows": {[]output.Output{job(output.Job{Write: &output.Side{PerSecond: 1244, Mean: 8e-4}})}, ""},
		"a fast clock": {[]output.Output{{Timing: &measured.Timing{Clocks: []measured.Clock{{LoopNanos: 36}}}}},
			"clock_fast good"},
		"a slow clock": {[]output.Output{{Timing: &measured.Timing{Clocks: []measured.Clock{{LoopNanos: 4620}}}}},
			"clock_slow warning"},
		"clients and scale": {[]output.Output{bench(output.Pgbench{Type: "<builtin: TPC-B (sort of)>", Scale: 1,
			Clients: 10})}, "clients_above_scale warning"},
		"select only": {[]output.Output{bench(output.Pgbench{Type: "<builtin: select only>", Scale: 1,
			Clients: 10})}, ""},
		"one run": {[]output.Output{bench(output.Pgbench{TPS: v(100)})}, "one_run info"},
		"two runs": {[]output.Output{bench(output.Pgbench{TPS: v(100)}), bench(output.Pgbench{TPS: v(120)})},
			"no_interval info"},
		"-C": {[]output.Output{bench(output.Pgbench{TPS: v(190_594), TPSConnecting: v(521.9)})},
			"mostly_connecting warning, one_run info"},
		"uneven": {[]output.Output{
			bench(output.Pgbench{Latency: measured.Spread{Mean: v(6.66), SD: v(72.4)}})}, "uneven warning"},
		"a pause": {[]output.Output{{Sysbench: &output.Sysbench{Latency: &output.SysbenchLatency{Mean: v(19),
			Max: v(3732)}}}},
			"pauses warning"},
		"errors": {[]output.Output{{Sysbench: &output.Sysbench{Transactions: n(1000), IgnoredErrors: n(50)}}},
			"errors warning"},
		"swapping": {[]output.Output{{Vmstat: &output.Vmstat{Samples: []output.VmstatSample{{SinceBoot: true},
			{SI: n(9912), SO: n(7804)}}}}}, "swapping warning"},
		"a mean since the boot is no swapping now": {[]output.Output{
			{Vmstat: &output.Vmstat{Samples: []output.VmstatSample{{SinceBoot: true, SO: n(900)}}}}},
			"since_boot info"},
		"idle": {[]output.Output{{Vmstat: &output.Vmstat{Samples: []output.VmstatSample{{SinceBoot: true},
			{ID: 100}}}}}, "idle info"},
		"a schedule": {[]output.Output{bench(output.Pgbench{TPS: v(390.7), Lag: v(3.1)})},
			"rate_limited info, one_run info"},
		"clients that gave up": {[]output.Output{bench(output.Pgbench{Clients: 20, Aborted: 5,
			Errors: []string{"ERROR: canceling statement due to statement timeout"}})}, "aborted warning"},
		"a stall": {[]output.Output{{Progress: []measured.Progress{{At: 5, TPS: 4120}, {At: 10, TPS: 4098},
			{At: 15, TPS: 0}, {At: 20, TPS: 0}, {At: 25, TPS: 3902}}}}, "stall warning"},
		"slower is no stall": {[]output.Output{{Progress: []measured.Progress{{At: 5, TPS: 4120},
			{At: 10, TPS: 900}, {At: 15, TPS: 4000}}}}, ""},
		"sysbench stalls": {[]output.Output{{Sysbench: &output.Sysbench{Transactions: n(1000),
			Progress: []output.SysbenchPoint{{At: 10, TPS: v(1000)}, {At: 20, TPS: v(0)}, {At: 30, TPS: v(990)}}}}},
			"stall warning"},
		"events are no transactions": {[]output.Output{{Sysbench: &output.Sysbench{
			Progress: []output.SysbenchPoint{{At: 10, Events: v(1000)}, {At: 20, Events: v(990)}}}}}, ""},
		"memory": {[]output.Output{{Sysbench: &output.Sysbench{Test: "memory"}}}, "no_database info"},
		"reads from memory": {[]output.Output{job(output.Job{RW: "randread",
			Read: &output.Side{PerSecond: 486_000, Mean: 1.9e-6}})}, "page_cache warning"},
		"a clock that went backward": {[]output.Output{{Timing: &measured.Timing{Backward: "Time warp: -847 ms"}}},
			"clock_backward critical"},
		"stolen": {[]output.Output{{Vmstat: &output.Vmstat{Samples: []output.VmstatSample{{SinceBoot: true},
			{ST: n(31)}}}}}, "steal warning"},
		"swapping in MB": {[]output.Output{{Vmstat: &output.Vmstat{Unit: "MB",
			Samples: []output.VmstatSample{{SinceBoot: true}, {SI: n(2)}}}}}, "swapping warning"},
		"requests wait": {[]output.Output{
			{Iostat: &output.Iostat{Samples: []output.IostatSample{{Devices: []output.Device{
				{Name: "vda", Writes: v(1388), WriteMS: v(37), Queue: v(71), Util: v(100)}}}}}}},
			"requests_wait warning"},
		"of a report since the boot nothing is said": {[]output.Output{
			{Iostat: &output.Iostat{Samples: []output.IostatSample{
				{SinceBoot: true, Devices: []output.Device{{Name: "vda", Writes: v(1388), WriteMS: v(37),
					Queue: v(71)}}}}}}}, "since_boot info"},
		"full and quick": {[]output.Output{
			{Iostat: &output.Iostat{Samples: []output.IostatSample{{Devices: []output.Device{
				{Name: "nvme1n1", Reads: v(4380), ReadMS: v(0.1), Queue: v(0.43), Util: v(100)}}}}}}},
			"util_is_no_limit info"},
		"no request ends": {[]output.Output{
			{Iostat: &output.Iostat{Samples: []output.IostatSample{{Devices: []output.Device{
				{Name: "sdb", Reads: v(0), Writes: v(0), Queue: v(12), Util: v(100)}}}}}}},
			"no_request_done warning"},
		"it is unknown whether one ends": {[]output.Output{
			{Iostat: &output.Iostat{Samples: []output.IostatSample{{Devices: []output.Device{
				{Name: "sdb", Reads: v(0), Queue: v(12), Util: v(100)}}}}}}}, "util_is_no_limit info"},
		"a log": {[]output.Output{{Log: &output.Log{Window: 1, TPS: slices.Repeat([]float64{10, 12}, 6)}}},
			"interval info"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, x := range Judge(c.of) {
				got = append(got, x.ID+" "+string(x.Tone))
				if text := x.Text.String(); strings.ContainsAny(text, "{}") || strings.Contains(text, "  ") {
					t.Errorf("%s: %s", x.ID, text)
				}
			}
			if s := strings.Join(got, ", "); s != c.want {
				t.Errorf("%s, want %s", s, c.want)
			}
		})
	}
}

// TestInterval is that of twelve windows of 10 and 12 in turn: 11 ± 2.26 · 1.0445 / √12.
func TestInterval(t *testing.T) {
	list := Judge([]output.Output{{Log: &output.Log{Window: 1, TPS: slices.Repeat([]float64{10, 12}, 6)}}})
	if s := list[0].Text.String(); !strings.HasPrefix(s,
		"11.0 tps, 95% confidence interval 10.3 to 11.7, from 12 windows of 1 s") {
		t.Error(s)
	}
}

// TestOneBranch: at scale 1 there is one row that all clients update.
func TestOneBranch(t *testing.T) {
	for scale, want := range map[int64]string{1: "the only row of pgbench_branches", 4: "one of 4 rows"} {
		list := Judge([]output.Output{{Pgbench: &output.Pgbench{Type: "<builtin: TPC-B (sort of)>", Scale: scale,
			Clients: 10}}})
		if len(list) != 1 || !strings.Contains(list[0].Text.String(), want) {
			t.Errorf("scale %d: %+v", scale, list)
		}
	}
}
