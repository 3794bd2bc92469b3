// Package plan makes the document of what should change: the decisions of the rules
// minus what is present, in the order in which it has to be done, with effect, risk,
// reason, inputs, and sources, and the memory budget before and after. It applies nothing.
//
// # How a plan is made
//
// Make runs the rules (judge/rule), keeps each decision that differs from the present, and sorts the changes by phase:
// a pool of huge pages grows before the server that needs it restarts, and shrinks only after it; strict overcommit
// comes last. Plan.Snapshot names the hash of the snapshot that the plan depends on, and Plan.Asked what the user asked
// for: with both, apply can make the plan again and see whether it still holds.
//
// # Exact and estimated
//
// How much shared memory a server takes is best answered by its own binary. If no answer is in the snapshot, the plan
// depends on an estimate that is never below the truth, and Questions holds what to ask. act/planner asks, adds the
// answers, and makes the plan again.
//
// # What a plan leaves
//
// Simulate returns the snapshot that would be taken after the plan. Leaves runs the checks
// on it and lists what they still find, with the reason: accepted, pinned, unknown,
// another layer, or a matter for a person.
//
// # A plan in a file
//
// Decode reads what 'plan --format json' writes. The file is not trusted: everything that
// this program would not write is an error. Bind finds the instances that it names.
//
// # Promises
//
// promises_test.go draws random hosts and holds for each plan: every connection at work
// fits into memory, every value is legal for its server, planning the simulated result
// changes nothing, the same snapshot gives the same bytes, more memory never lowers
// shared_buffers, each change has a reason and a source, pins are obeyed, and durability
// is not weakened.
package plan
