package sample

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/live"
)

const (
	// perfRate is samples a second of each CPU: not a divisor of any timer's rate, so that it does not beat with it,
	// and low enough to cost nothing.
	perfRate = 49
	// perfLongest bounds the record: ten seconds are some hundred samples of each CPU, which distinguishes 1 % from
	// nothing.
	perfLongest = 10 * time.Second
	// perfBytes bounds it once more: a sample is about 50 bytes, so this holds ten seconds of a thousand CPUs, and the
	// maps of their processes.
	perfBytes = 64 << 20
)

type profile struct {
	symbols []live.Symbol
	gap     *known.Gap
}

// perf records beside the watch, through a pipe, so that nothing is left on disk.
// The channel is closed where perf is not wanted.
func (w *slowSampler) perf(ctx context.Context) <-chan profile {
	out := make(chan profile, 1)
	if !w.o.Perf || !w.o.Host {
		close(out)
		return out
	}
	go func() {
		symbols, err := w.profile(ctx)
		p := profile{symbols: symbols}
		if err != nil {
			p.gap = &known.Gap{Fact: "perf", Reason: err.Error()}
			switch {
			// os/exec's words; only the target may import it
			case strings.Contains(err.Error(), "executable file not found"):
				p.gap.Reason, p.gap.Reveal = "it is not installed",
					"install perf (package linux-perf, linux-tools or perf) to see which functions take the time"
			case w.t.UID() != 0:
				p.gap.Reveal = "run pgfettle as root, or set kernel.perf_event_paranoid to -1 for the while"
			}
		}
		out <- p
	}()
	return out
}

func (w *slowSampler) profile(ctx context.Context) ([]live.Symbol, error) {
	long := min(w.o.Duration, perfLongest)
	seconds := strconv.FormatFloat(long.Seconds(), 'f', 1, 64)
	// cpu-clock works in virtual machines, which have no counters of the hardware.
	rec, err := w.t.Run(ctx, target.Command{Argv: []string{"perf", "record", "-q", "-a", "-e", "cpu-clock", "-F",
		strconv.Itoa(perfRate), "-o", "-", "--", "sleep", seconds},
		Timeout: long + 20*time.Second, Limit: perfBytes})
	if err != nil {
		return nil, err
	}
	if rec.Code != 0 || len(rec.Stdout) == 0 {
		return nil, perfError(rec)
	}
	rep, err := w.t.Run(ctx, target.Command{Argv: []string{"perf", "report", "-i", "-", "--stdio", "--no-children",
		"-g", "none", "--percent-limit", "0.5"},
		Stdin: rec.Stdout, Timeout: time.Minute, Limit: 4 << 20})
	if err != nil {
		return nil, err
	}
	symbols, err := live.ParsePerf(rep.Stdout)
	if err != nil && rep.Code != 0 {
		return nil, perfError(rep)
	}
	return symbols, err
}

// perfError is the first line of what perf said.
func perfError(o target.Output) error {
	for line := range strings.Lines(string(o.Stderr)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "Error:") {
			return errors.New(line)
		}
	}
	return errors.New("exit status " + strconv.Itoa(o.Code))
}
