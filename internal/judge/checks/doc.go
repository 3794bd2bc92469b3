// Package checks is the list of all checks. Each stands in a file of its own in the directory of its area, with its
// cases in testdata beside it.
package checks
