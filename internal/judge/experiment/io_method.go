package experiment

import "github.com/pgfettle/pgfettle/internal/base/say"

// What both comparisons of I/O methods share. The files are opened with O_DIRECT, because the question is about reads
// of the disk: data that are small enough to be loaded in minutes would be read from the page cache, where each method
// only copies.
const (
	ioDirect = "default+pg:debug_io_direct=data,"
	ioScale  = 20 // 250 MB, twice the shared_buffers of the default: each report reads the disk
)

var (
	ioDirectTold = say.M("Since 18, scans of whole tables and bitmap scans request pages ahead of their " +
		"use: sync reads them when they are requested, worker passes them to I/O processes, and with io_uring " +
		"the backend passes them to the kernel itself.")
	ioDirectCaution = say.M("The files are opened with O_DIRECT (debug_io_direct), so that all reads are of " +
		"the disk. A server in use reads through the page cache, where the difference is smaller. Index scans " +
		"do not read ahead in 18.")
)

var ioMethod = Exercise{
	Name:     "io-method",
	Title:    say.M("What io_method = io_uring brings on this disk"),
	Question: say.M("Do reports that read the disk run faster with io_uring than with I/O workers?"),
	A:        ioDirect + "io_method=worker",
	B:        ioDirect + "io_method=io_uring",
	Workload: "olap",
	Scale:    ioScale,
	Metric:   "tps",
	Duration: listRun,
	Warmup:   shortWarmup,
	Told:     ioDirectTold,
	Expect: say.M("Somewhat more where the disk is fast and the three I/O workers of the default " +
		"are too few, nothing where the disk is the limit; it can be slower where much is checksummed or " +
		"copied, because the backend then does alone what the workers did beside it."),
	Caution: ioDirectCaution,
}

var ioMethodSync = Exercise{
	Name:     "io-method-sync",
	Title:    say.M("What asynchronous reads bring on this disk"),
	Question: say.M("Do reports that read the disk run faster with I/O workers than with synchronous reads?"),
	A:        ioDirect + "io_method=sync",
	B:        ioDirect + "io_method=worker",
	Workload: "olap",
	Scale:    ioScale,
	Metric:   "tps",
	Duration: listRun,
	Warmup:   shortWarmup,
	Told:     ioDirectTold,
	Expect: say.M("More where a single read takes long and the disk takes many at once, as in the " +
		"cloud; little on a local disk that one reader can keep busy."),
	Caution: ioDirectCaution,
}
