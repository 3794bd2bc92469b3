// Package checks is the list of all checks. Each is in a separate file in the directory of its area, with its cases in
// testdata next to it.
package checks
