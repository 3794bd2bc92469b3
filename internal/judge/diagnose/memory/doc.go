// Package memory makes the document of "diagnose memory": where the memory of a host goes
// now, by program and by part, what page tables take, and what would change it.
package memory
