package app

import (
	"context"
	"errors"
	"path/filepath"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/oomdemo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
)

// OpenScratch inspects a server that this program itself runs, in its data directory: no account has to be trusted, and
// it has no history or probe.
func (h *Host) OpenScratch(ctx context.Context, dir string) (*Session, error) {
	tell, done := h.Steps()
	defer done()
	s := &Session{Request: Request{Target: dir}, Host: h}
	s.Collected = &collect.Request{Kind: collect.DataDir, Value: dir, Tool: h.Tool(), Progress: tell}
	var err error
	if s.Evidence, err = collect.Run(ctx, h.Target, *s.Collected); err != nil {
		return nil, err
	}
	return s, s.read()
}

// DemoRequest says which server programs a demo runs.
type DemoRequest struct {
	Major    int             // from 13 to 18; 0: the newest that is installed, else the newest there is
	Fetch    bool            // fetch them even if some are installed
	Fetching func(major int) // called before programs are fetched; may be nil
}

// DemoServer is a throwaway server that runs. Remove stops it and leaves nothing behind;
// it may be called twice.
type DemoServer struct {
	*scratch.Instance
	Programs string // what it runs, for people
}

// life is what the throwaway server is made to do, so that there is something
// to see: rows, an index, dead rows, a sort that does not fit in work_mem,
// checkpoints that were asked for.
var life = []string{
	"create table account (id int primary key, branch int, note text)",
	"insert into account select g, g % 1000, md5(g::text) from generate_series(1, 300000) g",
	"create index on account (branch)",
	"update account set note = note || '!' where branch < 200",
	"set work_mem = '64kB'; select count(*) from (select * from account order by note offset 0) s; reset work_mem",
	"checkpoint", "update account set branch = branch + 1 where id % 50 = 0", "checkpoint",
}

// StartDemo starts a throwaway server and gives it a little life.
func (h *Host) StartDemo(ctx context.Context, r DemoRequest) (_ *DemoServer, err error) {
	bin, err := h.demoBinaries(ctx, r)
	if err != nil {
		return nil, err
	}
	tell, done := h.Steps()
	defer done()
	tell("creating a throwaway server…")
	inst, err := scratch.New(ctx, bin, scratch.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, inst.Remove())
		}
	}()
	if err := inst.Start(ctx); err != nil {
		return nil, err
	}
	tell("creating some activity…")
	if err := inst.Exec(ctx, life...); err != nil {
		return nil, err
	}
	return &DemoServer{inst, bin.String()}, nil
}

// OOMDemoLimit is the memory of the cgroup of the exercise.
const OOMDemoLimit = oomdemo.Limit

// OOMDemo shows what one greedy query does to all sessions, without strict overcommit
// and with it. overcommit is oomresult.StandIn or oomresult.Real. The result is there
// with an error too, as far as it got.
func (h *Host) OOMDemo(ctx context.Context, r DemoRequest, overcommit string) (*oomresult.OOM, error) {
	dir := filepath.Dir(journalfile.Dir) // next to what else is kept across a crash
	if h.Target.UID() != 0 {
		state, ok := h.StateHome()
		if !ok {
			return nil,
				say.Usage(say.M("no state directory: HOME is not set"),
					say.M("Set HOME or XDG_STATE_HOME."))
		}
		dir = filepath.Join(state, "pgfettle")
	}
	tell, done := h.Steps()
	defer done()
	return oomdemo.RunOOM(ctx, oomdemo.Options{
		Binaries:   func(ctx context.Context) (scratch.Binaries, error) { return h.demoBinaries(ctx, r) },
		Overcommit: overcommit, Tell: tell, StateDir: filepath.Join(dir, "oomdemo"),
	})
}

// demoBinaries finds installed server programs, or fetches them.
func (h *Host) demoBinaries(ctx context.Context, r DemoRequest) (scratch.Binaries, error) {
	var best scratch.Binaries
	if !r.Fetch {
		for _, b := range scratch.Find(ctx) {
			if m := b.Version.Major(); m >= 13 && m <= 18 && (r.Major == 0 || m == r.Major) &&
				b.Version > best.Version {
				best = b
			}
		}
	}
	if best.Dir != "" {
		return best, nil
	}
	major := r.Major
	if major == 0 {
		major = 18
	}
	if r.Fetching != nil {
		r.Fetching(major)
	}
	tell, done := h.Steps()
	defer done()
	waiting := func() { tell(say.M("waiting for another process that downloads the programs").In(h.Words)) }
	return scratch.Fetch(ctx, major, scratch.FetchOptions{Waiting: waiting, Progress: func(got, all int64) {
		if all > 0 {
			tell(say.M("downloaded {size} of {total} ({share})", "size", unit.Bytes(got), "total", unit.Bytes(all),
				"share", say.Number(strconv.FormatInt(100*got/all, 10)+"%")).In(h.Words))
		} else {
			tell(say.M("downloaded {size}", "size", unit.Bytes(got)).In(h.Words))
		}
	}})
}
