package oomdemo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/oomresult"
)

// greedTimeout bounds the query where neither end comes: it takes half a second to one of the two, six seconds if
// nothing limits it, and a hundred times that on an emulated machine.
const greedTimeout = 5 * time.Minute

// greedy runs the query in a separate session and checks whether that session is alive. ready is called when that
// session exists, right before the query.
func greedy(ctx context.Context, conn string, ready func() error) (g oomresult.Greedy, err error) {
	ctx, cancel := context.WithTimeout(ctx, greedTimeout)
	defer cancel()
	c, err := pgconn.Connect(ctx, conn)
	if err != nil {
		return g, say.Err("the greedy session: {reason}", "reason", err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	g.PID = c.PID()
	if _, err := c.Exec(ctx, "set work_mem = '"+workMem+"'; set max_parallel_workers_per_gather = 0; select 1").ReadAll(); err != nil {
		return g, say.Err("the greedy session: {reason}", "reason", err)
	}
	if err := ready(); err != nil {
		return g, err
	}
	began := time.Now()
	_, err = c.Exec(ctx, query).ReadAll()
	g.Took = time.Since(began).Microseconds()
	if ctx.Err() != nil {
		return g, context.Cause(ctx)
	}
	var told *pgconn.PgError
	switch {
	case err == nil:
		g.Outcome = oomresult.Completed
	case errors.As(err, &told) && told.Code == outOfMemory:
		g.Outcome = oomresult.Refused
	case c.IsClosed() && !errors.As(err, &told):
		g.Outcome = oomresult.Killed // until the server's log says otherwise
	default:
		g.Outcome = oomresult.Failed
	}
	if told != nil {
		g.SQLState, g.Message, g.Detail = told.Code, told.Severity+": "+told.Message, told.Detail
	} else if err != nil {
		g.Message = err.Error()
	}
	if !c.IsClosed() {
		r, err := c.Exec(ctx, "select pg_backend_pid()").ReadAll()
		g.Alive = err == nil && len(r) == 1 && len(r[0].Rows) == 1 && string(r[0].Rows[0][0]) == fmt.Sprint(g.PID)
	}
	return g, nil
}
