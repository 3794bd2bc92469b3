package scratch

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
)

// Exec runs statements on a throwaway instance as its superuser, over one
// connection of their own.
func (i *Instance) Exec(ctx context.Context, statements ...string) error {
	c, err := pgconn.Connect(ctx, i.ConnString())
	if err != nil {
		return fmt.Errorf("connection to a throwaway instance: %w", err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	for _, s := range statements {
		if _, err := c.Exec(ctx, s).ReadAll(); err != nil {
			return fmt.Errorf("statement on a throwaway instance: %w", err)
		}
	}
	return nil
}
