package measured

import (
	"bytes"
	"errors"
	"strings"
)

// Bounds of what is kept of pgbench's talk. A progress line a second for two days
// are 172,800; errors repeat one another.
const (
	maxProgress = 200_000
	maxErrors   = 20
)

// Talk is what pgbench says on its standard error while it works.
type Talk struct {
	Progress []Progress `json:"progress,omitempty"`
	Aborted  int        `json:"aborted_clients,omitempty"`
	// Incomplete says that the run did not go to its end; its report is of a part.
	Incomplete bool     `json:"incomplete,omitempty"`
	Errors     []string `json:"errors,omitempty"` // the first of each wording
	Dropped    int      `json:"errors_dropped,omitempty"`
}

// Progress is one line of --progress.
type Progress struct {
	At      float64  `json:"at_s"`       // since the start; with --progress-timestamp the Unix time
	TPS     float64  `json:"tps"`        //
	Latency Spread   `json:"latency_ms"` //
	Lag     *float64 `json:"lag_ms,omitempty"`
	Failed  *int64   `json:"failed,omitempty"` // since 15
	Skipped *int64   `json:"skipped,omitempty"`
	Retried *int64   `json:"retried,omitempty"`
	Retries *int64   `json:"retries,omitempty"`
}

// Epoch says whether At is a moment and not a time since the start: a run of the
// thirty years since 1970 is none.
func (p Progress) Epoch() bool { return p.At > 1e9 }

// ParsePgbenchTalk reads what pgbench says on its standard error. Lines that are
// not of a known kind are passed over.
func ParsePgbenchTalk(text []byte) *Talk {
	var t Talk
	seen := map[string]bool{}
	for raw := range bytes.Lines(text) {
		s := strings.TrimRight(string(raw), "\r\n")
		if v, ok := strings.CutPrefix(s, "progress: "); ok {
			if p, err := progress(v); err == nil && len(t.Progress) < maxProgress {
				t.Progress = append(t.Progress, p)
			}
			continue
		}
		if strings.Contains(s, "Run was aborted") {
			t.Incomplete = true
			continue
		}
		if strings.Contains(s, "pgbench: error: client ") || strings.Contains(s, "pgbench: fatal: ") ||
			strings.Contains(s, "pgbench: error: ") {
			if strings.Contains(s, "aborted") && strings.Contains(s, "error: client ") {
				t.Aborted++
			}
			_, words, _ := strings.Cut(s, "pgbench: ")
			key := digits(words)
			switch {
			case seen[key]:
			case len(t.Errors) >= maxErrors:
				t.Dropped++
			default:
				seen[key] = true
				t.Errors = append(t.Errors, cut(words))
			}
		}
	}
	return &t
}

// digits is a wording without its numbers: clients have one each.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}

// progress reads "5.0 s, 997.3 tps, lat 3.992 ms stddev 0.812, 0 failed, lag 0.084 ms, 3 skipped, 1 retried, 2
// retries".
func progress(s string) (Progress, error) {
	var p Progress
	var at, tps *float64
	for part := range strings.SplitSeq(s, ", ") {
		word, rest, _ := strings.Cut(part, " ")
		var err error
		switch {
		case word == "lat": // lat X ms stddev Y
			mean, sd, _ := strings.Cut(rest, " ms stddev ")
			err = errors.Join(setFloat(&p.Latency.Mean, mean), setFloat(&p.Latency.SD, sd))
		case word == "lag":
			err = setFloat(&p.Lag, strings.TrimSuffix(rest, " ms"))
		case rest == "s":
			err = setFloat(&at, word)
		case rest == "tps":
			err = setFloat(&tps, word)
		case rest == "failed":
			err = set(&p.Failed, word)
		case rest == "skipped":
			err = set(&p.Skipped, word)
		case rest == "retried":
			err = set(&p.Retried, word)
		case rest == "retries":
			err = set(&p.Retries, word)
		}
		if err != nil {
			return p, err
		}
	}
	if at == nil || tps == nil {
		return p, errors.New("no time or no rate")
	}
	p.At, p.TPS = *at, *tps
	return p, nil
}
