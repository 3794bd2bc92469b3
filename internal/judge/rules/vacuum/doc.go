// Package vacuum holds the rules of vacuum and autovacuum. One file a knob, with its cases in testdata next to it; the
// engine is internal/judge/rule.
package vacuum
