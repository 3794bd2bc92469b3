package pgclient

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// Major returns the major version of the server behind a connection. The error is
// a *say.Problem where it is none that the queries are written for.
func Major(conn *pgconn.PgConn) (int, error) {
	m := major(conn.ParameterStatus("server_version"))
	if m < oldest {
		return m, &say.Problem{Code: say.CodeError,
			Message: say.M("the server calls itself {value}, which is no PostgreSQL that pgfettle knows", "value",
				say.Quoted(plain(conn.ParameterStatus("server_version"), ""))),
			Hint: say.M("PostgreSQL {oldest} and later are read", "oldest", fmt.Sprint(oldest))}
	}
	return m, nil
}

// AskAgain sends the queries over an open connection in one round trip, each in its own transaction as in every
// collection: read only, with a timeout. The archive has the reason for a query that failed. The error means that the
// connection is unusable, or is the context's, and then nothing is returned.
func AskAgain(ctx context.Context, conn *pgconn.PgConn, key string, queries []pg.Query) (*evidence.Archive, error) {
	r := round{a: evidence.New(), key: key, timeout: statementTimeout, session: &Session{}}
	for len(queries) > 0 {
		var skipped []pg.Query
		for _, seg := range r.ask(ctx, conn, segments(queries)) {
			for _, q := range seg {
				q.Together = "" // asked together they were skipped for the first one's sake
				skipped = append(skipped, q)
			}
		}
		if r.lost != nil {
			return nil, &say.Problem{Code: say.CodeError, Message: say.Text(plain(reason(r.lost), "")),
				Hint: say.M(hintRunning)}
		}
		queries = skipped
	}
	return r.a, nil
}
