// Package hugepages holds the checks of huge pages and transparent huge pages (THP): too few, unused, refused or of
// the wrong size.
// One file a check; the engine is internal/judge/check.
package hugepages
