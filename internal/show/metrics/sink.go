package metrics

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
)

const (
	// mostSeries bounds a family: a host of thirty instances with eighty knobs
	// each stays below it.
	mostSeries = 4096
	// mostLabel limits the bytes of a label: a path with the longest file name that filesystems allow, 255, still shows
	// where it is.
	mostLabel = 256
)

// descs are the families as the library wants them described.
var descs = func() map[*Family]*prometheus.Desc {
	m := map[*Family]*prometheus.Desc{}
	for _, f := range Families() {
		m[f] = prometheus.NewDesc(f.Name, f.Help, f.Labels, nil)
	}
	return m
}()

// sink gathers series. What came from outside is made harmless here: the bytes of
// a label, its length, how many there are, and two that would be one.
type sink struct {
	out     []prometheus.Metric
	seen    map[string]bool
	count   map[*Family]int
	dropped int
}

func newSink() *sink { return &sink{seen: map[string]bool{}, count: map[*Family]int{}} }

// put adds a series with the values of the family's labels.
func (k *sink) put(f *Family, v float64, labels ...string) {
	for i, l := range labels {
		labels[i] = label(l)
	}
	key := f.Name + "\x00" + strings.Join(labels, "\x00")
	if k.seen[key] || k.count[f] >= mostSeries {
		k.dropped++
		return
	}
	k.seen[key] = true
	k.count[f]++
	kind := prometheus.GaugeValue
	if f.Counter {
		kind = prometheus.CounterValue
	}
	// Fails only where there are more or fewer values than labels: a fault of
	// this package, which its tests meet.
	k.out = append(k.out, prometheus.MustNewConstMetric(descs[f], kind, v, labels...))
}

// label makes a text fit for a label: valid UTF-8 without control characters, not
// endless. What is cut keeps a hash of the whole, so that two stay two.
func label(s string) string {
	whole := s
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(s, string(utf8.RuneError)))
	if len(s) <= mostLabel {
		return s
	}
	h := fnv.New32a()
	h.Write([]byte(whole))
	cut := mostLabel - len("…00000000")
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s…%08x", s[:cut], h.Sum32())
}

// truth is a fact of yes and no as a number.
func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
