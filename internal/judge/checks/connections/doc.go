// Package connections holds the checks of servers that are short of connections, that do not answer, and sessions that
// cost more than they give.
// One file a check; the engine is internal/judge/check.
package connections
