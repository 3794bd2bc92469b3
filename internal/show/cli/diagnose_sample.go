package cli

import (
	"context"
)

func runSlowSample(ctx context.Context, env *Env, o *slowOptions, args []string) error {
	return nil
}
