// Package sizing shares the memory of a host out among the knobs of its instances: what the
// rules of shared_buffers, work_mem, max_connections, huge pages, workers, and overcommit
// ask together, so that their answers fit one another.
//
// It works on a rule.Case, that is, on what was decided so far. The order is explained in sizing.go: a nominal
// shared_buffers from the memory alone, then the connections that fit next to it, then as much of it as fits beside
// them (room.go), then work_mem from what is left (survive.go). Everything decided in steps is counted by its ceiling,
// so that a megabyte more of memory never takes from another knob (ceiling.go). After all is decided, planned.go
// reports where the memory goes before and after.
package sizing
