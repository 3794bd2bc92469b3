package measured

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/test/golden"
)

// readers are named by the first word of a file in testdata.
var readers = map[string]func([]byte) (any, error){
	"fsync":  func(b []byte) (any, error) { return ParseFsync(b) },
	"timing": func(b []byte) (any, error) { return ParseTiming(b) },
	"fio":    func(b []byte) (any, error) { return ParseFio(b) },
	"probe":  func(b []byte) (any, error) { return Parse(b) },
}

// TestGolden reads outputs of real programs: of each file NAME.txt the golden is NAME.json.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no goldens", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			kind, _, _ := strings.Cut(name, "_")
			doc, err := readers[kind](b)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.MarshalIndent(doc, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, '\n')
			at := strings.TrimSuffix(file, ".txt") + ".json"
			if golden.Updating() {
				if err := os.WriteFile(at, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(at)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), string(got)); d != "" {
				t.Error(d)
			}
		})
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestUnderMicrosecond holds what the threshold of pg_test_timing's page is
// compared with, in each of the three forms of the histogram.
func TestUnderMicrosecond(t *testing.T) {
	for name, want := range map[string]float64{"timing_15.txt": 0.9759311, "timing_10_hpet.txt": 0.2784870,
		"timing_92.txt": 0.7212682, "timing_19.txt": 0.99999} {
		tm, err := ParseTiming(read(t, name))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := tm.Server().UnderMicrosecond()
		if !ok || math.Abs(got-want) > 0.0001 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	tm, err := ParseTiming(read(t, "timing_19.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if len(tm.Clocks) != 3 || tm.Server().Name != "RDTSCP" {
		t.Errorf("of 19's clocks the server reads RDTSCP: %+v", tm.Server())
	}
	for i := range tm.Clocks {
		if n := len(tm.Clocks[i].Steps); n > 30 {
			t.Errorf("%s: %d steps: the table of exact times is no histogram", tm.Clocks[i].Name, n)
		}
	}
}

// TestOtherTexts holds that what is no such output is an error, not zeros.
func TestOtherTexts(t *testing.T) {
	for _, text := range []string{"", "{", "{}", "hello\n", "5 seconds per test\n", `{"fio version":"x","jobs":[]}`,
		strings.Repeat("x", maxText+1),
		"Compare file sync methods using one 8kB write:\n fdatasync 9999999999999 ops/sec 1 usecs/op\n",
		"Per loop time including overhead: 1 ns\nHistogram of timing durations:\n  < us   % of total      count\n   " +
			"  999999999999999999      1.0  1\n"} {
		for kind, parse := range readers {
			if doc, err := parse([]byte(text)); err == nil {
				t.Errorf("%s: %.60q is %+v", kind, text, doc)
			}
		}
	}
}

// TestProbeIsBounded holds that a probe with numbers that nothing measures is refused.
func TestProbeIsBounded(t *testing.T) {
	good := string(read(t, "probe_virtual.txt"))
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{`"pgfettle.measured/1"`: `"pgfettle.measured/2"`,
		`"depth": 4`: `"depth": 0`, `"per_second": 8825.585`: `"per_second": -1`,
		`"taken_at": 1795243650`: `"taken_at": 0`, `"latency": 9.1e-8`: `"latency": 0`,
		`"loop_nanos": 36.24`: `"loop_nanos": -1`} {
		bad := strings.Replace(good, from, to, 1)
		if bad == good {
			t.Fatalf("%s stands nowhere", from)
		}
		if p, err := Parse([]byte(bad)); err == nil {
			t.Errorf("%s: %+v", to, p)
		}
	}
}

// TestFiguresOfReads holds the two figures that rules ask for.
func TestFiguresOfReads(t *testing.T) {
	r := Reads{Sequential: 800 * page, Random: []Random{{Depth: 1, PerSecond: 100}, {Depth: 4, PerSecond: 380},
		{Depth: 16, PerSecond: 1000}, {Depth: 64, PerSecond: 1100}}}
	if got, ok := r.RandomOverSequential(0); !ok || got != 8 {
		t.Errorf("a page at random costs %v of one in order, want 8", got)
	}
	if got, ok := r.RandomOverSequential(0.005); !ok || got != 2 {
		t.Errorf("10 ms cost %v of a page in order that takes 5 ms at the least, want 2", got)
	}
	if got, ok := r.Saturation(); !ok || got != 16 {
		t.Errorf("saturated at %d, want 16", got)
	}
	r.Sequential, r.Random = 0, r.Random[:1]
	if _, ok := r.RandomOverSequential(0); ok {
		t.Error("a ratio without sequential reads")
	}
	if _, ok := r.Saturation(); ok {
		t.Error("saturation of one depth")
	}
}

func seedAll(f *testing.F, kind string) {
	files, _ := filepath.Glob("testdata/" + kind + "_*.txt")
	if len(files) == 0 {
		f.Fatal("no seeds")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
}

// FuzzFsync: no text makes a rate that no disk has, or a name that a terminal acts upon.
func FuzzFsync(f *testing.F) {
	seedAll(f, "fsync")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseFsync(b)
		if err != nil {
			return
		}
		for _, list := range [][]Rate{p.One, p.Two, p.Sizes, p.Descriptors} {
			for _, r := range list {
				if r.PerSecond < 0 || r.PerSecond > mostPerSecond || r.Missing && r.PerSecond != 0 ||
					strings.ContainsAny(r.Name, "\x1b\r\n") {
					t.Errorf("%+v", r)
				}
			}
		}
	})
}

// FuzzTiming: no text makes a negative count or a share outside of 0 to 1.
func FuzzTiming(f *testing.F) {
	seedAll(f, "timing")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseTiming(b)
		if err != nil {
			return
		}
		for i := range p.Clocks {
			c := &p.Clocks[i]
			share, ok := c.UnderMicrosecond()
			if c.LoopNanos < 0 || ok && !(share >= 0 && share <= 1) {
				t.Errorf("%+v: %v", c, share)
			}
		}
		if p.Server() == nil {
			t.Error("no clock and no error")
		}
	})
}

// FuzzFio: no JSON makes a number below zero.
func FuzzFio(f *testing.F) {
	seedAll(f, "fio")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := ParseFio(b)
		if err != nil {
			return
		}
		for _, j := range p.Jobs {
			for _, s := range []FioSide{j.Read, j.Write, j.Sync} {
				if s.Count < 0 || s.PerSecond < 0 || s.Speed < 0 || s.Mean < 0 || s.P99 < 0 || j.Depth < 1 {
					t.Errorf("%+v", j)
				}
			}
		}
	})
}

// FuzzProbe: what was read can be written and read again, the same.
func FuzzProbe(f *testing.F) {
	seedAll(f, "probe")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Parse(b)
		if err != nil {
			return
		}
		one, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Parse(one)
		if err != nil {
			t.Fatalf("%v: %s", err, one)
		}
		if two, err := json.Marshal(q); err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s\n%s", one, two)
		}
	})
}
