package serverprogram

import (
	"context"
	"errors"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// TryConfiguration asks the binary that is installed for an instance whether it
// would start with a whole configuration, values as a file has them. As with
// AskSharedMemory nothing of the instance is touched and nothing stays behind.
func TryConfiguration(ctx context.Context, t target.Target, in *snapshot.Instance,
	settings map[string]string) (scratch.Tried, error) {
	if l, ok := t.(*target.Local); !ok || l.Root != "" && l.Root != "/" {
		return scratch.Tried{}, ofProgram(say.Err("no programs are run on this target"))
	}
	if err := sameRoot(t, in); err != nil {
		return scratch.Tried{}, err
	}
	v, ok := in.Server.Version.Get()
	if !ok {
		return scratch.Tried{}, say.Err("version of the server: {reason}",
			"reason", gapwords.Arg(in.Server.Version.Gap().Reason))
	}
	acc, err := accountOf(t, in)
	if err != nil {
		return scratch.Tried{}, err
	}
	b, err := binariesOf(ctx, in, v, acc)
	if err != nil {
		return scratch.Tried{}, err
	}
	s, err := shadowOf(ctx, in, b, acc, settings["wal_segment_size"])
	if err != nil {
		return scratch.Tried{}, err
	}
	tried, err := s.Try(ctx, settings)
	return tried, errors.Join(err, s.Remove())
}
