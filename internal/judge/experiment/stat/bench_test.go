package stat

import "testing"

// BenchmarkJudge is a verdict of 16 blocks that deviate much, the slowest kind:
// the exact test has 2^15 patterns, and many blocks would be needed.
func BenchmarkJudge(b *testing.B) {
	y := around(16, 0.01, 0.2)
	for b.Loop() {
		Judge(y, Question{})
	}
}
