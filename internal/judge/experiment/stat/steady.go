package stat

import "math"

// Flat reports whether the slope over equal windows is indistinguishable from zero: a least-squares line whose slope is
// not significant at 5 %. It is false for fewer than four windows, which leave a line no room to be wrong.
//
// Windows of one run are autocorrelated, which makes this test call a flat
// series sloped more often than 5 %: the warm-up then runs longer, which harms
// nothing.
func Flat(windows []float64) bool {
	n := len(windows)
	if n < 4 {
		return false
	}
	var mx, my float64
	for i, v := range windows {
		mx += float64(i)
		my += v
	}
	mx /= float64(n)
	my /= float64(n)
	var sxx, sxy, syy float64
	for i, v := range windows {
		dx, dy := float64(i)-mx, v-my
		sxx += dx * dx
		sxy += dx * dy
		syy += dy * dy
	}
	slope := sxy / sxx
	rest := syy - slope*sxy
	if rest <= 1e-12*math.Abs(my) {
		return math.Abs(slope)*float64(n) <= 0.01*math.Abs(my) // no noise: flat is within 1 %
	}
	t := slope / math.Sqrt(rest/float64(n-2)/sxx)
	return math.Abs(t) < QuantileT(1-Level/2, n-2)
}
