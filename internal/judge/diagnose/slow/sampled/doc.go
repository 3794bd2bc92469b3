// Package sampled judges what was sampled of a slow instance and its host while it was slow: waits, locks, CPUs, memory
// (judge.go), and profiles of perf, live or in a file (symbols.go, perf.go).
package sampled
