// Package queries holds the checks of what statistics and settings say of queries: spills, indexes, planner methods,
// deadlocks.
// One file a check; the engine is internal/judge/check.
package queries
