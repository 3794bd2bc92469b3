package plans

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// notable is the factor between two values that deserves a remark. Below it, two values of a setting of memory, WAL or
// costs rarely differ in a measurement.
const notable = 2.0

// of returns a value, and whether the program gives it itself.
func (v Values) of(name string) (value string, given bool) {
	if value, given = v[name]; given {
		return value, true
	}
	return Default(name), false
}

// number returns a value in the base unit of the setting; ok is false for a word.
func (v Values) number(name string) (n float64, ok bool) {
	value, _ := v.of(name)
	p, _ := params.Lookup(Major, name)
	n, ok = p.Number(value)
	if ok && name == "wal_buffers" && n == -1 {
		// What the server makes of -1: a 32nd of shared_buffers, from 64 kB to one WAL file of 16 MB.
		blocks, _ := v.number("shared_buffers")
		n = min(max(math.Floor(blocks/32), 8), float64(16*unit.MB/(8*unit.KB)))
	}
	return n, ok
}

// direction is how a calculator's value lies to pgfettle's.
type direction int

const (
	near  direction = iota // within a factor of two
	more                   // more than twice as much
	less                   // less than half as much
	other                  // another word
)

// compare returns how a calculator's value lies to pgfettle's, and how many times as much or as little it is: 0 if one
// of them is 0.
func compare(name string, ours, theirs Values) (d direction, times float64) {
	a, ok1 := ours.number(name)
	b, ok2 := theirs.number(name)
	if !ok1 || !ok2 {
		x, _ := ours.of(name)
		y, _ := theirs.of(name)
		if x == y {
			return near, 1
		}
		return other, 0
	}
	switch {
	case a == b:
		return near, 1
	case b == 0:
		return less, 0
	case a == 0:
		return more, 0
	case b > a*notable:
		return more, b / a
	case a > b*notable:
		return less, a / b
	}
	return near, 1
}
