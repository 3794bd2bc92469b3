// Package version holds the checks of versions that are behind or at their end, and what a next one breaks.
// One file a check; the engine is internal/judge/check.
package version
