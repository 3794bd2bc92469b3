package unit_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// What is no number of PostgreSQL's is refused by every reader of one: none
// returns what is not finite, and none takes what only Go would read.
func TestNoNumber(t *testing.T) {
	for _, c := range [][2]string{
		{"1e308GB", "kB"}, {"-1e308GB", "kB"}, {"1e308GB", "8kB"}, {"1e308d", "ms"}, {"1e308TB", "MB"}, {"1e300", "kB"},
		{"9e18kB", "kB"}, {"1e300", "s"},
		{"Inf", ""}, {"-inf", ""}, {"infinity", "kB"}, {"+Infinity", "ms"}, {"nan", "kB"}, {"infMB", "kB"},
		{"1e309", ""}, {"1e-400", ""},
		{"1_000", ""}, {"1_000MB", "kB"}, {"0x1_0", ""}, {"0b1", ""}, {"0o17", ""}, {"1,5", ""}, {"1e", "kB"},
		{"--1", ""}, {"0x", ""}, {"1 2", ""}, {".", ""}, {"1e5MBx", "kB"},
	} {
		if v, err := unit.ParseGUC(c[0], c[1]); err == nil {
			t.Errorf("%q in %q was read as %v", c[0], c[1], v)
		}
		if v, err := unit.ParseInteger(c[0], c[1]); err == nil {
			t.Errorf("%q in %q was read as the whole number %v", c[0], c[1], v)
		}
	}
	for _, s := range []string{"1e308GB", "InfGB", "nan", "0x10", "1_000", "1_0MB", "99999999999999999999",
		"9223372036854775807B", "1e3"} {
		if b, err := unit.ParseBytes(s); err == nil {
			t.Errorf("%q was read as %d bytes", s, b)
		}
	}
	for _, s := range []string{"", "inf", "-Infinity", "NaN", "0x10", "0x1p4", "1_000", "1e309", "1 ", "+-1", "1e",
		"1,5", "5%"} {
		if f, err := unit.Figure(s); err == nil {
			t.Errorf("%q was read as the figure %v", s, f)
		}
	}
}

// What the server itself takes is read as it reads it (parse_int, parse_real).
func TestNumbersOfTheServer(t *testing.T) {
	for _, c := range []struct {
		text, base  string
		real, whole float64
	}{
		{"0x10", "", 16, 16}, {"0X1FkB", "kB", 31, 31}, {"010", "kB", 10, 8}, {"010.5", "", 10.5, 10.5},
		{"1e3", "kB", 1000, 1000}, {"1.5e1MB", "kB", 15360, 15360},
		{" 5 min ", "s", 300, 300}, {"+5", "", 5, 5}, {".5GB", "MB", 512, 512}, {"1.7e308", "", 1.7e308, 1.7e308},
		{"-1", "kB", -1, -1}, {"\t64MB\n", "kB", 65536, 65536}, {"2147483647", "kB", 2147483647, 2147483647},
		{"0x1p4", "", 16, math.NaN()}, {"8388608TB", "TB", math.NaN(), math.NaN()},
		{"8388607TB", "TB", 8388607, 8388607},
	} {
		for want, read := range map[*float64]func(string, string) (float64, error){&c.real: unit.ParseGUC,
			&c.whole: unit.ParseInteger} {
			got, err := read(c.text, c.base)
			if no := math.IsNaN(*want); no != (err != nil) || !no && got != *want {
				t.Errorf("%q in %q is %v, %v; want %v", c.text, c.base, got, err, *want)
			}
		}
	}
	for s, want := range map[string]float64{"1.5": 1.5, "-0.25": -0.25, "1e+20": 1e20, "1.79769e+308": 1.79769e308,
		"0": 0, "007": 7, ".5": 0.5} {
		if got, err := unit.Figure(s); err != nil || got != want {
			t.Errorf("%q is %v, %v", s, got, err)
		}
	}
}

// What is shown of a setting whose value is no number of the server's is the
// value, and never the word for what is beyond all numbers.
func TestShowNoNumber(t *testing.T) {
	for _, c := range [][2]string{{"inf", "kB"}, {"1e308", "d"}, {"1e308", "ms"}, {"nan", "ms"}, {"0x10", "kB"},
		{"1_000", "kB"}, {"1e400", "s"}} {
		if got := unit.ShowGUC(c[0], c[1]); got != c[0] && got != c[0]+c[1] {
			t.Errorf("%s %s is shown as %q", c[0], c[1], got)
		}
	}
}

// Whatever is read is finite, and of memory and time what 64 bits hold.
func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"1e308GB", "0x1p1000d", "5min", "1_0", "-inf", "8388608TB"} {
		f.Add(s, "kB")
		f.Add(s, "ms")
	}
	f.Fuzz(func(t *testing.T, s, base string) {
		_, memory := unit.MemoryUnit(base)
		for _, read := range []func(string, string) (float64, error){unit.ParseGUC, unit.ParseInteger} {
			v, err := read(s, base)
			if err != nil {
				continue
			}
			size, _ := unit.MemoryUnit(base)
			if math.IsNaN(v) || math.IsInf(v, 0) || memory && math.Abs(v*float64(size)) >= math.MaxInt64 {
				t.Errorf("%q in %q was read as %v", s, base, v)
			}
		}
		if v, err := unit.Figure(s); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%q was read as %v", s, v)
		}
		if b, err := unit.ParseBytes(s); err == nil && b < 0 {
			t.Errorf("%q was read as %d bytes", s, b)
		}
		unit.ShowGUC(s, base)
	})
}

// A whole number that PostgreSQL prints is read by every reader as that number.
func TestWholeNumbersAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1<<31, 1<<31-1).Draw(t, "n")
		text := itoa(n)
		a, errA := unit.ParseGUC(text, "kB")
		b, errB := unit.ParseInteger(text, "kB")
		c, errC := unit.Figure(text)
		if errA != nil || errB != nil || errC != nil || int64(a) != n || int64(b) != n || int64(c) != n {
			t.Fatalf("%s: %v %v, %v %v, %v %v", text, a, errA, b, errB, c, errC)
		}
	})
}
