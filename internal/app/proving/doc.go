// Package proving is the use case of an experiment: what prove and bench are asked for becomes an order with its
// workload, its configurations and its directory, is estimated, and is run, resumed or cleaned by act/experiment.
package proving
