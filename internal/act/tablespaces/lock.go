package tablespaces

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

// A program that is killed leaves its statement to the server, which completes it: a table may move after the journal
// was read. So each session that changes what an address names holds an advisory lock for it, which ends with the
// session, and each that looks sees whether another holds it.

// lockClass is the first key of these locks.
const lockClass = 0x7067_6674 // "pgft"

func lockKey(a knob.Address) (class, object string) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(a)) // never an error
	return strconv.Itoa(lockClass), strconv.FormatUint(uint64(h.Sum32()), 10)
}

// AtWork returns the process of another session that is changing what an address names; 0: none is.
func AtWork(ctx context.Context, s *pgctl.Session, a knob.Address) (pid int, err error) {
	class, object := lockKey(a)
	rows, err := s.Rows(ctx, `select pid::text from pg_locks where locktype = 'advisory' and classid = $1::oid
 and objid = $2::oid and objsubid = 2 and granted and pid <> pg_backend_pid() limit 1`, class, object)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return strconv.Atoi(rows[0][0])
}

const (
	// patience is how often the end of another session is waited for, for lockWait each time.
	patience    = 60
	lockWait    = "'5s'"
	lockTimeout = "55P03" // lock_not_available
)

// Hold takes an address for a session, after another one that is at work on it has ended. release gives it back.
func Hold(ctx context.Context, s *pgctl.Session, a knob.Address, tell func(string)) (release func(), err error) {
	class, object := lockKey(a)
	// From 14 on a server notices within a second that its client is gone, and ends what it does for it.
	if s.Version >= 140000 {
		if err := s.Exec(ctx, "SET client_connection_check_interval = '1s'"); err != nil {
			return nil, err
		}
	}
	if err := s.Exec(ctx, "SET lock_timeout = "+lockWait); err != nil {
		return nil, err
	}
	for try := 0; ; try++ {
		_, err := s.Rows(ctx, `select pg_advisory_lock($1::int4, ($2::int8 - case when $2::int8 > 2147483647
 then 4294967296 else 0 end)::int4)::text`, class, object)
		if err == nil {
			break
		}
		if pgctl.Code(err) != lockTimeout || try == patience {
			return nil, err
		}
		pid, err := AtWork(ctx, s, a)
		if err != nil {
			return nil, err
		}
		tell(fmt.Sprintf("%s: server process %d of an earlier pgfettle is still at work on it: waiting", a, pid))
	}
	return func() {
		// with the session it is given back too
		if _, err := s.Rows(ctx, `select pg_advisory_unlock_all()::text`); err != nil {
			tell(say.Named(a, err).Error())
		}
	}, nil
}
