package measured

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pgfettle/pgfettle/test/golden"
)

// seen is what the readers make of a case.
type seen struct {
	Report    *Pgbench   `json:"report,omitempty"`
	Error     string     `json:"error,omitempty"`
	Talk      *Talk      `json:"talk,omitempty"`
	Log       *logged    `json:"log,omitempty"`
	Intervals []Interval `json:"intervals,omitempty"`
}

type logged struct {
	Transactions, Skipped, Failed, Retries int64
	Bad                                    int
	P50, P99, Max                          int64
	Scripts                                []int64
	Windows                                []float64
}

// TestPgbenchGoldens reads what pgbench of each version prints. A file of a case
// is named after the stream, with the columns of a log after it: "log rate tries".
func TestPgbenchGoldens(t *testing.T) {
	golden.Files(t, "testdata/pgbench/*.txtar", func(t *testing.T, c *golden.File) map[string][]byte {
		var got seen
		var err error
		for name, text := range c.Given {
			kind, columns, _ := strings.Cut(name, " ")
			form := LogForm{Rate: strings.Contains(columns, "rate"), Tries: strings.Contains(columns, "tries"),
				Kinds: strings.Contains(columns, "kinds")}
			switch kind {
			case "stdout":
				if got.Report, err = ParsePgbench(text); err != nil {
					got.Error = err.Error()
				}
			case "stderr":
				got.Talk = ParsePgbenchTalk(text)
			case "log":
				var l Log
				if err := l.Read(bytes.NewReader(text), form); err != nil {
					t.Fatal(err)
				}
				got.Log = digest(&l)
			case "aggregate":
				if got.Intervals, err = ReadPgbenchAggregate(bytes.NewReader(text), form); err != nil {
					t.Fatal(err)
				}
			default:
				t.Fatalf("file %q", name)
			}
		}
		b, err := json.MarshalIndent(got, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		return map[string][]byte{"want.json": append(b, '\n')}
	})
}

func digest(l *Log) *logged {
	d := &logged{Transactions: l.All.Count(), Skipped: l.Skipped, Failed: l.Failed, Retries: l.Retries, Bad: l.Bad,
		Windows: l.Windows(1, 1)}
	d.P50, _ = l.All.Quantile(0.5)
	d.P99, _ = l.All.Quantile(0.99)
	d.Max, _ = l.All.Max()
	for i := range l.Scripts {
		d.Scripts = append(d.Scripts, l.Scripts[i].Count())
	}
	return d
}

// TestHistogramNearsTheSortedList holds that every quantile is that of the sorted
// values to within 1/128, over all of the range, and that two parts add up.
func TestHistogramNearsTheSortedList(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 10, 100, 10_000} {
		var whole, left, right Histogram
		var all []int64
		for i := range n {
			v := rng.Int64N(1 << (1 + rng.IntN(39))) // evenly over the doublings
			all = append(all, v)
			whole.Record(v)
			if i%2 == 0 {
				left.Record(v)
			} else {
				right.Record(v)
			}
		}
		left.Add(&right)
		slices.Sort(all)
		for _, q := range []float64{0, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1} {
			rank := 0
			for rank+1 < n && float64(rank+1) < q*float64(n) {
				rank++
			}
			want := all[rank]
			got, ok := whole.Quantile(q)
			if !ok || got < want || float64(got) > float64(want)*(1+1.0/128) {
				t.Errorf("%d values: the %v quantile is %d, in the list %d", n, q, got, want)
			}
			if added, _ := left.Quantile(q); added != got {
				t.Errorf("%d values: the %v quantile is %d, of two parts %d", n, q, got, added)
			}
		}
		if m, _ := whole.Max(); m != all[n-1] || whole.Count() != int64(n) {
			t.Errorf("%d values: %d of them, maximum %d", n, whole.Count(), m)
		}
	}
}

// TestHistogramEnds holds that nothing recorded is nothing known, and that values
// out of the range stay at its ends.
func TestHistogramEnds(t *testing.T) {
	var h Histogram
	if _, ok := h.Quantile(0.5); ok {
		t.Error("an empty histogram has a median")
	}
	if _, ok := h.Mean(); ok {
		t.Error("an empty histogram has a mean")
	}
	h.Record(-5)
	h.Record(1 << 60)
	low, _ := h.Quantile(0)
	high, _ := h.Quantile(1)
	if low != 0 || high != 1<<maxBits-1 {
		t.Errorf("%d and %d", low, high)
	}
}

// TestReportsThatAreNone holds that what is no report, or one cut short, is an
// error and no run of zero transactions.
func TestReportsThatAreNone(t *testing.T) {
	for name, text := range map[string]string{
		"empty":          "",
		"another text":   "Performing operations with 2 threads\n",
		"cut short":      "pgbench (15.18)\ntransaction type: a\nscaling factor: 1\n",
		"a wrong count":  "transaction type: a\nnumber of transactions actually processed: many\n",
		"a negative one": "transaction type: a\nnumber of transactions actually processed: -3\n",
		"too long":       strings.Repeat("x", maxReport+1),
	} {
		if r, err := ParsePgbench([]byte(text)); err == nil {
			t.Errorf("%s: read as %+v", name, r)
		}
	}
	r, err := ParsePgbench([]byte("transaction type: a\nnumber of transactions actually processed: 0\nlatency " +
		"average = -nan ms\ntps = nan (without initial connection time)\n"))
	if err != nil || r.TPS != nil || r.Latency.Mean != nil {
		t.Errorf("what is not a number: %+v %v", r, err)
	}
}

// TestLogsThatAreNone holds that another file is an error, and a last line cut
// short is not.
func TestLogsThatAreNone(t *testing.T) {
	var l Log
	if err := l.Read(strings.NewReader("0 1 100 0 1700000000 5\n0 2 1"), LogForm{}); err != nil || l.All.Count() != 1 ||
		l.Bad != 1 {
		t.Errorf("cut short: %v %+v", err, l)
	}
	if err := new(Log).Read(strings.NewReader(strings.Repeat("0 1 100 0 1700000000 5 9\n", 50)),
		LogForm{}); err == nil {
		t.Error("a log with another number of columns was read")
	}
	if err := new(Log).Read(strings.NewReader(strings.Repeat("9", maxLogLine+1)), LogForm{}); err == nil {
		t.Error("a line without an end was read")
	}
	if _, err := ReadPgbenchAggregate(strings.NewReader("1 2 3\n"), LogForm{}); err == nil {
		t.Error("an interval of three columns was read")
	}
}

// TestWindowsLeaveOutTheEnds holds that the windows count whole seconds only, and
// that a sample stands for its multiple.
func TestWindowsLeaveOutTheEnds(t *testing.T) {
	var b strings.Builder
	for s, n := range []int{3, 10, 20, 30, 40, 1} {
		for range n {
			b.WriteString("0 1 100 0 170000000" + string(rune('0'+s)) + " 5\n")
		}
	}
	var l Log
	if err := l.Read(strings.NewReader(b.String()), LogForm{}); err != nil {
		t.Fatal(err)
	}
	if got := l.Windows(2, 0.5); !slices.Equal(got, []float64{30, 70}) {
		t.Errorf("windows of two seconds, one in two logged: %v", got)
	}
}

func FuzzPgbench(f *testing.F) {
	files, err := filepath.Glob("testdata/pgbench/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, x := range ar.Files {
			f.Add(x.Data, strings.Contains(x.Name, "rate"), strings.Contains(x.Name, "tries"))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, rate, tries bool) {
		if r, err := ParsePgbench(b); err == nil {
			if r.Transactions < 0 || len(r.Scripts) > maxScripts {
				t.Errorf("%+v", r)
			}
			if _, err := json.Marshal(r); err != nil {
				t.Error(err)
			}
		}
		talk := ParsePgbenchTalk(b)
		if _, err := json.Marshal(talk); err != nil || len(talk.Errors) > maxErrors {
			t.Error(err, len(talk.Errors))
		}
		var l Log
		_ = l.Read(bytes.NewReader(b), LogForm{Rate: rate, Tries: tries})
		var n int64
		for i := range l.Scripts {
			n += l.Scripts[i].Count()
		}
		if n != l.All.Count() {
			t.Errorf("%d transactions of scripts, %d of all", n, l.All.Count())
		}
		l.Windows(10, 1)
		if in, err := ReadPgbenchAggregate(bytes.NewReader(b),
			LogForm{Rate: rate, Tries: tries, Kinds: tries}); err == nil {
			if _, err := json.Marshal(in); err != nil {
				t.Error(err)
			}
		}
	})
}
