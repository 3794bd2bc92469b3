package pgctl

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// startRoom is what a server that stops and starts again writes beside WAL: lock
// files, statistics, caches of the catalogs, its first lines of log. A fresh one
// takes some 300 kB.
const startRoom = unit.MB

// restartRoom refuses a restart where the disk has no room for it: the server
// would stop, and then not start even with what it had before. The checkpoint of
// a shutdown may need one more segment of WAL.
func (p *Server) restartRoom(in *snapshot.Instance) error {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return nil
	}
	files, err := p.Files(dir)
	if err != nil {
		return err
	}
	segment := 16 * unit.MB // as initdb makes it if nothing else is said
	if set, ok := in.Server.Settings.Get(); ok {
		if b, ok := set.Bytes("wal_segment_size"); ok && b > 0 {
			segment = b
		}
	}
	for at, need := range map[string]unit.Bytes{dir: startRoom, path.Join(dir, "pg_wal"): startRoom + segment} {
		space, err := files.Statfs(at)
		if err != nil || unit.Bytes(space.Free) >= need {
			continue // what is closed to us is the owner's to know
		}
		cause := &pathFull{at, unit.Bytes(space.Free)}
		return &target.Unwritten{Problem: &say.Problem{Message: say.M("there is no room on disk to restart the "+
			"server of {label}", "label", in.Label()), Code: say.CodeError,
			Detail: say.M("{error}, and it needs up to {need} there", "error", cause, "need", need),
			Hint:   say.M("make room on that filesystem, then try again")}, Err: cause}
	}
	return nil
}

// pathFull is the error of a filesystem that has too little room.
type pathFull struct {
	path string
	free unit.Bytes
}

func (e *pathFull) Error() string { return fmt.Sprintf("%s has %s left", e.path, e.free) }
func (e *pathFull) Unwrap() error { return syscall.ENOSPC }

// needsRoom is restartRoom before anything is written, where the changes are for
// a restart.
func (p *Server) needsRoom(in *snapshot.Instance, changes []plan.Change) error {
	if !slices.ContainsFunc(changes, func(c plan.Change) bool { return c.Effect == knob.Restart }) {
		return nil
	}
	return p.restartRoom(in)
}

// noRoomToTry is the error of a scratch copy that found no room, which says nothing of the settings; nil if that is not
// what went wrong.
func noRoomToTry(err error, complaints []string) error {
	if !target.IsFull(err) {
		i := slices.IndexFunc(complaints, func(said string) bool {
			return strings.Contains(said, "No space left on device")
		})
		if err != nil || i < 0 {
			return nil
		}
		err = say.Named(complaints[i], syscall.ENOSPC)
	}
	var why []say.Message
	for line := range strings.SplitSeq(err.Error(), "\n") {
		why = append(why, gapwords.Of(line))
	}
	return &target.Unwritten{Problem: &say.Problem{Message: say.M("the settings cannot be tried on a scratch copy"),
		Detail: say.All("; ", why...), Code: say.CodeError,
		Hint: say.M("free space in {tempDir}, or name a directory on another filesystem with "+
			"TMPDIR; nothing was written",
			"tempDir", os.TempDir())}, Err: err}
}
