// Package slow makes the documents of «diagnose slow»: two plans of one query compared node
// by node (diff.go, judge.go), or samples of a slow instance judged (sample.go).
package slow
