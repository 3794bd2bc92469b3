// Package memory holds the checks of memory that is promised more than once, and memory that is short.
// One file a check; the engine is internal/judge/check.
package memory
