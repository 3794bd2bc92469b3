package machine

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// postmaster is a scratch server that runs.
type postmaster struct {
	server
	i *scratch.Instance
}

func newPostmaster(i *scratch.Instance) *postmaster {
	p := &postmaster{i: i}
	p.server = server{conninfo: i.ConnString(), major: i.Binaries.Version.Major(), pid: i.PID, alive: p.Alive}
	return p
}

// server is what is asked of a server that runs, one of ours or one that a person has named.
type server struct {
	conninfo string
	major    int
	pid      func() int   // of its postmaster; 0: it has ended
	alive    func() error // what it said last, if it has ended
}

func (p *postmaster) Conn() loadgen.Conn {
	return loadgen.Conn{Host: p.i.Socket, Port: p.i.Port, User: "postgres", DB: "postgres", Account: p.i.Account}
}

func (s *server) PID() int { return s.pid() }

func (p *postmaster) Close() error { return p.i.Close() }

// lastLog is what is looked through for the last words: a crash says them in a
// few lines.
const lastLog = 1 << 20

func (p *postmaster) Alive() error {
	if p.i.Running() {
		return nil
	}
	text, err := p.i.ReadLog(lastLog)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return errors.New(strings.Join(lines[max(0, len(lines)-4):], " | "))
}

// rows asks one question over a separate connection, so that no session of ours exists between questions.
func (s *server) rows(ctx context.Context, sql string) ([][]string, error) {
	return s.ask(ctx, s.conninfo, sql)
}

func (s *server) ask(ctx context.Context, conninfo, sql string) ([][]string, error) {
	c, err := pgconn.Connect(ctx, conninfo)
	if err != nil {
		return nil, errors.Join(say.Err("connection to the server that is measured: {reason}", "reason", err),
			s.alive())
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, say.Err("statement on the server that is measured: {reason}", "reason",
			errors.Join(err, s.alive()))
	}
	var out [][]string
	for _, r := range results {
		if r.Err != nil {
			return nil, say.Err("statement on the server that is measured: {reason}", "reason", r.Err)
		}
		for _, row := range r.Rows {
			line := make([]string, len(row))
			for i, v := range row {
				line[i] = string(v)
			}
			out = append(out, line)
		}
	}
	return out, nil
}

// Prepare vacuums: pgbench does not (-n), so that it happens once and not in runs. Rows are frozen, so that no run has
// to set hint bits or meets a vacuum against wraparound.
func (p *postmaster) Prepare(ctx context.Context) error {
	if _, err := p.rows(ctx, "vacuum (freeze, analyze)"); err != nil {
		return err
	}
	var refused *pgconn.PgError
	if _, err := p.rows(ctx, "create extension if not exists pg_prewarm"); err != nil && !errors.As(err, &refused) {
		return err // one that is not installed is reported when it is needed
	}
	return nil
}

func (s *server) Settings(ctx context.Context) ([]Setting, error) { return s.settings(ctx, s.conninfo) }

// settings are those of a session with a connection string, which may set some itself.
func (s *server) settings(ctx context.Context, conninfo string) ([]Setting, error) {
	rows, err := s.ask(ctx, conninfo,
		"select name, setting, coalesce(unit, ''), vartype, source, pending_restart from pg_settings")
	if err != nil {
		return nil, err
	}
	var out []Setting
	for _, r := range rows {
		out = append(out, Setting{Name: r[0], Value: r[1], Unit: r[2], Kind: r[3], Source: r[4], Pending: r[5] == "t"})
	}
	return out, nil
}

// prewarmSQL fills shared buffers as a server that has run for long has them: with
// indexes before tables and small ones before large ones, up to nine tenths, which
// leaves room for catalogs and for what the load makes. The rest is read into the
// page cache. A server whose buffers stay empty because its data are a little larger
// than they are would be measured in a state that no server in operation is in.
const prewarmSQL = `with r as (
  select c.oid, c.relkind, pg_relation_size(c.oid) / current_setting('block_size')::bigint as pages
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'm', 'i', 't') and c.relfilenode <> 0 and c.relpersistence <> 't'
     and n.nspname not in ('pg_catalog', 'information_schema')),
s as (
  select oid, pages, coalesce(sum(pages) over (order by relkind = 'i' desc, pages, oid rows between unbounded ` +
	`preceding and 1 preceding), 0)::bigint as before
    from r where pages > 0),
f as (
  select oid, pages, greatest(0, least(pages, (select setting::bigint * 9 / 10 from pg_settings where name = ` +
	`'shared_buffers') - before)) as fit
    from s)
select sum(case when fit > 0 then pg_prewarm(oid::regclass, 'buffer', 'main', 0, fit - 1) else 0 end),
       sum(case when fit < pages then pg_prewarm(oid::regclass, 'read', 'main', fit, pages - 1) else 0 end)
  from f`

// Prewarm reads the tables and indexes of the load into shared buffers and the
// page cache.
func (p *postmaster) Prewarm(ctx context.Context) (say.Message, error) {
	rows, err := p.rows(ctx, `select count(*) from pg_extension where extname = 'pg_prewarm'`)
	if err != nil {
		return say.Message{}, err
	}
	if len(rows) != 1 || rows[0][0] == "0" {
		return say.M("pg_prewarm is not installed with this server: caches were warmed by the load alone"), nil
	}
	_, err = p.rows(ctx, prewarmSQL)
	return say.Message{}, err
}

// Checkpointed implements Node. It is read from pg_control, which takes nothing
// from a server under load.
func (p *postmaster) Checkpointed() (uint64, error) {
	const at, size = 32, 8 // of checkPoint in ControlFileData, the same in 13 to 18
	f, err := os.Open(p.i.DataDir + "/global/pg_control")
	if err != nil {
		return 0, err
	}
	var b [size]byte
	_, err = f.ReadAt(b[:], at)
	return binary.NativeEndian.Uint64(b[:]), errors.Join(err, f.Close())
}

func (s *server) DatabaseSize(ctx context.Context) (int64, error) {
	rows, err := s.rows(ctx, "select pg_database_size(current_database())")
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(rows[0][0], 10, 64)
}

const (
	// leaveTimeout bounds the wait for the sessions of a load that has ended: what
	// they did is counted when they are gone.
	leaveTimeout = 10 * time.Second
	leavePoll    = 10 * time.Millisecond
	// Up to 14 counts go by way of a collector, which writes its file at most every
	// half second (PGSTAT_STAT_INTERVAL).
	collectorDelay = 600 * time.Millisecond
	// reportTimeout bounds the wait for a checkpoint to be counted, which is done a
	// moment after it was made.
	reportTimeout = 2 * time.Second
)

// counterSQL asks for what has been counted since the start: WAL bytes, full-page
// images (” where this version does not count them), blocks read, hit and
// written, bytes of temporary files, checkpoints, and whether a vacuum against
// wraparound is at work.
func counterSQL(major int) string {
	images, written, checkpoints := "''", "", ""
	if major >= 14 {
		images = "(select wal_fpi from pg_stat_wal)"
	}
	switch {
	case major >= 18: // operations of several blocks; bytes are counted beside them
		written = "(select sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0)) / 8192 from pg_stat_io where " +
			"object <> 'wal')"
	case major >= 16:
		written = "(select sum(coalesce(writes, 0) + coalesce(extends, 0)) from pg_stat_io)"
	default:
		written = "(select buffers_checkpoint + buffers_clean + buffers_backend from pg_stat_bgwriter)"
	}
	switch {
	case major >= 18:
		checkpoints = "(select num_done from pg_stat_checkpointer)"
	case major >= 17:
		checkpoints = "(select num_timed + num_requested from pg_stat_checkpointer)"
	default:
		checkpoints = "(select checkpoints_timed + checkpoints_req from pg_stat_bgwriter)"
	}
	return `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0'), ` + images + `, d.blks_read, d.blks_hit, ` +
		written + `, d.temp_bytes, ` + checkpoints + `,
       exists (select from pg_stat_activity where backend_type = 'autovacuum worker' and query like '%to prevent ` +
		`wraparound%')
  from pg_stat_database d where d.datname = current_database()`
}

func (s *server) Counters(ctx context.Context) (Counters, error) {
	if err := s.left(ctx); err != nil {
		return Counters{}, err
	}
	if s.major < 15 {
		if err := wait(ctx, collectorDelay); err != nil {
			return Counters{}, err
		}
	}
	rows, err := s.rows(ctx, counterSQL(s.major))
	if err != nil {
		return Counters{}, err
	}
	if len(rows) != 1 || len(rows[0]) != 8 {
		return Counters{}, say.Err("counters of the server: {n} rows", "n", strconv.Itoa(len(rows)))
	}
	r := rows[0]
	c := Counters{Values: map[string]float64{}, Wraparound: r[7] == "t"}
	for i, name := range []string{experiment.WALBytes, experiment.FullPages, experiment.BlocksRead,
		experiment.BlocksHit, experiment.BlocksWrite, experiment.TempBytes} {
		if r[i] == "" {
			continue
		}
		if c.Values[name], err = unit.Figure(r[i]); err != nil {
			return Counters{}, say.Err("counter {name}: {reason}", "name", name, "reason", err)
		}
	}
	c.Checkpoints, err = strconv.Atoi(r[6])
	return c, err
}

// left waits until the sessions of the load are gone.
func (s *server) left(ctx context.Context) error {
	for end := time.Now().Add(leaveTimeout); ; {
		rows, err := s.rows(ctx,
			"select count(*) from pg_stat_activity where backend_type = 'client backend' and datname = "+
				"current_database() and pid <> pg_backend_pid()")
		if err != nil {
			return err
		}
		if rows[0][0] == "0" || time.Now().After(end) {
			return nil // sessions that stay are the load's own affair
		}
		if err := wait(ctx, leavePoll); err != nil {
			return err
		}
	}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Checkpoint runs one and returns how long it took. It returns when the server has counted it, so that it is not
// counted into what follows.
func (s *server) Checkpoint(ctx context.Context) (time.Duration, error) {
	before, err := s.Counters(ctx)
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	if _, err := s.rows(ctx, "checkpoint"); err != nil {
		return 0, err
	}
	took := time.Since(begun)
	for end := time.Now().Add(reportTimeout); time.Now().Before(end); {
		now, err := s.Counters(ctx)
		if err != nil {
			return took, err
		}
		if now.Checkpoints > before.Checkpoints {
			break
		}
		if err := wait(ctx, leavePoll); err != nil {
			return took, err
		}
	}
	return took, nil
}

// tick is the unit of CPU times in /proc: USER_HZ, 100 in every build of Linux
// that runs PostgreSQL.
const tick = 10 * time.Millisecond

// times are the CPU times of a process: its own, and of children that it has
// waited for.
func times(pid int) (own, children time.Duration, err error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, err
	}
	return parseTimes(string(b))
}

// parseTimes reads a /proc/PID/stat.
func parseTimes(text string) (own, children time.Duration, err error) {
	l, err := host.ParseStatLine([]byte(text))
	if err != nil || l.Len() < host.StatChildSystem {
		return 0, 0, say.Named("/proc/PID/stat", say.Err("fields are missing"))
	}
	var v [4]time.Duration
	for i := range v {
		field := host.StatUserTicks + i // user, system, and both of the children
		n, err := l.Number(field)
		if err != nil || n < 0 || n > 1<<53 {
			return 0, 0, say.Named("/proc/PID/stat", say.Err("{value} is no number of ticks",
				"value", say.Quoted(l.Field(field))))
		}
		v[i] = time.Duration(n) * tick
	}
	return v[0] + v[1], v[2] + v[3], nil
}

// children are the processes that a process started and that live. The kernel has
// the list ready (CONFIG_PROC_CHILDREN); else every process is asked for its parent.
func children(pid int) ([]int, error) {
	id := strconv.Itoa(pid)
	b, err := os.ReadFile("/proc/" + id + "/task/" + id + "/children")
	var out []int
	if err == nil {
		for w := range strings.FieldsSeq(string(b)) {
			if n, err := strconv.Atoi(w); err == nil {
				out = append(out, n)
			}
		}
		return out, nil
	}
	all, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	for _, d := range all {
		n, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + d.Name() + "/stat")
		if err != nil {
			continue // it has ended
		}
		if l, err := host.ParseStatLine(b); err == nil && l.Field(host.StatParent) == id {
			out = append(out, n)
		}
	}
	return out, nil
}

// tries bounds how often a server is asked again because one of its processes
// ended meanwhile: connections of a load come and go before it, not during it.
const tries = 4

// Cpu implements Node: the CPU time of the postmaster, of its children, and of
// those that have ended, which the postmaster has waited for.
func (s *server) CPU() (time.Duration, error) {
	pid := s.pid()
	if pid == 0 {
		return 0, say.Err("the server has ended: {reason}", "reason", s.alive())
	}
	for n := 1; ; n++ {
		_, before, err := times(pid)
		if err != nil {
			return 0, err
		}
		list, err := children(pid)
		if err != nil {
			return 0, err
		}
		var sum time.Duration
		for _, c := range list {
			own, waited, err := times(c)
			if err == nil {
				sum += own + waited
			}
		}
		own, after, err := times(pid)
		if err != nil {
			return 0, err
		}
		if after == before || n == tries {
			return sum + own + after, nil
		}
	}
}
