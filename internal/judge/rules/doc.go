// Package rules is the list of all rules. Each is in a separate file in the directory of its area, with its cases in
// testdata beside it. What no rule decides though it is read is listed with the reason (Unplanned).
package rules
