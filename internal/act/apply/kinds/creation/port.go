package creation

import (
	"context"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/act/provision"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

var _ apply.Guard = cluster{}

// Allowed implements apply.Guard: the port that was free when the plan was made may be another's by now. It is asked
// with the lock of the host held, before initdb. Who takes it after that makes the start of the server fail.
func (c cluster) Allowed(_ context.Context, k apply.Knob) error {
	s, err := spec(k)
	if err != nil {
		return err
	}
	by, used := provision.Taken(c.Target, s.Socket)[s.Port]
	if !used {
		return nil
	}
	return &say.Problem{Message: say.M("port {port} is in use", "port", strconv.Itoa(s.Port)), Detail: say.Text(by),
		Hint: say.M("It was free when the plan was made. Run the command again, with --port auto or another port."),
		Code: say.CodeStale}
}
