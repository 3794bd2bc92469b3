// Package walmove is what a move of the directory pg_wal would be, as it was found before it is made: from where to
// where, what there is to copy, and how long the server is down.
package walmove

import (
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
)

// Options bound a move of the WAL.
type Options struct {
	SameFilesystem bool // the new place may be on the filesystem that the WAL is on
}

// Plan is a move of the WAL that may be made, as it was found.
type Plan struct {
	Asked   string // as the user wrote it
	Options Options
	Here    bool // the WAL is there already: the rest is not filled in

	Label              string // of the instance
	From, To           string // folders, links resolved
	FromMount, ToMount host.Mount
	Size               unit.Extent
	Free, Need, MaxWAL unit.Bytes
	Running            bool
	Stop, Start        string // how, for people
	Notes              []string
}

// Downtime is between what and what the server will be down while its WAL is
// copied and compared, in seconds. Stopping and starting come to it.
func (f *Plan) Downtime() (least, most int64) {
	twice := 2 * unit.Bytes(f.Size.Bytes) // written, and read back
	return int64(twice / fastDisk), int64(twice/slowDisk) + 1
}

const (
	// slowDisk and fastDisk bound the time that a copy takes: what a disk with
	// spindles or a small volume in a cloud streams, and what a common SSD does.
	slowDisk = 100 * unit.MB
	fastDisk = 500 * unit.MB
)
