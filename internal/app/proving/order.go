package proving

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// most bounds what a person may ask of an experiment by mistake.
const (
	mostClients  = 10000
	mostDuration = 24 * time.Hour
	mostCycles   = 100
	mostScale    = 1_000_000 // of pgbench 15 TB

	mostTransactions = 100_000_000 // of one client: a day at a thousand a second
)

// scaleForm is a number of units, or of memories.
var scaleForm = regexp.MustCompile(`^([0-9]+)$|^([0-9]+(?:\.[0-9]+)?)x$`)

// order turns the flags into what the engine wants to know, as far as nothing has to be examined, and says what the
// load is.
func (o *Options) order(ctx context.Context, h *app.Host) (*engine.Order, *workload.Workload, error) {
	for _, c := range []struct {
		flag, value string
		names       []string
	}{{"metric", o.Metric, experiment.PrimaryMetrics()}, {"cache", o.Cache, []string{"warm", "os-warm", "cold"}},
		{"protocol", o.Protocol, []string{"prepared", "extended", "simple"}}} {
		if err := oneOf(c.flag, c.value, c.names...); err != nil {
			return nil, nil, err
		}
	}
	if o.Said("restore") {
		if err := oneOf("restore", o.Restore, experiment.RestoreFresh, experiment.RestoreKept); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case o.Workload == "" && len(o.Scripts) == 0:
		return nil, nil, say.Usage(say.M("missing flag --workload"),
			say.M("Name a load with --workload, or a pgbench script with -f. Loads: {names}.", "names",
				say.Names(workload.Names(), 0)))
	case o.Said("clients") && (o.Clients < 1 || o.Clients > mostClients):
		return nil, nil, say.Usage(say.M("value out of range for --clients: {clients}", "clients",
			fmt.Sprint(o.Clients)),
			say.M("Use a whole number from 1 to {mostClients}.", "mostClients", fmt.Sprint(mostClients)))
	case o.Said("rate") && !(o.Rate > 0 && o.Rate < 1e7):
		return nil, nil, say.Usage(say.M("value out of range for --rate: {rate}", "rate", fmt.Sprintf("%g", o.Rate)),
			say.M("Use transactions per second, about 70% of the throughput of the slower configuration."))
	case o.Said("transactions") && (o.Transactions < 1 || o.Transactions > mostTransactions):
		return nil, nil, say.Usage(say.M("value out of range for --transactions: {transactions}", "transactions",
			fmt.Sprint(o.Transactions)),
			say.M("Use a whole number from 1 to {mostTransactions}.", "mostTransactions", fmt.Sprint(mostTransactions)))
	case o.Metric == "seconds" && o.Transactions == 0:
		return nil, nil, say.Usage(say.M("--metric seconds requires --transactions"),
			say.M("Set the number of transactions per client, such as --transactions 1000."))
	case o.Said("duration") && o.Duration == 0 && o.Transactions == 0:
		return nil, nil, say.Usage(say.M("--duration 0 requires --transactions"),
			say.M("Set the number of transactions per client, such as --transactions 1000."))
	case o.Said("duration") && o.Duration > 0 && o.Metric == "seconds":
		return nil, nil, say.Usage(say.M("--metric seconds and --duration cannot be used together"),
			say.M("Omit --duration: the duration is what is measured."))
	case o.Said("duration") && o.Duration != 0 && (o.Duration < time.Second || o.Duration > mostDuration):
		return nil, nil, say.Usage(say.M("value out of range for --duration: {duration}", "duration", o.Duration),
			say.M("Use a duration from 1s to 24h, preferably at least 2m."))
	case o.Said("checkpoint-cycles") && (o.Cycles < 1 || o.Cycles > mostCycles):
		return nil, nil, say.Usage(say.M("value out of range for --checkpoint-cycles: {cycles}", "cycles",
			fmt.Sprint(o.Cycles)),
			say.M("Use a whole number from 1 to {mostCycles}, such as 2.", "mostCycles", fmt.Sprint(mostCycles)))
	case o.Cycles > 0 && o.fixed():
		return nil, nil, say.Usage(say.M("--checkpoint-cycles cannot be used with a fixed number of transactions"),
			say.M("Omit --checkpoint-cycles, or set a --duration above 0 with another metric than seconds."))
	case o.Warmup < 0 || o.Warmup > mostDuration:
		return nil, nil, say.Usage(say.M("value out of range for --warmup: {warmup}", "warmup", o.Warmup),
			say.M("Use a duration of at most 24h."))
	case o.Major != 0 && !slices.Contains(params.Majors(), o.Major):
		return nil, nil, say.Usage(say.M("invalid value for --pg: {major}", "major", fmt.Sprint(o.Major)),
			say.M("Use a major version from {first} to {last}.", "first", fmt.Sprint(params.Majors()[0]),
				"last", fmt.Sprint(slices.Max(params.Majors()))))
	case o.Cache == "cold" && !o.Kernel:
		return nil, nil, &say.Problem{Message: say.M("--cache cold drops the page cache of the whole host"),
			Hint: say.M("If this is acceptable on this host, add --kernel."), Code: say.CodeRefused}
	case o.Cache == "cold" && h.Target.UID() != 0:
		return nil, nil, &say.Problem{Message: say.M("--cache cold requires root"), Hint: say.M("Run the command as " +
			"root."),
			Code: say.CodeNoAccess}
	case strings.HasPrefix(o.Metric, "latency_p") && o.Rate == 0:
		return nil, nil, say.Usage(say.M("--metric {metric} requires --rate", "metric", o.Metric),
			say.M("Set --rate to about 70% of the throughput of the slower configuration. At full speed, latency is "+
				"only the number of clients divided by throughput."))
	}
	asked := loadgen.Asked{Data: o.Workload, Scripts: o.Scripts}
	if asked.Data == "" {
		asked.Data = "tpcb" // a script without a data option uses pgbench's tables
	}
	var w, data *workload.Workload
	var err error
	if asked.Data == workload.FromStatements {
		w, asked.Source, err = o.statements(ctx, h)
	} else {
		w, data, err = loadgen.Workload(asked.Data, o.Scripts)
	}
	if err != nil {
		return nil, nil, err
	}
	switch {
	case !strings.HasPrefix(w.Name, workload.SysbenchPrefix):
	case o.Cycles > 0:
		return nil, nil, say.Usage(say.M("--checkpoint-cycles cannot be used with sysbench loads"),
			say.M("Use a pgbench load, such as --workload oltp-rw."))
	case o.Protocol == "extended":
		return nil, nil, say.Usage(say.M("--protocol extended cannot be used with sysbench loads"),
			say.M("Use prepared or simple."))
	}
	if o.Cycles > 0 && !w.Writes {
		return nil, nil, say.Usage(say.M("--checkpoint-cycles cannot be used with the read-only load {name}", "name",
			w.Name),
			say.M("Omit --checkpoint-cycles: the checkpoints have nothing to write."))
	}
	memory, err := hostMemory(h)
	if err != nil {
		return nil, nil, err
	}
	e := &engine.Order{
		Experiment: experiment.Experiment{Workload: w.Name, Copied: asked.Source != nil, Metric: o.Metric,
			Restore: o.Restore, Program: h.Version},
		Asked: asked, MayTouchKernel: o.Kernel, KeepData: o.KeepData,
	}
	if o.Restore == experiment.RestoreKept && w.Writes {
		e.Notes = append(e.Notes,
			say.M("--restore kept: each configuration uses one copy of the data for all runs. The load writes, so "+
				"both "+
				"copies grow and bloat, and later blocks start with other data than the first."))
	}
	m := scaleForm.FindStringSubmatch(o.Scale)
	switch {
	case asked.Source != nil:
		e.Scale = 1
		e.Notes = append(e.Notes, asked.Source.About.Words())
	case m == nil:
		return nil, nil, say.Usage(say.M("invalid value for --scale: {scale}", "scale", say.Quoted(o.Scale)),
			say.M("Use a scale factor such as 100, or 1.5x for 1.5 times the RAM of this host."))
	case m[1] != "":
		e.Scale, err = strconv.Atoi(m[1])
	default:
		times, _ := strconv.ParseFloat(m[2], 64)
		e.Scale = data.ScaleFor(memory, math.Min(times, 1e6))
	}
	if err != nil || e.Scale < 1 || e.Scale > mostScale {
		return nil, nil, say.Usage(say.M("value out of range for --scale: {scale}", "scale", o.Scale),
			say.M("Use a whole number from 1 to {mostScale}, or a multiple of RAM such as 1.5x.", "mostScale",
				fmt.Sprint(mostScale)))
	}
	cpus := hostProcessors(h)
	clients := o.Clients
	if clients == 0 {
		clients = 4 * cpus // enough that neither a CPU nor the disk waits for a client
		if w.Stream {
			clients = 1 // its queries use the other CPUs
		}
	}
	seed := o.Seed
	if !o.Said("seed") {
		var b [4]byte // a person types it again: ten digits at most
		if _, err := rand.Read(b[:]); err != nil {
			return nil, nil, say.Err("seed: {reason}", "reason", err)
		}
		seed = uint64(binary.BigEndian.Uint32(b[:]))
	}
	protocol := o.Protocol
	if w.Protocol != "" && !o.Said("protocol") {
		protocol = w.Protocol
	}
	jobs := min(clients, cpus)
	if o.fixed() {
		jobs = clients // clients of one thread draw their scripts from one sequence, and a slower one draws less of it
	}
	e.Spec = experiment.Spec{Clients: clients, Jobs: jobs, Warmup: o.Warmup.Seconds(), Rate: o.Rate,
		Count: o.Transactions, Cycles: o.Cycles, Seed: seed, Cache: o.Cache, Protocol: protocol}
	return e, w, o.places(h, e)
}

// statements looks at the server whose statements are the load.
func (o *Options) statements(ctx context.Context, h *app.Host) (w *workload.Workload, _ *loadgen.Source,
	err error) {
	switch {
	case len(o.Scripts) > 0:
		return w, nil, say.Usage(say.M("--script cannot be used with --workload from-statements"),
			say.M("Omit -f, or use another load."))
	case o.Said("scale"):
		return w, nil, say.Usage(say.M("--scale cannot be used with --workload from-statements"),
			say.M("Omit --scale: the data are a copy of the database."))
	case o.Target == "":
		return w, nil, say.Usage(say.M("--workload from-statements requires a TARGET"),
			say.M("Name a conninfo such as 'host=db1 dbname=shop', or a data directory (with its database in "+
				"PGDATABASE, default postgres)."))
	}
	req, file, err := h.Resolve(o.Target)
	if err != nil {
		return w, nil, err
	}
	if file != "" {
		return w, nil, say.Usage(say.M("--workload {fromStatements} requires a running server, but {target} is a file",
			"fromStatements", workload.FromStatements, "target", say.Quoted(o.Target)), say.M("Name a conninfo or a "+
			"data directory."))
	}
	how := pgclient.Connect{Conninfo: req.Value, Peer: -1}
	if req.Kind == collect.DataDir {
		if how, err = collect.ConnectLocal(h.Target, req.Value); errors.Is(err, fs.ErrNotExist) {
			return w, nil, &say.Problem{Message: say.M("no server is running in {value}", "value", req.Value),
				Hint: say.M("Start the server, or name another one."), Code: say.CodeError}
		} else if err != nil {
			return w, nil, err
		}
	}
	tell, done := h.Steps()
	defer done()
	tell(say.M("reading pg_stat_statements…").In(h.Words))
	return loadgen.Look(ctx, how)
}

// fixed says that runs are a number of transactions, not a time.
func (o *Options) fixed() bool {
	return o.Metric == "seconds" || o.Said("duration") && o.Duration == 0
}
