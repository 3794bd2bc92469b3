package scratch

import (
	"context"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Exec runs statements on a throwaway instance as its superuser, over one separate connection.
func (i *Instance) Exec(ctx context.Context, statements ...string) error {
	c, err := pgconn.Connect(ctx, i.ConnString())
	if err != nil {
		return say.Err("connection to a throwaway instance: {reason}", "reason", err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	for _, s := range statements {
		if _, err := c.Exec(ctx, s).ReadAll(); err != nil {
			return say.Err("statement on a throwaway instance: {reason}", "reason", err)
		}
	}
	return nil
}
