// Package logging holds the rules of what the server logs and counts. One file a knob, with its cases in testdata next
// to it; the engine is internal/judge/rule.
package logging
