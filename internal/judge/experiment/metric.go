package experiment

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// Metric is something that a run has a figure of.
type Metric struct {
	Name           string
	Title          say.Message // for people
	Unit           string
	HigherIsBetter bool
	of             func(r *Run) stat.Number
}

// Of returns a run's figure; NaN if it has none.
func (m Metric) Of(r *Run) stat.Number { return m.of(r) }

// Names of counters in Run.Counters, all of the whole run.
const (
	WALBytes    = "wal_bytes"
	FullPages   = "wal_fpi"
	BlocksRead  = "blocks_read"
	BlocksHit   = "blocks_hit"
	BlocksWrite = "blocks_written"
	TempBytes   = "temp_bytes"
	ServerCPU   = "server_cpu_ms"
	ClientCPU   = "client_cpu_ms"
	PageTables  = "page_tables_bytes" // at the end of the run
	// Counted are transactions that the counters were counted over; if absent, they are those of the run.
	Counted = "counted_transactions"
)

// perTransaction is a counter over transactions.
func perTransaction(name string, title say.Message, counter, unit string) Metric {
	return Metric{Name: name, Title: title, Unit: unit, of: func(r *Run) stat.Number {
		v, ok := r.Counters[counter]
		n := float64(r.Transactions)
		if c, counted := r.Counters[Counted]; counted {
			n = c
		}
		if !ok || n == 0 {
			return unknown
		}
		return stat.Number(v / n)
	}}
}

// Metrics are all that can be compared; those that may decide are PrimaryMetrics.
func Metrics() []Metric {
	return []Metric{
		{Name: "tps", Title: say.M("transactions per second"), Unit: "1/s", HigherIsBetter: true,
			of: func(r *Run) stat.Number { return positive(r.TPS) }},
		// What others took of the CPU time is not counted against a configuration: exploratory, as a load that waits
		// for a disk would not have used it.
		{Name: "tps_of_cpu_left", Title: say.M("transactions per second, corrected for CPU time taken by others"),
			Unit: "1/s", HigherIsBetter: true, of: func(r *Run) stat.Number {
				return positive(r.TPS / (1 - r.Environment.Taken()))
			}},
		{Name: "latency_mean_ms", Title: say.M("mean latency"), Unit: "ms",
			of: func(r *Run) stat.Number { return positive(float64(r.Latency.Mean)) }},
		{Name: "latency_p95_ms", Title: say.M("p95 latency"), Unit: "ms",
			of: func(r *Run) stat.Number { return positive(float64(r.Latency.P95)) }},
		{Name: "latency_p99_ms", Title: say.M("p99 latency"), Unit: "ms",
			of: func(r *Run) stat.Number { return positive(float64(r.Latency.P99)) }},
		{Name: "seconds", Title: say.M("run time"), Unit: "s",
			of: func(r *Run) stat.Number { return positive(r.Seconds) }},
		// Deferred work is charged: what a run leaves dirty, the checkpoint after it writes.
		{Name: "tps_with_checkpoint", Title: say.M("transactions per second, including the checkpoint after the run"),
			Unit:           "1/s",
			HigherIsBetter: true, of: func(r *Run) stat.Number {
				return positive(float64(r.Transactions) / (r.Seconds + r.Checkpoint))
			}},
		perTransaction("wal_bytes_per_tx", say.M("WAL per transaction"), WALBytes, "B"),
		perTransaction("wal_fpi_per_tx", say.M("full-page images per transaction"), FullPages, ""),
		perTransaction("blocks_read_per_tx", say.M("blocks read per transaction"), BlocksRead, ""),
		perTransaction("blocks_hit_per_tx", say.M("shared buffer hits per transaction"), BlocksHit, ""),
		perTransaction("blocks_written_per_tx", say.M("blocks written per transaction"), BlocksWrite, ""),
		perTransaction("temp_bytes_per_tx", say.M("temporary file bytes per transaction"), TempBytes, "B"),
		perTransaction("server_cpu_ms_per_tx", say.M("server CPU time per transaction"), ServerCPU, "ms"),
		perTransaction("client_cpu_ms_per_tx", say.M("client CPU time per transaction"), ClientCPU, "ms"),
		{Name: "page_tables_bytes", Title: say.M("server page tables"), Unit: "B", of: func(r *Run) stat.Number {
			if v, ok := r.Counters[PageTables]; ok {
				return stat.Number(v)
			}
			return unknown
		}},
	}
}

// FindMetric finds a metric by name.
func FindMetric(name string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.Name == name {
			return m, true
		}
	}
	return Metric{}, false
}

// PrimaryMetrics are the names of metrics that may decide an experiment.
func PrimaryMetrics() []string {
	return []string{"tps", "latency_mean_ms", "latency_p95_ms", "latency_p99_ms", "seconds", "tps_with_checkpoint"}
}
