package experiment

import (
	"encoding/json"
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment/stat"
)

// ResultSchema names the form of the document.
const ResultSchema = "pgfettle.result/1"

// Designs of an experiment.
const (
	DesignRestart = "restart" // a server of one configuration at a time, restarted for each run
	DesignSlices  = "slices"  // servers of both configurations up, loaded by turns in short balanced slices
	DesignSingle  = "single"  // one configuration alone: no comparison
	// on existing databases, whose servers are not restarted: runs of A and B by turns, the settings being the
	// sessions'
	DesignTurns = "turns"
)

// Result is an experiment with two configurations, or one measured alone (Design Single,
// which has no B). Times are RFC 3339 in UTC.
type Result struct {
	Schema   string                `json:"schema"`
	Program  string                `json:"pgfettle"` // version of the program
	Name     string                `json:"experiment,omitempty"`
	Started  string                `json:"started"`
	Ended    string                `json:"ended,omitempty"` // "": not finished; it may be resumed
	Design   string                `json:"design"`
	Metric   string                `json:"metric"` // the one that decides, declared before the first run
	A        MeasuredConfiguration `json:"a"`
	B        MeasuredConfiguration `json:"b,omitzero"`
	Workload MeasuredWorkload      `json:"workload"`
	Spec     Spec                  `json:"spec"`
	Host     Host                  `json:"host"`
	Blocks   []Block               `json:"blocks"` // in the order in which they were run, discarded ones too
	stat.Verdict
	Secondary []Compared `json:"secondary,omitempty"`
	// what has to be known to read it, such as the caution of an experiment
	Notes []string `json:"notes,omitempty"`
}

// Setting is one value of a configuration, spelled as a file has it.
type Setting struct {
	Address string `json:"address"` // pg:shared_buffers, sysctl:vm.nr_hugepages
	Value   string `json:"value"`
}

// MeasuredConfiguration is one of the configurations.
type MeasuredConfiguration struct {
	Name   string `json:"name"`             // as it was asked for: default, plan:oltp, a file, pg:work_mem=64MB
	Server string `json:"server,omitempty"` // version of PostgreSQL, where those of A and B differ
	// conninfo of the existing database that it ran on, without a password; "": on an instance of the experiment
	Database string    `json:"database,omitempty"`
	Settings []Setting `json:"settings"` // what differs from the server's defaults, sorted
	Hash     string    `json:"settings_hash,omitempty"`
}

// MeasuredWorkload is what was run.
type MeasuredWorkload struct {
	Name      string `json:"name"`
	Scale     int    `json:"scale"`
	Bytes     int64  `json:"database_bytes"`      // of its database before the first run; 0: not known
	Synthetic bool   `json:"synthetic,omitempty"` // made from statistics, not from what users really sent
	Writes    bool   `json:"writes"`
	Command   string `json:"command"` // pgbench and its arguments, to run it manually
}

// Spec is how it was asked to be run.
type Spec struct {
	Blocks  int `json:"blocks"`
	Clients int `json:"clients"`
	Jobs    int `json:"jobs"`
	// of a run; of the slices of one configuration in a block; 0: a run is Count transactions of each client
	Duration float64 `json:"duration_s"`
	Warmup   float64 `json:"warmup_s"` // most, until the rate is flat
	Slice    float64 `json:"slice_s,omitempty"`
	// a run lasts until so many are complete, and Duration at least; 0: it has a fixed time
	Cycles int     `json:"checkpoint_cycles,omitempty"`
	Rate   float64 `json:"rate_tps,omitempty"` // 0: as fast as it goes
	// of each client, of a run without Duration, or of the counted one after a run with it; 0: none
	Count    int     `json:"transactions,omitempty"`
	Seed     uint64  `json:"seed"`
	Cache    string  `json:"cache"`    // warm, os-warm, cold
	Protocol string  `json:"protocol"` // simple, extended, prepared
	Margin   float64 `json:"margin_pct"`
	// Restore says what data a run finds: fresh, a copy of what was loaded; kept, what
	// the runs of its configuration before left; shared, what was loaded itself; existing, what is in the database that
	// a person named, and what the runs before left there.
	Restore string `json:"restore,omitempty"`
	// Sequential says that it may be judged after 8, 12, 16 and 24 blocks, and end at the first that decides.
	Sequential bool `json:"sequential,omitempty"`
	// Extended is how often blocks were added after it had been judged.
	Extended int `json:"extended,omitempty"`
}

// MostExtended is how often blocks may be added: each look costs a share of the probability of a false difference.
const MostExtended = 2

// Level is the probability of a false difference at which it is judged, so that over all looks at its blocks it is not
// above stat.Level.
func (s Spec) Level() float64 {
	switch {
	case s.Extended > 0:
		return stat.ExtendedLevel
	case s.Sequential:
		return stat.SequentialLevel
	}
	return stat.Level
}

// Numbered says that a run is a number of transactions, not a time.
func (s Spec) Numbered() bool { return s.Duration == 0 }

// Host is the host on which it was run.
type Host struct {
	Line     string `json:"line"` // the host as `check` reports it
	Kernel   string `json:"kernel"`
	CPUs     int    `json:"cpus"`
	Memory   int64  `json:"memory_bytes"`
	Server   string `json:"server"` // version of PostgreSQL
	Pgbench  string `json:"pgbench"`
	Snapshot string `json:"snapshot,omitempty"` // hash
}

// Block is two runs close in time, one of each configuration. (Design Single: one run.)
type Block struct {
	Number int    `json:"number"` // from 1
	Order  string `json:"order"`  // AB or BA; A
	Seed   uint64 `json:"seed"`   // of both runs
	// in the order in which they were run; slices of one configuration are one run
	Runs      []Run       `json:"runs"`
	LogRatio  stat.Number `json:"log_ratio"`           // ln(B/A) of the metric; null if discarded
	Discarded []string    `json:"discarded,omitempty"` // why it does not count
	// it does not count whatever the others do: transactions failed, the clock was set, checkpoints are missing
	Broken bool `json:"broken,omitempty"`
}

// Run is one measurement of one configuration.
type Run struct {
	Config       string             `json:"configuration"` // A or B
	Started      string             `json:"started"`
	Seconds      float64            `json:"seconds"`
	Transactions int64              `json:"transactions"`
	TPS          float64            `json:"tps"`
	Latency      Latency            `json:"latency_ms"`
	Failed       int64              `json:"failed,omitempty"`
	Retried      int64              `json:"retried,omitempty"`
	Skipped      int64              `json:"skipped,omitempty"` // behind the rate by more than the limit
	Errors       []string           `json:"errors,omitempty"`
	Windows      []float64          `json:"windows_tps,omitempty"` // of ten seconds each
	Steady       bool               `json:"steady"`                // the warm-up ended flat
	Counters     map[string]float64 `json:"counters,omitempty"`    // by the names of Metrics, of the whole run
	// complete ones in the run, if Spec asks for some
	Cycles int `json:"checkpoint_cycles,omitempty"`
	// of the timed checkpoint after the run: work put off
	Checkpoint  float64     `json:"checkpoint_s,omitempty"`
	Environment Environment `json:"environment"`
}

// Latency of a transaction in milliseconds. Percentiles are present if transactions were logged.
type Latency struct {
	Mean stat.Number `json:"mean"`
	SD   stat.Number `json:"sd"`
	P50  stat.Number `json:"p50"`
	P95  stat.Number `json:"p95"`
	P99  stat.Number `json:"p99"`
	Max  stat.Number `json:"max"`
}

// Environment is what else went on during a run. Null is not known.
type Environment struct {
	Steal stat.Number `json:"steal_pct"` // of all CPU time
	// taken by processes that are not of the experiment, of all CPU time
	Foreign        stat.Number `json:"foreign_cpu_pct"`
	PSICPU         stat.Number `json:"psi_cpu_some_pct"`
	PSIIO          stat.Number `json:"psi_io_some_pct"`
	PSIMemory      stat.Number `json:"psi_memory_full_pct"`
	ClockStep      stat.Number `json:"clock_step_ms"` // wall clock against the monotonic one
	CalibrationCPU stat.Number `json:"canary_cpu_ms"` // fixed work before the run
	// copying of memory beyond the caches before the run
	CalibrationMemory stat.Number `json:"canary_memory_ms"`
	CalibrationSync   stat.Number `json:"canary_fsync_ms"` // fixed number of fsyncs before the run
	Checkpoint        int         `json:"checkpoints"`     // completed in the run
	Wraparound        bool        `json:"wraparound_vacuum,omitempty"`
}

// Compared is another metric: exploratory, its probability adjusted for their
// number (Holm).
type Compared struct {
	Metric string      `json:"metric"`
	A      stat.Number `json:"a"` // median of the runs that count
	B      stat.Number `json:"b"`
	Effect stat.Number `json:"effect_pct"`
	Low    stat.Number `json:"ci_low_pct"`
	High   stat.Number `json:"ci_high_pct"`
	P      stat.Number `json:"p_adjusted"`
}

// Run returns the run of a configuration, nil if the block has none.
func (b *Block) Run(config string) *Run {
	for i := range b.Runs {
		if b.Runs[i].Config == config {
			return &b.Runs[i]
		}
	}
	return nil
}

// mostResult bounds a document that is read: a thousand blocks with all that each
// holds are under 8 MB.
const mostResult = 32 << 20

const mostBlocks = 1000

// DecodeResult reads a document and judges it again from its runs.
func DecodeResult(b []byte) (*Result, error) {
	if len(b) > mostResult {
		return nil, wrong("a result of {n} bytes: more than {most}", "n", fmt.Sprint(len(b)),
			"most", fmt.Sprint(mostResult))
	}
	var r Result
	if err := json.Unmarshal(b, &r); err != nil {
		return nil, wrong("result: {error}", "error", err)
	}
	if r.Schema != ResultSchema {
		return nil, wrong("result of schema {schema}, not {known}", "schema", say.Quoted(r.Schema),
			"known", say.Quoted(ResultSchema))
	}
	if _, ok := FindMetric(r.Metric); !ok {
		return nil, wrong("result with the unknown metric {metric}", "metric", say.Quoted(r.Metric))
	}
	if len(r.Blocks) > mostBlocks {
		return nil, wrong("result with {n} blocks: more than {most}", "n", fmt.Sprint(len(r.Blocks)),
			"most", fmt.Sprint(mostBlocks))
	}
	r.Judge()
	return &r, nil
}
