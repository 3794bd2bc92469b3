package sample

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
)

// Dial opens the connection that samples are asked over. The error is a
// *say.Problem or the context's.
func Dial(ctx context.Context, how pgclient.Connect) (Asker, error) {
	conn, err := pgclient.Open(ctx, how)
	if err != nil {
		return nil, err
	}
	return &pgAsker{conn}, nil
}

type pgAsker struct{ conn *pgconn.PgConn }

// Major implements Asker. 0 is an unknown version; it is asked as the oldest.
func (c *pgAsker) Major() int { return major(c.conn.ParameterStatus("server_version")) }

// Closed implements Asker.
func (c *pgAsker) Closed() bool { return c.conn.IsClosed() }

// Close implements Asker.
func (c *pgAsker) Close(ctx context.Context) { _ = c.conn.Close(ctx) }

// Ask implements Asker.
func (c *pgAsker) Ask(ctx context.Context, sql, timeout string) ([]string, error) {
	p := c.conn.StartPipeline(ctx)
	p.SendQueryParams(fmt.Sprintf(guard, timeout), nil, nil, nil, nil)
	p.SendQueryParams(sql, nil, nil, nil, nil)
	if err := p.Sync(); err != nil {
		_ = p.Close()
		return nil, plainly(err)
	}
	var out []string
	var first error
	for n := 0; ; {
		res, err := p.GetResults()
		if err != nil {
			if first == nil {
				first = err
			}
			if _, ok := errors.AsType[*pgconn.PgError](err); ok {
				continue // the sync comes after it
			}
			break
		}
		if _, end := res.(*pgconn.PipelineSync); end || res == nil {
			break
		}
		rows, ok := res.(*pgconn.ResultReader)
		if !ok {
			continue
		}
		for rows.NextRow() {
			if n == 1 && out == nil {
				for _, v := range rows.Values() {
					out = append(out, string(v))
				}
			}
		}
		if _, err := rows.Close(); err != nil && first == nil {
			first = err
		}
		n++
	}
	if err := p.Close(); err != nil && first == nil {
		first = err
	}
	return out, plainly(first)
}

// plainly words an error without addresses: what the server said, or that it said
// nothing.
func plainly(err error) error {
	switch pe, ok := errors.AsType[*pgconn.PgError](err); {
	case err == nil:
		return nil
	case ok:
		return errors.New(pe.Message)
	case pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded):
		return errors.New("no answer in time")
	}
	return errors.New("the connection was lost")
}

// major reads the parameter server_version: "17.11", "18beta1", "15.18 (Debian …)".
func major(version string) int {
	digits := strings.IndexFunc(version, func(r rune) bool { return r < '0' || r > '9' })
	if digits >= 0 {
		version = version[:digits]
	}
	n, _ := strconv.Atoi(version) // 0 asks as of the oldest
	return n
}
