// Package sessions holds the rules of sessions and what they may do. One file a knob, with its cases in testdata next
// to it; the engine is internal/judge/rule.
package sessions
