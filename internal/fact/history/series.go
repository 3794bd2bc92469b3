package history

import (
	"time"
)

// Series names one line of numbers.
type Series struct {
	// its data directory, else how it is reached (host:port); "" for the host. Not the key of a snapshot: that one is a
	// number that may be another's next time
	Instance string `json:"instance,omitempty"`
	Name     string `json:"name"`            // of Meanings
	Label    string `json:"label,omitempty"` // such as the state of sessions; "" if the series has none
}

// Point is one value of a series. What is unknown has no point.
type Point struct {
	Series
	Value float64 // finite; numbers that are no integers keep seven digits
}

// Bucket is what became of a series in a span of time from At on.
type Bucket struct {
	At   time.Time `json:"at"` // when the span begins
	Min  float64   `json:"min"`
	Max  float64   `json:"max"`
	Mean float64   `json:"mean"` // of the samples, each weighing the same
	Last float64   `json:"last"`
	N    int       `json:"n"` // samples; never 0: without samples there is no bucket
}

// Info is a series with the time that it spans.
type Info struct {
	Series
	First time.Time `json:"first"`
	Last  time.Time `json:"last"`
}
