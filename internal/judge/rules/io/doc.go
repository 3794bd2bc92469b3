// Package io holds the rules of reads, writes, and temporary files: concurrency, costs, tablespaces, and queues of
// devices. One file a knob, with its cases in testdata next to it; the engine is internal/judge/rule.
package io
