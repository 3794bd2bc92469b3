package measured

import (
	"math"
	"math/bits"
)

// A histogram's buckets: 128 for each doubling keep every figure within 1/128 of
// what was measured, under a tenth of what two runs differ by; values up to 2^40
// microseconds are twelve days. All that is 34 kB, however many are recorded.
const (
	subBits  = 7
	maxBits  = 40
	nBuckets = (maxBits - subBits + 1) << subBits
)

// Histogram counts microseconds in buckets whose width grows with the value, as
// the histograms of HDR do. The zero value is an empty one.
type Histogram struct {
	n        int64
	sum      float64
	min, max int64
	counts   []int64
}

// Record adds a value; one below zero counts as zero, one beyond the range as its end.
func (h *Histogram) Record(us int64) { h.RecordMany(us, 1) }

// RecordMany adds a value that was measured n times.
func (h *Histogram) RecordMany(us, n int64) {
	if n <= 0 {
		return
	}
	us = min(max(us, 0), 1<<maxBits-1)
	if h.counts == nil {
		h.counts = make([]int64, nBuckets)
		h.min = us
	}
	h.counts[bucket(us)] += n
	h.n += n
	h.sum += float64(us) * float64(n)
	h.min, h.max = min(h.min, us), max(h.max, us)
}

// Add takes in another histogram.
func (h *Histogram) Add(o *Histogram) {
	if o.n == 0 {
		return
	}
	if h.counts == nil {
		h.counts = make([]int64, nBuckets)
		h.min = o.min
	}
	for i, c := range o.counts {
		h.counts[i] += c
	}
	h.n += o.n
	h.sum += o.sum
	h.min, h.max = min(h.min, o.min), max(h.max, o.max)
}

// Count is the number of values.
func (h *Histogram) Count() int64 { return h.n }

// Mean of the values as they were recorded; false where there is none.
func (h *Histogram) Mean() (us float64, ok bool) {
	if h.n == 0 {
		return 0, false
	}
	return h.sum / float64(h.n), true
}

// Max is the greatest value as it was recorded; false where there is none.
func (h *Histogram) Max() (us int64, ok bool) { return h.max, h.n > 0 }

// Quantile returns the value that a part q of all does not exceed, to within
// 1/128 of it; false where there is none. q is from 0 to 1.
func (h *Histogram) Quantile(q float64) (us int64, ok bool) {
	if h.n == 0 {
		return 0, false
	}
	// the rank as of a sorted list: the smallest one that q of all are not above
	rank := int64(q * float64(h.n))
	if float64(rank) < q*float64(h.n) || rank == 0 {
		rank++
	}
	rank = min(rank, h.n)
	for i, c := range h.counts {
		if rank -= c; rank <= 0 {
			return min(max(upper(i), h.min), h.max), true
		}
	}
	return h.max, true
}

// SD is the standard deviation of the values as far as their buckets tell; false
// where there are fewer than two.
func (h *Histogram) SD() (us float64, ok bool) {
	if h.n < 2 {
		return 0, false
	}
	sum, sq := 0.0, 0.0
	for i, c := range h.counts {
		if c > 0 {
			x := float64(upper(i))
			sum += x * float64(c)
			sq += x * x * float64(c)
		}
	}
	n := float64(h.n)
	return math.Sqrt(max(0, (sq-sum*sum/n)/(n-1))), true
}

// bucket is the number of a value's bucket: one each below 2^subBits, then
// 2^subBits for each doubling.
func bucket(us int64) int {
	if us < 1<<subBits {
		return int(us)
	}
	e := bits.Len64(uint64(us)) - 1 - subBits // how often it is halved to fit
	return (e+1)<<subBits + int(us>>e) - 1<<subBits
}

// upper is the greatest value of a bucket.
func upper(i int) int64 {
	if i < 1<<subBits {
		return int64(i)
	}
	e := i>>subBits - 1
	return (int64(i&(1<<subBits-1))+1<<subBits+1)<<e - 1
}
