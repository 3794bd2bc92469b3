package pgclient

import (
	"errors"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// maxMajor is above every major version, so that all queries are listed.
const maxMajor = 1 << 20

// Silent notes every answer that a server did not give, for the reason
// that it could not be asked at all.
func Silent(a *evidence.Archive, key string, err error) {
	m := evidence.Missing{State: known.Unread, Reason: err.Error(), Cause: string(pg.NoWay)}
	var p *say.Problem
	switch told := (*refused)(nil); {
	case errors.As(err, &told):
		m.Cause = string(told.cause)
	case CauseOf(err) == pg.TimedOut: // of the whole asking
		m.Cause, m.Reason = string(pg.TimedOut), reason(err)
	}
	if errors.As(err, &p) {
		m.Reveal = p.Hint.English()
		if p.Code == say.CodeNoAccess {
			m.State = known.Forbidden
		}
	}
	noted := map[string]bool{}
	for _, old := range a.MissingFiles() {
		noted[old.Name] = true
	}
	note := m
	note.Name = pg.Path(key, pg.ConnectionNote)
	a.AddMissing(note)
	for _, q := range pg.Queries(maxMajor, true) {
		m.Name = pg.Path(key, q.Name)
		if !noted[m.Name] {
			a.AddMissing(m)
		}
	}
}
