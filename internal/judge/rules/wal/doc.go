// Package wal holds the rules of WAL, checkpoints, and commits. One file a knob, with its cases in testdata next to it;
// the engine is internal/judge/rule.
package wal
