// Package slow makes the documents of "diagnose slow" for plans: one plan read (reading.go,
// findings.go), or two plans of one query compared node by node (diff.go, judge.go).
package slow
