// Package engine runs experiments: one configuration of PostgreSQL or two of them, on
// scratch instances that it makes and removes, under a load whose every run is measured
// and kept. It never touches a server that it did not make. What an experiment is, which
// blocks are discarded, and how the verdict is reached is judge/experiment.
//
// # The way of an experiment
//
// Run takes an Order: the experiment, the server's programs, and the load.
//
//  1. The scratch folder is claimed: it is empty or has our marker, and is in no data
//     directory of a known server (Guard). A lock keeps a second experiment out.
//  2. What an earlier one left behind is removed, and values of the kernel that it
//     changed are put back.
//  3. One cluster, the master, is made and loaded under settings of its own, vacuumed,
//     and measured. A master that an earlier experiment left (KeepData) with the same data
//     is used again.
//  4. Each configuration is tried with the server's program, and the memory of the
//     servers that run at once must be available.
//  5. Blocks follow, each two runs, until enough of them count; discarded ones are run
//     again, up to a third more.
//  6. Everything but the documents is removed, however the experiment ends.
//
// # One run
//
// The data of a run are a copy of the master (RestoreFresh), the copy that the
// configuration had before (RestoreKept), or the master itself (RestoreShared, for loads
// that only read). The server starts with the configuration, and pg_settings must show
// every value of it; its hash must be that of the runs before. Caches are filled as
// Spec.Cache says. The load warms up until its rate is flat. A calibration (fixed CPU
// work, fixed fsyncs) shows whether the machine is slower than usual, and is waited for if
// it is. Then a checkpoint is made, counters are read, the load runs while the host is
// watched, counters are read again, and the checkpoint after the run is timed: work that
// was only put off is seen there.
//
// In the design slices both servers are up for the whole block, and the load goes to one
// and to the other in short balanced turns (ABBA). A run of whole checkpoint cycles ends
// with the checkpoint that closes the last one.
//
// # What is kept
//
// The directory that the user chose has three documents. experiment.json is what was asked for, with a fingerprint over
// everything that makes runs comparable. runs.jsonl gets every run as it was measured, those of unfinished blocks too.
// result.json is the document, as a whole after each block. Resume goes on at the block after the last whole one, with
// the order and the seeds that it would have had, since both are computed from the number of the block; it refuses if
// the fingerprint differs.
//
// # After a crash
//
// Every value of the kernel is written down before it is changed (kernel.json in the scratch directory), and so is the
// directory of a load outside the scratch directory. The next experiment, or Clean, puts back and removes what they
// name, if it is still ours.
//
// # How it is tested
//
// Above the interface world is the order of things: blocks, calibrations, what is written down when. Below it are
// clusters, processes, and values of the kernel. The tests put a world in memory there, with its own clock, that may
// die before or after any step.
package engine
