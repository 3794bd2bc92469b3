package oomdemo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
)

const (
	accounts = 1000 // rows; each session takes them at random, so that they seldom wait for one another
	// think is the time between two transactions of a session: the load shall be
	// seen to run, not fill a host that others use.
	think = 2 * time.Millisecond
	// knock is how often a session that was lost tries to come back; a recovery
	// takes 50 to 300 ms here.
	knock = 5 * time.Millisecond
	// backTimeout bounds the wait for that, on a busy or an emulated machine.
	backTimeout = 2 * time.Minute
)

// schema is what the transactions need.
var schema = []string{
	"create table account (id int primary key, balance bigint not null)",
	"create table history (account int, amount int, at timestamptz)",
	fmt.Sprintf("insert into account select g, 0 from generate_series(1, %d) g", accounts),
}

// load is a number of sessions at work.
type load struct {
	conn string
	quit chan struct{}
	wg   sync.WaitGroup
	stop context.CancelFunc // of the witness

	mu       sync.Mutex
	sessions []*session
	sum      oomresult.Load
	last     time.Time // of all commits
	lostAt   time.Time // the first time
	backAt   time.Time // the first commit of a session that had been lost
	pause    time.Duration
}

// session is one of them.
type session struct {
	conn   *pgconn.PgConn
	pid    uint32
	lost   bool      // at least once
	absent bool      // now
	last   time.Time // of its commits
}

// begin opens the connections and sets them to work.
func begin(ctx context.Context, conn string, n int) (*load, error) {
	l := &load{conn: conn, quit: make(chan struct{})}
	for range n {
		s := &session{}
		if err := l.dial(ctx, s); err != nil {
			l.end(ctx)
			return nil, say.Err("session of the load: {reason}", "reason", err)
		}
		l.sessions = append(l.sessions, s)
	}
	if err := l.witness(ctx); err != nil {
		l.end(ctx)
		return nil, say.Err("session of the load: {reason}", "reason", err)
	}
	l.last = time.Now()
	for _, s := range l.sessions {
		l.wg.Go(func() { l.work(ctx, s) })
	}
	return l, nil
}

// witness opens one more connection, which only waits for what the server says.
// A session that was between two transactions when its server process ended finds
// out by writing, which fails before it has read the server's last word.
func (l *load) witness(ctx context.Context) error {
	s := &session{}
	if err := l.dial(ctx, s); err != nil {
		return err
	}
	ctx, l.stop = context.WithCancel(ctx)
	l.wg.Go(func() {
		_, _ = s.conn.Exec(ctx, "select pg_sleep(86400)").ReadAll()
		_ = s.conn.Close(ctx)
	})
	return nil
}

// dial connects a session.
func (l *load) dial(ctx context.Context, s *session) error {
	c, err := pgconn.ParseConfig(l.conn)
	if err != nil {
		return err
	}
	c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		if n.Code == crashShutdown {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.sum.Said = n.Severity + ": " + n.Message
		}
	}
	conn, err := pgconn.ConnectConfig(ctx, c)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	s.conn, s.pid = conn, conn.PID()
	return nil
}

// SQLSTATEs, from PostgreSQL's appendix of error codes.
const (
	crashShutdown = "57P02"
	outOfMemory   = "53200"
)

// work does transactions until the load ends.
func (l *load) work(ctx context.Context, s *session) {
	for ctx.Err() == nil {
		select {
		case <-l.quit:
			return
		case <-time.After(think):
		}
		id := 1 + rand.IntN(accounts)
		_, err := s.conn.Exec(ctx, fmt.Sprintf("begin; update account set balance = balance + 1 where id = %d; "+
			"insert into history values (%d, 1, now()); commit", id, id)).ReadAll()
		switch {
		case err == nil:
			l.committed(s)
		case ctx.Err() != nil:
			return
		case !s.conn.IsClosed():
			l.refused()
			// should it fail, so does the next transaction, and is counted
			_, _ = s.conn.Exec(ctx, "rollback").ReadAll()
		default:
			l.gone(s)
			if !l.again(ctx, s) {
				return
			}
		}
	}
}

func (l *load) committed(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.sum.Transactions++
	l.pause = max(l.pause, now.Sub(l.last))
	l.last, s.last = now, now
	if s.absent {
		s.absent = false
		if l.backAt.IsZero() {
			l.backAt = now
		}
	}
}

func (l *load) refused() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sum.Refused++
}

func (l *load) gone(s *session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lostAt.IsZero() {
		l.lostAt = time.Now()
	}
	if !s.lost {
		l.sum.Lost++
	}
	s.lost, s.absent = true, true
}

// again reconnects a session, as often as it takes.
func (l *load) again(ctx context.Context, s *session) bool {
	for l.dial(ctx, s) != nil {
		select {
		case <-ctx.Done():
			return false
		case <-l.quit:
			return false
		case <-time.After(knock):
		}
	}
	return true
}

// back waits until every session has committed after a moment: one that has lost
// its connection and does not know yet is not taken for one that works.
func (l *load) back(ctx context.Context, since time.Time) error {
	for end := time.Now().Add(backTimeout); ; {
		l.mu.Lock()
		waiting := 0
		for _, s := range l.sessions {
			if !s.last.After(since) {
				waiting++
			}
		}
		l.mu.Unlock()
		if waiting == 0 {
			return nil
		}
		if time.Now().After(end) {
			return say.Err("{n} sessions could not work for two minutes", "n", strconv.Itoa(waiting))
		}
		if err := wait(ctx, knock); err != nil {
			return err
		}
	}
}

// pid is the process of one of the sessions.
func (l *load) pid() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return int(l.sessions[0].pid)
}

// soFar is the number of transactions.
func (l *load) soFar() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sum.Transactions
}

// end stops the load and returns what it went through.
func (l *load) end(ctx context.Context) oomresult.Load {
	close(l.quit)
	if l.stop != nil {
		l.stop()
	}
	l.wg.Wait()
	for _, s := range l.sessions {
		if !s.conn.IsClosed() {
			_ = s.conn.Close(ctx)
		}
	}
	l.sum.Pause = l.pause.Microseconds()
	if !l.backAt.IsZero() {
		l.sum.Down = l.backAt.Sub(l.lostAt).Microseconds()
	}
	return l.sum
}

// wait sleeps, or returns why the context ended.
func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
