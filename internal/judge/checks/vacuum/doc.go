// Package vacuum holds the checks of autovacuum, transaction ID wraparound, bloat, and what holds the oldest snapshot
// back.
// One file a check; the engine is internal/judge/check.
package vacuum
