// Package part holds what all who recognize a part of a paste share: its lines, the window that a part may
// take, and what was found in it.
package part

// Kind is what a part of a paste is.
type Kind string

// Sure says how sure it is that a part is what it is called.
type Sure string

// The degrees.
const (
	Certain Sure = "certain" // its head, or a form that nothing else has
	Likely  Sure = "likely"  // by the form of its lines alone
)
