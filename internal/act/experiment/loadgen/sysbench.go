package loadgen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// Sysbench is the load of one of sysbench's scripts, which makes its data too.
type Sysbench struct {
	Workload *workload.Workload
	Program  workload.Sysbench
}

// Describe implements Load.
func (s *Sysbench) Describe(scale int) experiment.MeasuredWorkload {
	return experiment.MeasuredWorkload{Name: s.Workload.Name, Scale: scale, Writes: s.Workload.Writes}
}

// Identity implements Load.
func (s *Sysbench) Identity() string { return s.hash(s.Workload) }

// Data implements Load. All of its scripts have the same tables.
func (s *Sysbench) Data() string { return s.hash("tables") }

func (s *Sysbench) hash(what any) string {
	b, err := json.Marshal([]any{"sysbench", what, s.Program.Version, workload.SysbenchTables, workload.SysbenchRows})
	if err != nil {
		panic(err) // words and numbers
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Size implements Load.
func (s *Sysbench) Size(scale int) unit.Bytes { return s.Workload.Size(scale) }

// Shortest implements Load.
func (s *Sysbench) Shortest(int, int) float64 { return 0 }

// EndsWhole implements Load: a signal ends it without its report.
func (s *Sysbench) EndsWhole() bool { return false }

// loadingSeed makes the rows the same each time.
const loadingSeed = 1

func (s *Sysbench) options(c Conn, scale int) workload.SysbenchOptions {
	return workload.SysbenchOptions{Conn: workload.Conn{Host: c.Host, Port: c.Port, User: c.User, Database: c.DB},
		Scale: scale}
}

// Fill implements Load. It has one thread: with several the order in which rows
// come would be another one each time.
func (s *Sysbench) Fill(ctx context.Context, c Conn, scale int, told func(done, all int64)) error {
	o := s.options(c, scale)
	o.Clients, o.Seed = 1, loadingSeed
	done := int64(0)
	ended, err := c.Account.Run(ctx, scratch.Client{Argv: s.Program.Prepare(s.Workload, o).Argv,
		Said: func(line string) bool {
			if strings.HasPrefix(line, "Creating table") {
				told(done, workload.SysbenchTables)
				done++
			}
			return false
		}})
	if err != nil {
		return err
	}
	return s.failed(ended)
}

// failed is what a run of sysbench ended with.
func (s *Sysbench) failed(e scratch.Ended) error {
	var detail say.Message
	for line := range strings.Lines(e.Stdout + "\n" + e.Stderr) {
		if strings.HasPrefix(line, "FATAL:") && detail.IsZero() {
			detail = say.Text(strings.TrimSpace(line))
		}
	}
	if e.Code == 0 && detail.IsZero() {
		return nil
	}
	if detail.IsZero() {
		detail = say.M("it ended with status {code}", "code", fmt.Sprint(e.Code))
	}
	return &say.Problem{Message: say.M("sysbench failed with the workload {name}", "name", s.Workload.Name),
		Detail: detail,
		Hint:   say.M("what was measured before is kept, and the experiment can be resumed"), Code: say.CodeError}
}

// Drive implements Load.
func (s *Sysbench) Drive(ctx context.Context, d Drive) (out Driven, err error) {
	o := s.options(d.Conn, d.Scale)
	o.Clients, o.Rate, o.Seed, o.Protocol, o.Connect = d.Clients, d.Rate, d.Seed, d.Protocol, d.Connect
	if d.Transactions > 0 {
		o.Events = d.Transactions * d.Clients
	} else {
		o.Seconds = max(1, int(math.Round(d.Seconds)))
	}
	cmd, err := s.Program.Run(s.Workload, o)
	if err != nil {
		return out, err
	}
	out.Command = cmd.Line()
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended, err := d.Conn.Account.Run(inner, scratch.Client{Argv: cmd.Argv, Said: func(line string) bool {
		tps, ok := measured.SysbenchProgress(line)
		if ok && d.Second != nil && d.Second(tps) {
			cancel(errEnough)
		}
		return ok // an hour of these would leave no room for the report
	}})
	if errors.Is(context.Cause(inner), errEnough) && ctx.Err() == nil {
		return Driven{Mean: math.NaN(), SD: math.NaN(), CPU: ended.CPU, Command: out.Command}, nil
	}
	if err != nil {
		return out, err
	}
	if err := s.failed(ended); err != nil {
		return out, err
	}
	r, err := measured.ParseSysbench([]byte(ended.Stdout))
	if err != nil {
		return out, err
	}
	out.Transactions, out.Retried, out.Seconds, out.CPU = r.Transactions, r.Ignored, r.Seconds, ended.CPU
	out.Mean, out.SD = r.Mean, r.SD()
	if d.Logged {
		out.Latencies = r.Latencies
	}
	return out, nil
}
