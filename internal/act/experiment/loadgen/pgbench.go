package loadgen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Pgbench is the load of a workload that pgbench sends.
type Pgbench struct {
	Workload *workload.Workload
	On       *workload.Workload // whose data it runs on; nil: its own
	Program  workload.Pgbench
}

func (p *Pgbench) data() *workload.Workload {
	if p.On != nil {
		return p.On
	}
	return p.Workload
}

// Describe implements Load.
func (p *Pgbench) Describe(scale int) experiment.MeasuredWorkload {
	return experiment.MeasuredWorkload{Name: p.Workload.Name, Scale: scale, Synthetic: p.Workload.Synthetic,
		Writes: p.Workload.Writes}
}

// Identity implements Load.
func (p *Pgbench) Identity() string {
	b, err := json.Marshal([]any{p.Workload, p.data(), p.Program.Version})
	if err != nil {
		panic(err) // words and numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Data implements Load.
func (p *Pgbench) Data() string { return p.data().Data() }

// Size implements Load.
func (p *Pgbench) Size(scale int) unit.Bytes { return p.data().Size(scale) }

// Shortest implements Load.
func (p *Pgbench) Shortest(scale, clients int) float64 {
	return p.Workload.ListTime * float64(scale) * max(1, float64(clients)/float64(runtime.NumCPU()))
}

// EndsWhole implements Load.
func (p *Pgbench) EndsWhole() bool { return true }

// Fill implements Load.
func (p *Pgbench) Fill(ctx context.Context, c Conn, scale int, told func(done, all int64)) error {
	conn, err := pgconn.Connect(ctx, c.ConnString())
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	return p.data().Load(ctx, conn, scale, told)
}

// loggedSeconds of a run are logged: of a longer one so large a part of the transactions, drawn at random, that the log
// is as large. At a hundred thousand transactions a second it has 80 MB, and a percentile of 99 has far more than
// enough to depend on.
const loggedSeconds = 20

// errEnough ends a warm-up that is flat.
var errEnough = errors.New("the rate is flat")

// Drive implements Load.
func (p *Pgbench) Drive(ctx context.Context, d Drive) (out Driven, err error) {
	dir, _, err := workload.PrivateFolder()
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if d.Made != nil {
		if err := d.Made(dir); err != nil {
			return out, err
		}
	}
	o := workload.Options{Conn: workload.Conn{Host: d.Conn.Host, Port: d.Conn.Port, User: d.Conn.User,
		Database: d.Conn.DB, Password: d.Conn.Password}, Session: d.Conn.Session, Dir: dir, Scale: d.Scale,
		Clients: d.Clients, Jobs: d.Jobs, Rate: d.Rate, Seed: d.Seed, Protocol: d.Protocol,
		Transactions: d.Transactions, Progress: true}
	if d.Transactions == 0 {
		o.Seconds = max(1, int(math.Round(d.Seconds)))
	}
	if d.Logged {
		o.Log = "transactions"
		if o.Seconds > loggedSeconds {
			o.Sampling = loggedSeconds / float64(o.Seconds)
		}
	}
	load := *p.Workload
	load.Connect = load.Connect || d.Connect
	cmd, err := load.Command(p.Program, o)
	if err != nil {
		return out, err
	}
	if err := errors.Join(cmd.Write(), give(dir, d.Conn.Account)); err != nil {
		return out, err
	}
	out.Command = cmd.Line()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	signals := make(chan syscall.Signal, 1)
	asked := false
	ended, err := d.Conn.Account.Run(inner, scratch.Client{Argv: cmd.Argv, Env: cmd.Env, Dir: dir, Signal: signals,
		Line: func(line string) {
			t := measured.ParsePgbenchTalk([]byte(line))
			for _, s := range t.Progress {
				switch {
				case d.Second == nil || !d.Second(s.TPS) || asked:
				case d.Whole:
					asked = true
					signals <- syscall.SIGALRM // by which pgbench itself ends the time of -T
				default:
					cancel(errEnough)
				}
			}
		}})
	if errors.Is(err, errEnough) && ctx.Err() == nil {
		return Driven{Mean: math.NaN(), SD: math.NaN(), CPU: ended.CPU, Command: out.Command}, nil
	}
	if err != nil {
		return out, err
	}
	return out, p.report(&out, cmd, o, ended)
}

// report reads what pgbench left.
func (p *Pgbench) report(out *Driven, cmd workload.Command, o workload.Options, ended scratch.Ended) error {
	talk := measured.ParsePgbenchTalk([]byte(ended.Stderr))
	if ended.Code != 0 || talk.Incomplete || talk.Aborted > 0 {
		detail := strings.Join(talk.Errors, "; ")
		if detail == "" {
			lines := strings.Split(strings.TrimSpace(ended.Stderr), "\n")
			detail = lines[len(lines)-1]
		}
		return &say.Problem{Message: say.M("pgbench failed with the workload {name}", "name", p.Workload.Name),
			Detail: say.Text(detail),
			Hint:   say.M("what was measured before is kept, and the experiment can be resumed"), Code: say.CodeError}
	}
	r, err := measured.ParsePgbench([]byte(ended.Stdout))
	if err != nil {
		return err
	}
	count := func(n *int64) int64 {
		if n == nil {
			return 0 // this version prints no such line, and has no such thing
		}
		return *n
	}
	out.Transactions, out.Failed, out.Retried, out.Skipped = r.Transactions, count(r.Failed), count(r.Retried),
		count(r.Skipped)
	out.Errors, out.CPU = talk.Errors, ended.CPU
	// The rate leaves the time of connecting out, and so does what it is the rate of.
	if out.Seconds = float64(o.Seconds); r.TPS != nil && *r.TPS > 0 {
		out.Seconds = float64(r.Transactions) / *r.TPS
	}
	figure := func(f *float64) float64 {
		if f == nil {
			return math.NaN()
		}
		return *f
	}
	out.Mean, out.SD = figure(r.Latency.Mean), figure(r.Latency.SD)
	if o.Log == "" {
		return nil
	}
	log, err := cmd.ReadLogs()
	if err != nil {
		return err
	}
	out.Latencies = &log.All
	return nil
}

// give makes a directory, and what is in it, one of the account that the client runs as.
func give(dir string, acc scratch.Account) error {
	if !acc.Switch {
		return nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	errs := []error{err}
	for _, n := range names {
		errs = append(errs, root.Lchown(filepath.Base(n), acc.UID, acc.GID))
	}
	return errors.Join(append(errs, root.Lchown(".", acc.UID, acc.GID))...)
}
