// Package selection says which changes of a plan are made: what options such as --only
// and --max-effect let through, what is left out because it rests on a change that is
// left out, which risks have to be accepted, and whether a plan still holds beside a
// fresh one.
package selection
