// Package connections holds the checks of connection limits, servers that do not answer, and expensive sessions.
// One file per check; the engine is internal/judge/check.
package connections
