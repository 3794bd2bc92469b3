// Package queries holds the checks of query statistics and planner settings: spills, indexes, planner methods,
// deadlocks.
// One file per check; the engine is internal/judge/check.
package queries
