// Package memory holds the rules of memory: shared_buffers, work_mem and its like, connections, huge pages. One file a
// knob, with its cases in testdata next to it; the engine is internal/judge/rule.
package memory
