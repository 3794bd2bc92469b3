// Package hugepages holds the checks of huge pages, transparent ones among them: too few, unused, refused or of the
// wrong size.
// One file a check; the engine is internal/judge/check.
package hugepages
