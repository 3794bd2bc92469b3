package engine

import (
	"math"

	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

func nan() float64 { return math.NaN() }

// mix is the finalizer of splitmix64 (Steele, Lea, Flood 2014): numbers that look
// random, from numbers that do not, without any state. So a block of an experiment
// that is resumed has the order and the seed that it would have had.
func mix(words ...uint64) uint64 {
	var x uint64
	for _, w := range words {
		x += w + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return x
}

// What a random number is for: the same seed gives each purpose its own.
const (
	forOrder = iota + 1
	forRun
	forWarmup
	forCount
)

// seed is a seed of pgbench, which wants it below 2^32.
func seed(words ...uint64) uint64 { return mix(words...) >> 32 }

// order of block number n, from 1: drawn for eight blocks at once, until a draw is one that experiment.Orders allows.
func order(all uint64, n int) string {
	const group = experiment.OrderGroup
	eight, at := uint64(n-1)/group, (n-1)%group
	for try := uint64(0); ; try++ {
		if drawn := uint8(mix(all, forOrder, eight, try)); experiment.Orders(drawn) {
			return experiment.OrderIn(drawn, at)
		}
	}
}

// turns are the configurations of the slices of a block, n for each configuration: ABBA ABBA …, or
// the other way round, so that each quarter is balanced in itself. An odd n ends
// in a pair.
func turns(order string, n int) []string {
	one, two := order[:1], order[1:]
	out := make([]string, 0, 2*n)
	for i := range n {
		if i%2 == 0 {
			out = append(out, one, two)
		} else {
			out = append(out, two, one)
		}
	}
	return out
}
