package engine

import (
	"context"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// world is what an experiment touches. Names are of the scratch directory: "master", "master.json". A process that dies
// leaves files and kernel values as they are, and no running server.
type world interface {
	// Claim makes the scratch directory where it does not exist, holds that it is one, and takes it for us alone.
	// Release gives it back, and removes it.
	Claim() error
	Release() error

	Read(name string) ([]byte, error) // fs.ErrNotExist if there is none
	Put(name string, b []byte) error  // whole and on disk, or as it was
	List() ([]string, error)          // files and directories, without what Claim made
	Remove(name string) error         // with all that is in it; none is no error
	Drop(folder string) error         // one of a load, elsewhere; none is no error

	InitDB(ctx context.Context, name string) error
	// Clone copies a cluster that does not run, cheaply where the filesystem can.
	Clone(ctx context.Context, from, to string, told func(done, all int64)) error
	System(name string) (uint64, error) // identifier of a cluster
	// Rest stops a server that still runs in a cluster, and reports whether its files are those of one that was stopped
	// in peace: where they are not, after a kill, the server is started for its recovery.
	Rest(ctx context.Context, name string) (bool, error)
	Size(name string) (unit.Bytes, error) // of the files of a cluster
	// Try asks the binary whether it would start with these settings on a cluster,
	// and for how much shared memory. It starts nothing.
	Try(ctx context.Context, name string, settings map[string]string) (complaints []string, shared unit.Bytes,
		err error)
	Start(ctx context.Context, name string, settings map[string]string) (machine.Node, error)

	Kernel(name string) (string, error)
	SetKernel(name, value string) error
	DropCaches() error
	// Compact moves pages of memory together, so that there is room for huge ones;
	// empty drops the page cache before.
	Compact(empty bool) error

	Memory() (host.Memory, error)
	Space() (free, total unit.Bytes, err error) // of the filesystem of the scratch directory
	Calibrate(ctx context.Context) (machine.Calibration, error)
	Pause(ctx context.Context, d time.Duration) error
	// Watch samples the host, and the page tables of one server, until the returned function is called, which returns
	// what was seen. If fault is called, the run cannot go on.
	Watch(n machine.Node, fault func(error)) (end func() machine.Seen)
	Now() time.Time
}
