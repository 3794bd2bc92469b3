package serve

import (
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/store"
	"github.com/pgfettle/pgfettle/internal/act/store/storetest"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/test/page"
)

var (
	begun = time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	ended = begun.Add(6 * time.Hour)
)

const second = "/srv/pg/<17>"

// sampled is a history of six hours of a host with two instances.
func sampled(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.File)
	st, err := store.Open(path, store.Options{Interval: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for i := range 360 {
		at := begun.Add(time.Duration(i) * time.Minute)
		var points []history.Point
		add := func(instance, name, label string, v float64) {
			points = append(points, history.Point{Series: history.Series{Instance: instance, Name: name, Label: label},
				Value: v})
		}
		add("", "memory_used_bytes", "", float64(8<<30+i<<20))
		add("", "page_tables_bytes", "", float64(i<<20))
		add("", "cpu_busy_ratio", "", float64(i%100)/100)
		for _, in := range []string{"/srv/pg/16", second} {
			// more than there are colors
			for _, state := range []string{"active", "idle", "idle in transaction", "a", "b", "c", "d", "e"} {
				add(in, "connections", state, float64(len(state)))
			}
			add(in, "wal_bytes_per_second", "", float64(i)*1000)
		}
		if i < 120 || i >= 180 { // an hour without
			if err := st.Append(t.Context(), at, points); err != nil {
				t.Fatal(err)
			}
		}
	}
	old := map[string]history.Setting{"work_mem": {Value: "4MB"}, "fsync": {Value: "on"}, "old": {Value: ""}}
	now := map[string]history.Setting{"work_mem": {Value: "<script>", Where: "postgresql.auto.conf:3", Who: "alice"},
		"fsync": {Value: "on"}}
	for i, set := range []map[string]history.Setting{old, now} {
		if _, err := st.AppendSettings(t.Context(), begun.Add(time.Duration(1+2*i)*time.Hour), second,
			set); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := st.AppendEvent(t.Context(), history.Event{At: begun.Add(4 * time.Hour), Kind: history.OOMKill,
		Subject: "postgres", Detail: "it had 12 GB"}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestHistory holds what the page of the history shows of a time, and how links
// lead to another.
func TestHistory(t *testing.T) {
	path := sampled(t)
	h, _ := started(t, func(o *Options) { o.History, o.Now = path, func() time.Time { return ended } })
	all := url.Values{"instance": {second}}.Encode()
	for address, c := range map[string]struct {
		has, hasNot []string
	}{
		"/history": {[]string{"2026-11-19 16:00 to 2026-11-20 16:00 UTC", `href="/history?range=1y"`,
			`href="/history?range=1d" aria-current="true"`, "Memory", "<svg", "page tables", "OOM kill", "it had 12 GB",
			`href="/history?instance=%2Fsrv%2Fpg%2F%3C17%3E"`, "8 GB", `>Earlier<`, `>Zoom in<`, `>Zoom out<`},
			[]string{">Later<", "There is no data", "Swap in use"}},
		"/history?range=6h&" + all: {[]string{"WAL written", "Sessions",
			"idle in transaction", "setting</td>", "&lt;script&gt;", "postgresql.auto.conf:3", "alice", "at most"},
			[]string{"<script>", "no value"}},
		"/history?from=2026-11-20T10:00&to=2026-11-20T11:00": {
			[]string{"2026-11-20 10:00 to 2026-11-20 11:00 UTC", ">Later<",
				"from=2026-11-20T10%3A15&amp;to=2026-11-20T10%3A45"}, []string{"OOM kill"}},
		"/history?from=2026-11-20T10:00:00Z&to=2026-11-20": refused(422, "at least one minute after"),
		"/history?from=2026-11-20T10:00:00%2B02:00": {
			[]string{"2026-11-20 08:00 to 2026-11-20 16:00 UTC"}, nil},
		"/history?range=7d": {[]string{"2026-11-13 16:00 to"}, nil},
		"/history?from=2026-01-01&to=2026-01-02": {
			[]string{"There is no data for this time range", "spans 2026-11-20 10:00 to 2026-11-20 15:59",
				"from=2026-11-19T15%3A59&amp;to=2026-11-20T16%3A00"}, []string{"<svg"}},
		"/history?range=2w": refused(422,
			"there is no range &#34;2w&#34;"),
		"/history?from=yesterday":                refused(422, "write a time such as"),
		"/history?from=1970-01-01&to=2026-01-01": refused(422, "write a time such as"),
		"/history?from=2001-01-01&to=2026-01-01": refused(422, "ten years"),
		"/history?instance=/nothing": refused(404,
			"There is no history of an instance"),
		"/history/settings?from=2026-11-20T12:00&to=2026-11-20T14:00&" +
			all: {[]string{"work_mem", "4MB", "&lt;script&gt;", "not set",
			"Settings that differ: /srv/pg/&lt;17&gt;"}, []string{"fsync", "<script>"}},
		"/history/settings?from=2026-11-20T14:00&to=2026-11-20T15:00&" +
			all: {[]string{"No setting differs between"}, []string{"work_mem"}},
		"/history/settings?from=2026-11-20T09:00&to=2026-11-20T10:30&" +
			all: {[]string{"No settings had been recorded by then"}, nil},
		"/history/settings?from=x": refused(422, "write a time such as"),
	} {
		t.Run(address, func(t *testing.T) {
			r := get(t, h.URL+address)
			want := http.StatusOK
			if len(c.hasNot) == 1 && strings.HasPrefix(c.hasNot[0], "status ") {
				fmt.Sscanf(c.hasNot[0], "status %d", &want)
			}
			if r.StatusCode != want {
				t.Fatalf("%s\n%s", r.Status, r.body)
			}
			for _, s := range c.has {
				if !strings.Contains(r.body, s) {
					t.Errorf("it lacks %q", s)
				}
			}
			for _, s := range c.hasNot {
				if strings.Contains(r.body, s) {
					t.Errorf("it has %q", s)
				}
			}
			for _, p := range page.Problems([]byte(r.body), false) {
				t.Error(p)
			}
			if t.Failed() {
				t.Log(r.body)
			}
		})
	}
}

// refused is what is wanted of an address that is answered with an error.
func refused(status int, text string) struct{ has, hasNot []string } {
	return struct{ has, hasNot []string }{[]string{text}, []string{fmt.Sprintf("status %d", status)}}
}

// TestHoles verifies that a line has a hole if nothing was sampled, and none if its samples are as far from each other
// as they always are.
func TestHoles(t *testing.T) {
	at := func(minutes ...int) (out []history.Bucket) {
		for _, m := range minutes {
			out = append(out, history.Bucket{At: begun.Add(time.Duration(m) * time.Minute), Mean: 1, Max: 1, N: 1})
		}
		return out
	}
	for name, c := range map[string]struct {
		list  []history.Bucket
		holes int
	}{
		"none": {at(0, 1, 2, 3), 0}, "rare": {at(0, 60, 120, 180), 0}, "one": {at(0, 1, 2, 60, 61), 1},
		"late": {at(0, 1, 2, 5, 6), 0}, "single": {at(7), 0}, "nothing": {nil, 0},
	} {
		holes := 0
		for _, p := range points(c.list, func(b history.Bucket) float64 { return b.Mean }) {
			if p.Value != 1 {
				holes++
			}
		}
		if holes != c.holes {
			t.Errorf("%s: %d holes", name, holes)
		}
	}
}

// TestChartsAreOfOneKind verifies that what is in one picture has one unit and is of the host or of an instance, and
// that every name is one that is kept.
func TestChartsAreOfOneKind(t *testing.T) {
	for _, c := range charts {
		var first history.Meaning
		for i, name := range c.Names {
			m, ok := history.MeaningOf(name)
			if !ok {
				t.Fatalf("%s: nobody keeps %s", c.Title, name)
			}
			if lineNames[name].IsZero() {
				t.Errorf("%s: %s has no name", c.Title, name)
			}
			if i == 0 {
				first = m
			}
			if m.Unit != first.Unit || m.Scope != first.Scope {
				t.Errorf("%s: %s is in %s of %s, and %s in %s of %s", c.Title, first.Name, first.Unit, first.Scope,
					m.Name, m.Unit, m.Scope)
			}
		}
	}
}

// TestForeignHistory verifies that a file that is no history is reported, and that the other pages stay.
func TestForeignHistory(t *testing.T) {
	h, _ := started(t, func(o *Options) { o.History = "serve_test.go" })
	if r := get(t, h.URL+"/history"); r.StatusCode != http.StatusServiceUnavailable ||
		!strings.Contains(r.body, "--history") {
		t.Errorf("%s\n%s", r.Status, r.body)
	}
	if r := get(t, h.URL+"/findings"); r.StatusCode != http.StatusOK {
		t.Error(r.Status)
	}
}

// BenchmarkYear answers the page of the whole history of a host with two instances that was watched for a year. It
// should take less than 200 ms; of CPU time too, which does not depend on what else the machine does.
func BenchmarkYear(b *testing.B) {
	path := storetest.Year(b, 2)
	h, _ := started(b, func(o *Options) { o.History, o.Now = path, func() time.Time { return storetest.End } })
	for _, name := range []string{"1y", "30d", "1d", "1h"} {
		b.Run(name, func(b *testing.B) {
			size, began := 0, worked(b)
			for b.Loop() {
				r := get(b, h.URL+"/history?range="+name)
				if r.StatusCode != http.StatusOK || !strings.Contains(r.body, "<svg") {
					b.Fatal(r.Status)
				}
				size = len(r.body)
			}
			b.ReportMetric(float64(worked(b)-began)/1e6/float64(b.N), "cpu-ms/op")
			b.ReportMetric(float64(size), "B/page")
		})
	}
}

// worked is the CPU time that this process has had.
func worked(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
