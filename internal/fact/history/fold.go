package history

import (
	"time"
)

// SpanOf is the time that hourly buckets cover: that of the list with the most of them.
func SpanOf(lists ...[]Bucket) Span {
	var out Span
	for _, list := range lists {
		if days := float64(len(list)) / 24; days > out.Days {
			out = Span{From: list[0].At.Unix(), To: list[len(list)-1].At.Add(time.Hour).Unix(), Days: days}
		}
	}
	return out
}

// Highest is the greatest sample.
func Highest(list []Bucket) *Peak {
	var out *Peak
	for _, b := range list {
		if out == nil || b.Max > out.Value {
			out = &Peak{Value: max(b.Max, 0), At: b.At.Unix()}
		}
	}
	return out
}

// Busiest is the greatest mean of an hour; an hour that was sampled for less
// than half of it counts for nothing: its few samples may be one burst.
func Busiest(list []Bucket) *Peak {
	whole := 0
	for _, b := range list {
		whole = max(whole, b.N)
	}
	var out *Peak
	for _, b := range list {
		if 2*b.N >= whole && (out == nil || b.Mean > out.Value) {
			out = &Peak{Value: max(b.Mean, 0), At: b.At.Unix()}
		}
	}
	return out
}
