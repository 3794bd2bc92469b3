// Package experiment says what an experiment is and what its runs mean. It is
// pure: configurations as they are typed become values, and measured runs become
// a verdict. What runs them is act/experiment/engine.
//
// # Configurations
//
// An experiment compares two configurations of a server: A, the baseline, and B,
// the candidate. ParseConfiguration reads what a person typed, such as
// "plan:oltp+pg:work_mem=64MB": a base and settings on top of it. NewConfiguration
// puts both together, and OmitUnsupported takes out what a scratch instance cannot
// have (its own paths, a primary, libraries that are not installed) and names each.
// Differences compares two of them as a server of a major version would have them:
// a value that is spelled differently and means the same is no difference.
//
// # Blocks and their order
//
// The unit is the block: two runs close in time, one of each configuration. A
// block gives one number, ln(B/A) of the metric that was declared before the first
// run. What changes slowly on the machine is in both runs and cancels out. The order
// of each block, AB or BA, is drawn from the seed, with at least two of each among
// eight (Orders). Runs within a block are never counted as more than one observation,
// and neither are the seconds of a run.
//
// Three designs (Result.Design): DesignRestart restarts the server for each run; DesignSlices has both servers up and
// sends the load to one and the other in short balanced slices; DesignSingle measures one configuration and compares
// nothing.
//
// # Discarded blocks
//
// What disturbs a machine without regard to the configuration is noise: it widens the
// interval and biases nothing. So a block counts however busy the machine was. It is
// discarded only if its two runs were disturbed differently, and much more so than
// those of the other blocks: in CPU time that the hypervisor and other programs took,
// or in fixed work before each run (CPU, memory, fsyncs). A difference as large as the
// other blocks have is noise. These rules are fixed before the first run. They see
// neither which configuration a run had nor what it measured, so discarding cannot
// favor one of them. Where more than a third of the blocks would be discarded, all of
// them count, and the verdict says that the machine was busy.
//
// A block is broken, and never counts, if transactions failed, the clock was set, a
// vacuum against wraparound was at work, or its runs had different numbers of
// checkpoints. Discarded blocks are run again, up to a third more, and stay in the
// document.
//
// # Statistics and verdict
//
// Package stat turns the log ratios of the remaining blocks into the verdict: their
// mean with a 95% confidence interval by Student's t, and the exact permutation test
// over all ways to exchange A and B within blocks. Both must agree before a difference
// is claimed. The verdict is IMPROVED or REGRESSED (a difference), EQUIVALENT (the 90%
// interval is within the margin), or INCONCLUSIVE, which states the smallest difference
// that the experiment would have found in four of five cases, and what more blocks
// would find (Offer). Fewer than six blocks are INDICATIVE only. UNSUITABLE is an
// experiment without a single block to compare. An experiment may be judged several
// times, while it runs or after blocks were added, at a level that is corrected for
// all of these looks (Spec.Level). All other metrics are exploratory; their probabilities are
// adjusted for their number (Holm).
//
// # The document
//
// Result is the document: every run as it was measured, the statistics, and the
// verdict. It is judged again from its runs whenever it is read (DecodeResult), so
// a document cannot claim what its runs do not say.
//
// # Exercises
//
// Exercises are the experiments that have a name: what courses let everybody do once,
// with the question, what is usually taught, and the caution that belongs to it.
package experiment
