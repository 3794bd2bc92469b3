// Package selection says which changes of a plan are made: what options such as --only and --max-effect let through,
// what is omitted because it depends on an omitted change, which risks have to be accepted, and whether a plan is still
// valid compared with a new one.
package selection
