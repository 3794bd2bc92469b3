package reports

import (
	"fmt"
	"math"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/outputs"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// digits spells a whole number.
func digits(v float64) say.Number { return say.Number(typeset.Digits(int(v))) }

func nanos(v float64) say.Number { return say.Number(fmt.Sprintf("%.0f ns", v)) }

// lasting spells seconds in the unit that leaves one to three digits.
func lasting(s float64) say.Number {
	switch {
	case s <= 0:
		return "~"
	case s < 1e-6:
		return nanos(s * 1e9)
	case s < 1e-3:
		return say.Number(fmt.Sprintf("%.0f µs", s*1e6))
	case s < 1:
		return say.Number(fmt.Sprintf("%.1f ms", s*1e3))
	}
	return say.Number(fmt.Sprintf("%.1f s", s))
}

// speed formats bytes per second; Bytes.String keeps every digit, and three are all that are significant.
func speed(b unit.Bytes) say.Number {
	switch {
	case b >= 10*unit.GB:
		return say.Number(fmt.Sprintf("%.0f GB/s", float64(b)/float64(unit.GB)))
	case b >= unit.GB:
		return say.Number(fmt.Sprintf("%.1f GB/s", float64(b)/float64(unit.GB)))
	}
	return say.Number(fmt.Sprintf("%.0f MB/s", float64(b)/float64(unit.MB)))
}

// each spells bytes a second to the last digit, as another program counted them.
func each(b unit.Bytes) say.Number { return say.Number(b.String() + "/s") }

// rateOr spells a rate; "" if there is none.
func rateOr(v float64) say.Number {
	if v <= 0 {
		return ""
	}
	return outputs.Rate(v)
}

// percent spells a share with one digit after the point.
func percent(v float64) say.Number { return say.Number(fmt.Sprintf("%.1f%%", v)) }

// secs spells whole seconds.
func secs(n int64) say.Number { return say.Number(fmt.Sprintf("%d s", n)) }

// coarse formats seconds with two digits, the precision of a disk measurement; "" for none.
func coarse(s float64) say.Number { return spelled(s, "%.1f", "%.0f") }

// fine spells seconds with three digits.
func fine(s float64) say.Number {
	if s <= 0 {
		return "0 ms"
	}
	if v := s; v >= 1e-3 && v < 1 {
		ms := s * 1e3
		switch {
		case ms >= 100:
			return digits(math.Round(ms)) + " ms"
		case ms >= 10:
			return say.Number(fmt.Sprintf("%.1f ms", ms))
		}
		return say.Number(fmt.Sprintf("%.2f ms", ms))
	}
	return spelled(s, "%.2f", "%.1f")
}

// fineMS formats milliseconds from a program that may have reported none.
func fineMS(v *float64) say.Number {
	if v == nil {
		return ""
	}
	return fine(*v / 1000)
}

func spelled(s float64, small, large string) say.Number {
	for _, u := range []struct {
		seconds float64
		name    string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}} {
		v := s / u.seconds
		switch {
		case v >= 9.95:
			return say.Number(fmt.Sprintf(large, v) + " " + u.name)
		case v >= 0.995:
			return say.Number(fmt.Sprintf(small, v) + " " + u.name)
		}
	}
	return ""
}
