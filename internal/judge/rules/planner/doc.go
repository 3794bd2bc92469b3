// Package planner holds the rules of the planner and of parallel workers.
// One file a knob, with its cases in testdata beside it; the engine is internal/judge/rule.
package planner
