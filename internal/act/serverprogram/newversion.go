package serverprogram

import (
	"context"
	"errors"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// NewVersion is the installed program of a major version that an instance could be upgraded to. It is run on a
// throwaway cluster as initdb makes it, as an unprivileged account: nothing of the instance is touched.
type NewVersion struct {
	Binaries scratch.Binaries
	shadows  map[string]*scratch.Shadow // by the size of WAL segments
}

// FindNewVersion looks for the programs of a major version on this host. The error is that there are none.
func FindNewVersion(ctx context.Context, t target.Target, major int) (*NewVersion, error) {
	if l, ok := t.(*target.Local); !ok || l.Root != "" && l.Root != "/" {
		return nil, ofProgram(say.Err("no programs are run on this target"))
	}
	for _, b := range scratch.Find(ctx) {
		if b.Version.Major() == major {
			return &NewVersion{Binaries: b, shadows: map[string]*scratch.Shadow{}}, nil
		}
	}
	return nil, say.Err("server binaries: none of PostgreSQL {major} found", "major", strconv.Itoa(major))
}

// NewVersionIn is the program of a directory, whose version is known; unfinished is how it calls it if it is no
// release.
func NewVersionIn(t target.Target, dir string, version unit.Version, unfinished string) (*NewVersion, error) {
	if l, ok := t.(*target.Local); !ok || l.Root != "" && l.Root != "/" {
		return nil, ofProgram(say.Err("no programs are run on this target"))
	}
	return &NewVersion{Binaries: scratch.Binaries{Dir: dir, Version: version, Unfinished: unfinished},
		shadows: map[string]*scratch.Shadow{}}, nil
}

// shadow is that of a new cluster with the WAL segments of an instance.
func (n *NewVersion) shadow(ctx context.Context, in *snapshot.Instance) (*scratch.Shadow, string, error) {
	set, _ := in.Server.Settings.Get()
	segment := set["wal_segment_size"].Value
	if s, ok := n.shadows[segment]; ok {
		return s, segment, nil
	}
	s, err := ofNewCluster(ctx, n.Binaries, segment)
	if err == nil {
		n.shadows[segment] = s
	}
	return s, segment, err
}

// Answer says how much shared memory the program would want for the settings of an instance, which are those of the
// new version, and what a question has in their place.
func (n *NewVersion) Answer(ctx context.Context, in *snapshot.Instance,
	q snapshot.ShmemQuestion) (snapshot.ShmemAnswer, error) {
	none := snapshot.ShmemAnswer{Question: q}
	set, _ := in.Server.Settings.Get()
	conf, err := sharedConf(set, q)
	if err != nil {
		return none, err
	}
	s, _, err := n.shadow(ctx, in)
	if err != nil {
		return none, err
	}
	a, err := s.Ask(ctx, conf)
	return snapshot.ShmemAnswer{Question: q, Bytes: a.Bytes, Pages: a.Pages, Method: a.Method}, err
}

// Try asks the program whether it would start with a whole configuration, values as a file has them.
func (n *NewVersion) Try(ctx context.Context, in *snapshot.Instance, settings map[string]string) (scratch.Tried,
	error) {
	s, segment, err := n.shadow(ctx, in)
	if err != nil {
		return scratch.Tried{}, err
	}
	if segment != "" {
		settings["wal_segment_size"] = segment
	}
	return s.Try(ctx, settings)
}

// Close takes away what was made.
func (n *NewVersion) Close() (err error) {
	for _, s := range n.shadows {
		err = errors.Join(err, s.Remove())
	}
	return err
}

// ofNewCluster makes the shadow of a throwaway cluster.
func ofNewCluster(ctx context.Context, b scratch.Binaries, segment string) (*scratch.Shadow, error) {
	var o scratch.Options
	size := int64(16 * unit.MB) // initdb's own
	if n, err := strconv.ParseInt(segment, 10, 64); err == nil && n >= int64(unit.MB) {
		size = n
		o.InitDB = []string{"--wal-segsize=" + strconv.FormatInt(n/int64(unit.MB), 10)}
	}
	if s, err := scratch.NewBootstrapped(ctx, b, size); err == nil || ctx.Err() != nil {
		return s, err
	}
	// a build whose bootstrap is another one
	i, err := scratch.New(ctx, b, o)
	if err != nil {
		return nil, err
	}
	s, err := scratch.NewShadow(b, i.DataDir, i.Account)
	if e := i.Remove(); err == nil && e != nil {
		err = errors.Join(e, s.Remove())
	}
	return s, err
}
