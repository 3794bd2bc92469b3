package pgclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// The time that all answers of one server may take together. A healthy server
// needs a hundredth of a second; deep queries go over every table and file.
const (
	answersWithin     = 20 * time.Second
	deepAnswersWithin = 3 * time.Minute
)

// guard is sent before each query, in the same transaction: nothing is written, no function of a hostile schema is
// called in place of a system one, and neither a lock nor a slow server is waited for. It holds for the transaction
// only, and leaves no trace in a connection that a pooler gives to others. set_config and not SET, for which the server
// would log a warning here.
const guard = `select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
 pg_catalog.set_config('transaction_read_only', 'on', true),
 pg_catalog.set_config('statement_timeout', '%s', true),
 pg_catalog.set_config('lock_timeout', '200ms', true),
 pg_catalog.set_config('idle_in_transaction_session_timeout', '10s', true),
 pg_catalog.set_config('datestyle', 'ISO', true)`

// Statement timeouts, for the ordinary queries, which take milliseconds, and
// for the deep ones.
const (
	statementTimeout     = "2s"
	deepStatementTimeout = "60s"
)

// oldest is the oldest major version whose catalogs the queries are written for.
const oldest = 13

// Ask sends all queries in one connection and one round trip (two of each before 15 where there are many tables), each
// query in its own transaction, and adds the answers to the archive. With deep it also visits the other databases, one
// connection after the other. A failed query is noted with the reason and what would reveal its answer. An error means
// that nothing was answered: a *say.Problem, or the context's.
func Ask(ctx context.Context, a *evidence.Archive, key string, how Connect, deep bool) (Session, error) {
	within, timeout := answersWithin, statementTimeout
	if deep {
		within, timeout = deepAnswersWithin, deepStatementTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	conn, cfg, err := how.connect(ctx)
	if err != nil {
		return Session{}, err
	}
	defer conn.Close(ctx)
	s := sessionOf(conn)
	if s.Major < oldest {
		return s, &say.Problem{Code: say.CodeError,
			Message: say.M("the server calls itself {value}, which is no PostgreSQL that pgfettle knows", "value",
				say.Quoted(plain(conn.ParameterStatus("server_version"), ""))),
			Hint: say.M("PostgreSQL {oldest} and later are read", "oldest", fmt.Sprint(oldest))}
	}
	// the settings are about 50 kB
	r := round{a: a, key: key, timeout: timeout, session: &s, w: answer{buf: make([]byte, 0, 64<<10)}}
	asked, left := only(how.Only, pg.Queries(s.Major, deep))
	asked = slices.DeleteFunc(asked, func(q pg.Query) bool {
		why, leave := how.Left[q.Name]
		if leave {
			a.AddMissing(evidence.Missing{Name: pg.Path(key, q.Name), State: known.Unread, Reason: why})
		}
		return leave
	})
	var each, once []pg.Query
	for _, q := range asked {
		if q.Each {
			each = append(each, q)
		} else {
			once = append(once, q)
		}
	}
	var skipped [][]pg.Query
	if all := segments(once); deep { // which wants the statistics of the tables too
		skipped = r.ask(ctx, conn, all)
	} else {
		skipped = r.everything(ctx, how, conn, cfg, all)
	}
	if len(skipped) > 0 {
		r.ask(ctx, conn, skipped)
	}
	for _, q := range left {
		a.AddMissing(evidence.Missing{Name: pg.Path(key, q.Name), State: known.Unread,
			Reason: "not asked, as only memory was looked at", Cause: string(pg.NotAsked)})
	}
	if deep {
		r.eachDatabase(ctx, conn, cfg, each)
	}
	for _, q := range pg.Unasked(s.Major, deep) {
		a.AddMissing(unasked(key, q, s.Major))
	}
	if waited(a, key) {
		askHolders(ctx, a, key, conn, cfg)
	}
	if r.answered == 0 && r.lost != nil {
		return s, &refused{&say.Problem{Code: say.CodeError, Message: say.M("the server answered none of the queries"),
			Detail: say.Text(plain(reason(r.lost), "")), Hint: say.M(hintRunning)}, CauseOf(r.lost)}
	}
	if access, ok := pg.ReadAccess(a, key).Get(); ok {
		s.BackendPID, s.BackendAt, s.PostmasterAt = access.PID, access.BackendAt, access.StartedAt
		s.Role, s.Database = access.Role, access.Database
	}
	s.PostmasterPID = postmasterHere(&target.Local{}, s) // now, as the backend ends with the connection
	return s, nil
}

// only parts the queries into those of the given names and the rest; no names
// mean all.
func only(names []string, all []pg.Query) (asked, left []pg.Query) {
	if names == nil {
		return all, nil
	}
	for _, q := range all {
		if slices.Contains(names, q.Name) {
			asked = append(asked, q)
		} else {
			left = append(left, q)
		}
	}
	return asked, left
}

// segments puts each query into its own transaction, save those that are best asked together.
func segments(queries []pg.Query) [][]pg.Query {
	var out [][]pg.Query
	at := map[string]int{}
	for _, q := range queries {
		if i, ok := at[q.Together]; ok && q.Together != "" {
			out[i] = append(out[i], q)
			continue
		}
		at[q.Together] = len(out)
		out = append(out, []pg.Query{q})
	}
	return out
}

// round is the asking of one server.
type round struct {
	a        *evidence.Archive
	key      string
	timeout  string // statement_timeout
	session  *Session
	w        answer
	answered int
	lost     error // why the connection is of no more use
}

// ask sends all segments at once and takes the answers. It returns the queries
// that were not run because one before them in their segment failed.
func (r *round) ask(ctx context.Context, conn *pgconn.PgConn, segments [][]pg.Query) (skipped [][]pg.Query) {
	p := conn.StartPipeline(ctx)
	first := fmt.Sprintf(guard, r.timeout)
	for _, seg := range segments {
		p.SendQueryParams(first, nil, nil, nil, nil)
		for _, q := range seg {
			p.SendQueryParams(q.SQL, nil, nil, nil, nil)
		}
		p.SendPipelineSync()
	}
	if r.lost == nil {
		r.lost = p.Flush()
	}
	for _, seg := range segments {
		for _, q := range r.read(p, seg) {
			skipped = append(skipped, []pg.Query{q})
		}
	}
	if err := p.Close(); r.lost == nil {
		r.lost = err
	}
	return skipped
}

// read takes the answers of one segment off the pipeline and returns the
// queries that the server skipped.
func (r *round) read(p *pgconn.Pipeline, seg []pg.Query) []pg.Query {
	at := -1 // the guard
	var failed error
	for r.lost == nil {
		res, err := p.GetResults()
		var pe *pgconn.PgError
		if errors.As(err, &pe) {
			failed = err
			continue
		}
		if err != nil {
			r.lost = err
			break
		}
		if _, end := res.(*pgconn.PipelineSync); end {
			break
		}
		rows, ok := res.(*pgconn.ResultReader)
		switch {
		case !ok || at >= len(seg):
			r.lost = errors.New("the answers do not fit the questions")
		case at < 0:
			_, failed = rows.Close()
		default:
			failed = r.result(rows, seg[at])
		}
		if failed == nil {
			at++
		}
	}
	if r.lost != nil && failed != nil {
		r.lost = failed // what the server said before it hung up
	}
	if r.lost == nil && failed == nil && at < len(seg) {
		r.lost = errors.New("an answer is missing")
	}
	switch {
	case r.lost != nil:
		return r.miss(seg[max(at, 0):], r.lost)
	case at < 0:
		return r.miss(seg, failed)
	case at == len(seg):
		return nil
	}
	r.miss(seg[at:at+1], failed)
	return seg[at+1:]
}

// miss notes queries that failed for one reason.
func (r *round) miss(seg []pg.Query, err error) []pg.Query {
	for _, q := range seg {
		r.a.AddMissing(failedQuery(pg.Path(r.key, q.Name), q, err))
	}
	return nil
}

// result adds the answer of one query to the archive.
func (r *round) result(rows *pgconn.ResultReader, q pg.Query) error {
	fields := rows.FieldDescriptions()
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	r.w.columns(names)
	tooLarge := false
	for rows.NextRow() {
		if len(r.w.buf) > evidence.MaxEntry {
			tooLarge = true
			continue // the rest is read and forgotten
		}
		r.session.notice(q.Name, rows.Values())
		r.w.row(rows.Values())
	}
	if _, err := rows.Close(); err != nil {
		return err
	}
	if tooLarge {
		r.a.AddMissing(evidence.Missing{Name: pg.Path(r.key, q.Name),
			Reason: fmt.Sprintf("the answer is larger than %d MB", evidence.MaxEntry>>20)})
		return nil
	}
	if err := r.a.Add(pg.Path(r.key, q.Name), r.w.bytes()); err != nil {
		r.a.AddMissing(evidence.Missing{Name: pg.Path(r.key, q.Name), Reason: err.Error()})
		return nil
	}
	r.answered++
	return nil
}

// failedQuery notes a query that failed.
func failedQuery(name string, q pg.Query, err error) evidence.Missing {
	m := evidence.Missing{Name: name, State: known.Unread, Reason: plain(reason(err), ""), Cause: string(CauseOf(err))}
	switch m.Cause {
	case "42501":
		m.State, m.Reveal = known.Forbidden, q.Reveal
		if m.Reveal == "" { // a right that any role has, unless it was revoked
			m.Reveal = "connect as a superuser"
		}
	case "42P01", "42883", "42703": // no such table, function or column
		m.State = known.Absent
	case "57014": // statement_timeout
		m.Reveal = "try again when the server is less busy"
	}
	return m
}

// unasked notes a query that this server was not asked.
func unasked(key string, q pg.Query, major int) evidence.Missing {
	m := evidence.Missing{Name: pg.Path(key, q.Name), State: known.Unread, Reason: "asked for only with --deep",
		Reveal: "--deep", Cause: string(pg.NotAsked)}
	if q.MinMajor > major {
		m.State, m.Reason, m.Reveal, m.Cause = known.Absent, fmt.Sprintf("PostgreSQL %d does not have it; %d does",
			major, q.MinMajor), "", ""
	}
	return m
}

// reason returns the server's message, or what happened to the connection.
func reason(err error) string {
	var pe *pgconn.PgError
	switch {
	case errors.As(err, &pe):
		return pe.Message
	case pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded):
		return "the server did not answer in time"
	}
	return "the connection was lost: " + innermost(err).Error()
}

// major reads the parameter server_version: "17.11", "18beta1", "15.18 (Debian …)".
func major(version string) int {
	digits := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		version = version[:digits]
	}
	n, err := strconv.Atoi(version)
	if err != nil {
		return 0
	}
	return n
}

// MemoryQuestions are what a server is asked if only its memory is of interest: a host that is running out of it must
// not be asked for more than needed.
var MemoryQuestions = []string{"access", "settings", "shmem", "activity", "sessions", "databases"}
