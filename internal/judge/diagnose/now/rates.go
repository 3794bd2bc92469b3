package now

import (
	"cmp"
	"slices"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// rates adds the counters of the server. Their rates are reported if the previous sample was of the same server and
// nothing was reset since.
func (r *Report) rates(in Input) {
	s, b := in.Server, in.ServerBefore
	secs := 0.0
	if b != nil {
		p, ok := s.Position.Get()
		q, before := b.Position.Get()
		if ok && before && p.StartedAt == q.StartedAt && p.Now > q.Now {
			secs = p.Now - q.Now // by the server's clock, which is nearer to the counters than ours
		}
	}
	r.Seconds = secs
	c, ok := s.Checkpoints.Get()
	if !ok {
		r.gap(GapCheckpoints, s.Checkpoints.Gap())
	} else {
		r.checkpoints(in, c, secs)
	}
	list, ok := s.Databases.Get()
	if !ok {
		r.gap(GapDatabases, s.Databases.Gap())
		return
	}
	before := map[string]pg.Database{}
	if b != nil && secs > 0 {
		old, _ := b.Databases.Get()
		for _, d := range old {
			before[d.Name] = d
		}
	}
	for _, d := range list {
		if !d.AllowConn && d.Backends == 0 { // template0
			continue
		}
		r.Databases = append(r.Databases, database(d, before, secs))
	}
	slices.SortStableFunc(r.Databases, func(a, b Database) int {
		return cmp.Or(cmp.Compare(zeroUnless(b.Xacts.Rate), zeroUnless(a.Xacts.Rate)),
			cmp.Compare(b.Xacts.Total, a.Xacts.Total), cmp.Compare(a.Name, b.Name))
	})
}

// counts makes a counter of two looks. One that went down was reset.
func counts(now, before int64, there bool, secs float64) Count {
	c := Count{Total: now}
	if there && secs > 0 && now >= before {
		rate := float64(now-before) / secs
		c.Rate = &rate
	}
	return c
}

// sameSince reports whether nothing was reset between two looks. Before 15 a database has no time of its reset until
// something is counted of it.
func sameSince(before, now int64) bool { return before == 0 || before == now }

func database(d pg.Database, before map[string]pg.Database, secs float64) Database {
	o, there := before[d.Name]
	there = there && sameSince(o.StatsReset, d.StatsReset)
	out := Database{Name: d.Name, Connections: d.Backends, TempFiles: d.TempFiles, Deadlocks: d.Deadlocks,
		Xacts:     counts(d.Commits+d.Rollbacks, o.Commits+o.Rollbacks, there, secs),
		Rollbacks: counts(d.Rollbacks, o.Rollbacks, there, secs),
		Reads:     counts(d.BlocksRead, o.BlocksRead, there, secs),
		Temp:      counts(int64(d.TempBytes), int64(o.TempBytes), there, secs),
		HitAll:    hits(d.BlocksHit, d.BlocksRead),
	}
	if there && d.BlocksHit >= o.BlocksHit && d.BlocksRead >= o.BlocksRead {
		out.HitNow = hits(d.BlocksHit-o.BlocksHit, d.BlocksRead-o.BlocksRead)
	}
	return out
}

// hits is the percentage of blocks that were found in shared_buffers; nil if none was asked for.
func hits(hit, read int64) *float64 {
	if hit < 0 || read < 0 || hit+read <= 0 {
		return nil
	}
	v := 100 * float64(hit) / float64(hit+read)
	return &v
}

func (r *Report) checkpoints(in Input, c pg.Checkpoints, secs float64) {
	var o pg.Checkpoints
	var calls known.Fact[[]pg.IO]
	there := false
	if in.ServerBefore != nil {
		o, there = in.ServerBefore.Checkpoints.Get()
		there = there && sameSince(o.StatsReset, c.StatsReset)
		calls = in.ServerBefore.IO
	}
	of := func(now, before int64) Count { return counts(now, before, there, secs) }
	out := &Checkpoints{Timed: of(c.Timed, o.Timed), Requested: of(c.Requested, o.Requested), Since: c.Secs,
		WriteMS: c.WriteTime, SyncMS: c.SyncTime,
		Checkpointer: of(c.BuffersWritten, o.BuffersWritten), Background: of(c.BuffersClean, o.BuffersClean),
		Allocated: of(c.BuffersAlloc, o.BuffersAlloc), MaxWritten: of(c.MaxWritten, o.MaxWritten)}
	optional := func(now, before known.Fact[int64]) *Count {
		v, ok := now.Get()
		if !ok {
			return nil
		}
		old, _ := before.Get()
		n := of(v, old)
		return &n
	}
	out.Backends, out.BackendSyncs = optional(c.BuffersBackend, o.BuffersBackend),
		optional(c.BackendFsync, o.BackendFsync)
	if io, ok := in.Server.IO.Get(); ok && out.Backends == nil {
		old, had := calls.Get()
		n := counts(backendWrites(io), backendWrites(old), had, secs)
		out.BackendCalls = &n
	}
	if p, ok := in.Server.Position.Get(); ok {
		age := max(p.Now-float64(p.CheckpointAt), 0)
		out.LastAge = &age
		if lsn, ok := p.LSN.Get(); ok {
			n := Count{Total: int64(lsn)}
			if in.ServerBefore != nil {
				b, _ := in.ServerBefore.Position.Get()
				old, had := b.LSN.Get()
				n = counts(int64(lsn), int64(old), had, secs)
			}
			out.WAL = &n
		}
	}
	r.Checkpoints = out
}

// backendWrites adds up the writes to relations of all but those whose work it is.
func backendWrites(io []pg.IO) int64 {
	n := int64(0)
	for _, e := range io {
		if e.Object != "wal" && e.Backend != "checkpointer" && e.Backend != "background writer" {
			n += e.Writes
		}
	}
	return n
}
