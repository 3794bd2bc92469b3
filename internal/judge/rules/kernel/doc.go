// Package kernel holds the rules of the kernel's memory, writeback, and network. One file a knob, with its cases in
// testdata next to it; the engine is internal/judge/rule.
package kernel
