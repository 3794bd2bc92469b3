// Package rules is the list of all rules. Each is in a separate file in the directory of its area, with its cases in
// testdata next to it. What is read but decided by no rule is listed with the reason (Unplanned).
package rules
