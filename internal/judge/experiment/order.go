package experiment

import "math/bits"

// OrderGroup is how many blocks have their orders drawn at once.
const OrderGroup = 8

// fewestOrders is how many blocks of a group have each of the orders at least. All eight in one order would give what
// is second in a block to one configuration. More balance than this is worse where the machine is disturbed for about
// as long as a run takes: with one AB and one BA in each pair, 7 % of experiments without a difference found one where
// a
// neighbor came and went every two runs, with this 5 % (found by simulation, which TestPlantedNoise repeats). A trend
// over the whole experiment is in the orders by chance either way, and in the interval.
const fewestOrders = 2

// Orders reports whether the orders of a group of blocks, a bit for each, may be used.
func Orders(drawn uint8) bool {
	n := bits.OnesCount8(drawn)
	return n >= fewestOrders && n <= OrderGroup-fewestOrders
}

// OrderIn is the order of a block in its group, from 0.
func OrderIn(drawn uint8, at int) string {
	if drawn>>at&1 == 0 {
		return "AB"
	}
	return "BA"
}
