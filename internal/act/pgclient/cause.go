package pgclient

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// asksPassword is how pgconn says, with an error of no type, that a server wanted
// what require_auth = none forbids to give: see Connect.discreet.
const asksPassword = `authentication method requirement "none" failed`

// CauseOf classifies why a server did not answer, in one place. Judgments and texts depend on this and never on a
// message, which a server writes in the language of its lc_messages.
func CauseOf(err error) pg.Cause {
	var told *refused
	var pe *pgconn.PgError
	var dns *net.DNSError
	var stranger *strangerError
	switch {
	case errors.As(err, &told):
		return told.cause
	case errors.As(err, &pe):
		return pg.Cause(pe.Code)
	case errors.As(err, &stranger):
		return pg.Stranger
	case strings.Contains(err.Error(), asksPassword): // not the server's words: those are a PgError's
		return pg.AsksPassword
	case errors.As(err, &dns):
		return pg.UnknownHost
	case pgconn.Timeout(err) || errors.Is(err, context.DeadlineExceeded):
		return pg.TimedOut
	case errors.Is(err, syscall.ECONNREFUSED):
		return pg.NoListener
	case errors.Is(err, fs.ErrNotExist):
		return pg.NoSocket
	case errors.Is(err, fs.ErrPermission):
		return pg.ClosedSocket
	}
	return pg.Lost
}

// refused is a problem with its cause, which the evidence keeps.
type refused struct {
	*say.Problem
	cause pg.Cause
}

// Unwrap returns the problem, as shown to people.
func (r *refused) Unwrap() error { return r.Problem }
