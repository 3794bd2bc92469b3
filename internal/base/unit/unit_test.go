package unit_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// TestBytesForPeople holds the spelling for people, which rounds.
func TestBytesForPeople(t *testing.T) {
	for b, want := range map[unit.Bytes]string{
		0: "0 B", 1023: "1023 B", 512: "512 B", 8 * unit.KB: "8 kB", 128 * unit.MB: "128 MB", 48_532_488_192: "45.2 GB",
		64 * unit.GB: "64 GB", unit.TB + unit.TB/2: "1.5 TB", 9_995 * unit.KB: "9.76 MB", -4 * unit.GB: "-4 GB",
	} {
		if got := b.String(); got != want {
			t.Errorf("%d bytes are %q, want %q", int64(b), got, want)
		}
	}
}

// TestGUC holds the spelling of SHOW, which is exact. The values are what
// PostgreSQL 15 printed for the same numbers.
func TestGUC(t *testing.T) {
	for _, c := range []struct{ setting, base, want string }{
		{"16384", "8kB", "128MB"}, {"770560", "8kB", "6020MB"}, {"53092", "kB", "53092kB"}, {"1", "8kB", "8kB"},
		{"-1", "kB", "-1"}, {"0", "kB", "0"}, {"300", "s", "5min"}, {"86400", "s", "1d"}, {"2", "ms", "2ms"},
		{"60000", "ms", "1min"},
		{"0.9", "", "0.9"}, {"on", "", "on"}, {"1024", "MB", "1GB"}, {"80", "MB", "80MB"}, {"1024", "B", "1kB"},
		{"2147483647", "kB", "2147483647kB"}, {"1000", "", "1000"}, {"10", "min", "10min"},
	} {
		if got := unit.ShowGUC(c.setting, c.base); got != c.want {
			t.Errorf("%s %s is shown as %q, want %q", c.setting, c.base, got, c.want)
		}
	}
}

// TestParseGUC holds what a person may write and how a wrong unit is refused.
func TestParseGUC(t *testing.T) {
	for _, c := range []struct {
		text, base string
		want       float64
	}{
		{"128MB", "8kB", 16384}, {"16384", "8kB", 16384}, {"1GB", "kB", 1 << 20}, {"5min", "s", 300},
		{"1.5h", "min", 90},
		{"0.9", "", 0.9}, {"-1", "kB", -1}, {"64 MB", "kB", 65536}, {"2ms", "ms", 2}, {"500us", "ms", 0.5},
	} {
		got, err := unit.ParseGUC(c.text, c.base)
		if err != nil || got != c.want {
			t.Errorf("%s in %q is %v, %v; want %v", c.text, c.base, got, err, c.want)
		}
	}
	for _, c := range [][2]string{{"64M", "kB"}, {"5 minutes", "s"}, {"much", "kB"}, {"64MB", ""}, {"1GB", "s"},
		{"", "kB"}, {"NaN", ""}} {
		if v, err := unit.ParseGUC(c[0], c[1]); err == nil {
			t.Errorf("%q in %q was read as %v", c[0], c[1], v)
		}
	}
}

// TestGUCRoundTrip: what SHOW prints is read back as the same number.
func TestGUCRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SampledFrom([]string{"B", "kB", "8kB", "MB", "ms", "s", "min"}).Draw(t, "base")
		n := rapid.Int64Range(-1, 1<<31).Draw(t, "n")
		text := unit.ShowGUC(itoa(n), base)
		back, err := unit.ParseGUC(text, base)
		if err != nil || int64(back) != n {
			t.Fatalf("%d %s is shown as %s and read as %v, %v", n, base, text, back, err)
		}
	})
}

func itoa(n int64) string {
	if n < 0 {
		return "-" + itoa(-n)
	}
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + itoa(n%10)
}

// TestPagesRoundUp: one page too few keeps a server from starting.
func TestPagesRoundUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := unit.Bytes(rapid.Int64Range(0, 1<<45).Draw(t, "bytes"))
		size := rapid.SampledFrom([]unit.Bytes{4 * unit.KB, 64 * unit.KB, 2 * unit.MB, unit.GB}).Draw(t, "page")
		n := unit.Bytes(b.Pages(size))
		if n*size < b || (n > 0 && (n-1)*size >= b) {
			t.Fatalf("%d bytes need %d pages of %d", b, n, size)
		}
	})
}

// TestParseBytes holds how amounts are written and refused.
func TestParseBytes(t *testing.T) {
	for s, want := range map[string]unit.Bytes{"64GB": 64 * unit.GB, "1.5 GB": 1536 * unit.MB, "512MiB": 512 * unit.MB,
		"8kB": 8192, "4096": 4096, "2T": 2 * unit.TB} {
		if got, err := unit.ParseBytes(s); err != nil || got != want {
			t.Errorf("%q is %d, %v; want %d", s, got, err, want)
		}
	}
	for _, s := range []string{"", "GB", "-1GB", "1e9", "64 gigs", "9999999999TB", "1..5GB"} {
		if got, err := unit.ParseBytes(s); err == nil {
			t.Errorf("%q was read as %d", s, got)
		}
	}
}

// TestParseKernel holds the releases of distributions.
func TestParseKernel(t *testing.T) {
	for s, want := range map[string][3]int{
		"6.18.44-fc-v657\n": {6, 18, 44}, "4.18.0-553.el8_10.x86_64": {4, 18, 0},
		"5.14.0-427.13.1.el9_4.x86_64": {5, 14, 0}, "6.1.0-28-amd64": {6, 1, 0}, "7.0": {7, 0, 0},
	} {
		k, err := unit.ParseKernel(s)
		if err != nil || [3]int{k.Major, k.Minor, k.Patch} != want {
			t.Errorf("%q is %+v, %v", s, k, err)
		}
	}
	for _, s := range []string{"", "linux", "..", "-1.2"} {
		if k, err := unit.ParseKernel(s); err == nil {
			t.Errorf("%q was read as %+v", s, k)
		}
	}
	if k := (unit.Kernel{Major: 5, Minor: 14}); !k.AtLeast(4, 18) || !k.AtLeast(5, 14) || k.AtLeast(5, 15) ||
		k.AtLeast(6, 0) {
		t.Error("kernel versions are compared wrongly")
	}
}
