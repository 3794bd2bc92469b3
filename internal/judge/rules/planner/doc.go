// Package planner holds the rules of the planner and of parallel workers. One file a knob, with its cases in testdata
// next to it; the engine is internal/judge/rule.
package planner
