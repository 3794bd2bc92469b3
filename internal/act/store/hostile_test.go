package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/pgfettle/pgfettle/internal/fact/history"
)

// A file that is not ours is refused, to write and to read, and is not changed.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	raw := func(name string, do ...string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, q := range do {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(text, link); err != nil {
		t.Fatal(err)
	}
	ours := func(more ...string) []string {
		var all []string
		for _, o := range objects {
			all = append(all, o.sql)
		}
		return append(append(all, "PRAGMA application_id = 1885824616", "PRAGMA user_version = 1"), more...)
	}
	for _, c := range []struct {
		name, path string
		want       error
	}{
		{"a text", text, ErrForeign},
		{"a link", link, ErrForeign},
		{"a folder", dir, ErrForeign},
		{"a database of another", raw("other", "CREATE TABLE a (b)"), ErrForeign},
		{"one that says it is ours", raw("liar", "PRAGMA application_id = 1885824616", "PRAGMA user_version = 1",
			"CREATE TABLE series (id)"), ErrForeign},
		{"a view in the place of a table", raw("view", ours("DROP TABLE state",
			"CREATE VIEW state AS SELECT 1 AS key, 2 AS value")...), ErrForeign},
		{"a trigger", raw("trigger", ours("CREATE TRIGGER t AFTER INSERT ON event BEGIN DELETE FROM event; END")...),
			ErrForeign},
		{"a newer one", raw("newer", ours("PRAGMA user_version = 2")...), ErrNewer},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			if _, err := Open(c.path, Options{}); !errors.Is(err, c.want) {
				t.Errorf("to write: %v", err)
			}
			if _, err := OpenRead(c.path); !errors.Is(err, c.want) {
				t.Errorf("to read: %v", err)
			}
			if after, _ := os.ReadFile(c.path); !cmp.Equal(before, after) {
				t.Error("the file was changed")
			}
			for _, beside := range []string{".lock", "-wal", "-shm", "-journal"} {
				if _, err := os.Lstat(c.path + beside); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%s was made beside it", beside)
				}
			}
		})
	}
	if s, err := OpenRead(raw("same", ours()...)); err != nil {
		t.Errorf("one made of the same tables: %v", err)
	} else {
		s.Close()
	}
	if _, err := OpenRead(filepath.Join(dir, "none")); !errors.Is(err, ErrNone) {
		t.Errorf("none: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("to read made a file")
	}
}

// Only the owner may read directory and files.
func TestModes(t *testing.T) {
	s := openNew(t, Options{})
	appendAt(t, s, noon, pt("dirty_bytes", 1))
	for path, want := range map[string]fs.FileMode{filepath.Dir(s.path): 0o700, s.path: 0o600, s.path + "-wal": 0o600,
		s.path + "-shm": 0o600, s.path + ".lock": 0o600} {
		st, err := os.Stat(path)
		if err != nil || st.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, st.Mode(), err)
		}
	}
}

// Points that cannot be kept are named, and the others stored.
func TestPointsThatAreRefused(t *testing.T) {
	s := openNew(t, Options{SeriesMost: 3})
	in := func(instance, name, label string, v float64) history.Point {
		return history.Point{Series: history.Series{Instance: instance, Name: name, Label: label}, Value: v}
	}
	bad := []history.Point{
		in("", "no_such_series", "", 1),
		in("", "dirty_bytes", "label", 1),
		in("/data", "dirty_bytes", "", 1),
		in("", "connections_total", "", 1),
		in("/data", "connections", "", 1),
		in("/data", "connections", strings.Repeat("x", 65), 1),
		in("/data", "connections", "\x1b[2J", 1),
		in("/data", "connections", "\xff", 1),
		in("/"+strings.Repeat("x", 512), "connections_total", "", 1),
		in("", "cached_bytes", "", math.NaN()),
		in("", "cached_bytes", "", math.Inf(-1)),
	}
	err := s.Append(context.Background(), noon, append(bad, pt("dirty_bytes", 5)))
	var r *RefusedError
	if !errors.As(err, &r) || !errors.Is(err, ErrRefused) || len(r.Points) != len(bad) {
		t.Fatalf("%v", err)
	}
	if list := ranged(t, s, "dirty_bytes", noon, noon.Add(time.Hour), 0); len(list) != 1 || list[0].Last != 5 {
		t.Errorf("the good one: %+v", list)
	}
	// The bound of the series: three are kept, and that is reported once.
	for i := range 5 {
		var points []history.Point
		for n := range 10 {
			points = append(points, in("/data", "connections", "state "+strconv.Itoa(n), float64(n)))
		}
		err := s.Append(context.Background(), noon.Add(time.Duration(i+1)*10*time.Second), points)
		if !errors.As(err, &r) || len(r.Points) != 8 {
			t.Fatalf("beyond the bound: %v", err)
		}
	}
	if list, err := s.List(context.Background()); err != nil || len(list) != 3 {
		t.Errorf("%d series, %v", len(list), err)
	}
	if e := eventsOf(t, s, history.Limited); len(e) != 1 || !strings.Contains(e[0].Detail, "holds 3") {
		t.Errorf("told: %+v", e)
	}
	if err := s.Append(context.Background(), time.Unix(1000, 0), []history.Point{pt("dirty_bytes", 1)}); !errors.Is(err,
		ErrRefused) {
		t.Errorf("in 1970: %v", err)
	}
}

// However the clock jumps, every sample is counted, and each step back is reported.
func TestNoSampleIsLostToTheClock(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := Open(filepath.Join(t.TempDir(), File), Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		if _, err := s.db.Exec("PRAGMA synchronous = OFF"); err != nil {
			rt.Fatal(err)
		}
		at, n, backs := noon, 0, 0
		sum := 0.0
		for range rapid.IntRange(1, 30).Draw(rt, "samples") {
			step := rapid.SampledFrom([]time.Duration{0, 10 * time.Second, 10 * time.Second, time.Minute, time.Hour,
				25 * time.Hour, 1000 * time.Hour,
				-time.Millisecond, -10 * time.Second, -time.Hour, -49 * time.Hour, -10_000 * time.Hour}).Draw(rt,
				"step")
			at = at.Add(step)
			if n > 0 && step < 0 {
				backs++
			}
			v := float64(rapid.IntRange(0, 1000).Draw(rt, "value"))
			if err := s.Append(context.Background(), at, []history.Point{pt("dirty_bytes", v)}); err != nil {
				rt.Fatal(err)
			}
			at = fromMS(s.last) // moved on where another sample had that time
			n, sum = n+1, sum+v
		}
		for _, most := range []int{1, 7, 500} {
			got, total := 0, 0.0
			list, err := s.Range(context.Background(), history.Series{Name: "dirty_bytes"}, fromMS(earliest),
				fromMS(latest), most)
			if err != nil {
				rt.Fatal(err)
			}
			for i, b := range list {
				got, total = got+b.N, total+b.Mean*float64(b.N)
				if i > 0 && !list[i-1].At.Before(b.At) {
					rt.Fatalf("out of order: %+v", list)
				}
			}
			if got != n || math.Abs(total-sum) > 1e-3*(sum+1) {
				rt.Fatalf("%d samples with the sum %g; in %d buckets there are %d with %g", n, sum, len(list),
					got, total)
			}
		}
		told, err := s.EventsBetween(context.Background(),
			history.EventFilter{Kinds: []history.EventKind{history.ClockJumped}})
		if err != nil || len(told) != backs {
			rt.Fatalf("the clock went back %d times, told %d times, %v", backs, len(told), err)
		}
	})
}

// What is packed is unpacked as it was.
func TestBlocksComeBack(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-1e18, 1e18), rapid.Float64(),
		rapid.Map(rapid.Int64(), func(i int64) float64 { return float64(i) }),
		rapid.Map(rapid.Int64Range(0, 1<<20), func(i int64) float64 { return float64(i) * 4096 }), rapid.Just(0.0),
		rapid.Just(-1.0))
	rapid.Check(t, func(rt *rapid.T) {
		l := rapid.SampledFrom(levels).Draw(rt, "level")
		unit := max(l.step, ms)
		start := floor(rapid.Int64Range(earliest, latest).Draw(rt, "start"), l.span)
		var list []bucket
		for at := int64(0); ; {
			at += rapid.Int64Range(1, max(1, l.span/unit/20)).Draw(rt, "step")
			if at >= l.span/unit {
				break
			}
			v := func() float64 { return rounded(value.Draw(rt, "value")) }
			b := bucket{at: start + at*unit, n: rapid.Int64Range(1, 1e6).Draw(rt, "n"), min: v(), max: v(),
				mean: v(), last: v()}
			if l.step == 0 {
				b.n, b.min, b.max, b.mean = 1, b.last, b.last, b.last
			}
			list = append(list, b)
		}
		got, err := unpackBlock(nil, l, start, packBlock(l, start, list))
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(list, got, cmp.AllowUnexported(bucket{}), cmpopts.EquateEmpty()); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// A block or a sample of a file that another wrote is refused or read within its
// bounds, never with a panic.
func FuzzUnpackBlock(f *testing.F) {
	for i, l := range levels {
		start := floor(toMS(noon), l.span)
		f.Add(i, packBlock(l, start, []bucket{{start, 1, 1, 1, 1, 1}, {start + max(l.step, 1), 2, 1, 3, 2.5, 3}}))
	}
	f.Add(0, []byte{1, 0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, i int, data []byte) {
		l := levels[uint(i)%uint(len(levels))]
		start := floor(toMS(noon), l.span)
		list, err := unpackBlock(nil, l, start, data)
		if err != nil {
			return
		}
		for i, b := range list {
			if b.at < start || b.at >= start+l.span || b.n < 1 || i > 0 && b.at <= list[i-1].at || b.mean-b.mean != 0 ||
				b.min-b.min != 0 {
				t.Fatalf("entry %d of %d: %+v", i, len(list), b)
			}
		}
	})
}

func FuzzSample(f *testing.F) {
	f.Add(`{"1":2,"3":4.5}`)
	f.Add(`{}`)
	f.Add(`{"1":NaN,}`)
	f.Fuzz(func(t *testing.T, text string) {
		err := eachPoint(text, func(_ int64, v float64) {
			if v-v != 0 {
				t.Fatalf("%q holds %v", text, v)
			}
		})
		if err != nil && !errors.Is(err, errBlock) {
			t.Fatal(err)
		}
	})
}
