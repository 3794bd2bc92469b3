package pgclient

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// What a server refuses is in the evidence by its SQLSTATE, whatever language the message is in, and people see a
// problem as before.
func TestCausesStandInTheEvidence(t *testing.T) {
	for code, kind := range map[string]pg.CauseKind{"53300": pg.NoSlot, "28P01": pg.NotLetIn, "57P03": pg.NotReady,
		"XX000": pg.OtherCause} {
		f := &fakeServer{version: "17.11", refuse: func(_, _ string) *pgproto3.ErrorResponse {
			return fatal(code, "извините")
		}}
		a := evidence.New()
		_, err := Ask(context.Background(), a, "1", through(f.serve(t)), false)
		var p *say.Problem
		if !errors.As(err, &p) || p.Message.String() != "извините" {
			t.Fatalf("%s: %v", code, err)
		}
		Silent(a, "1", err)
		s := pg.ReadSilence(a, "1")
		if s.Connection == nil || s.Connection.Cause != pg.Cause(code) || s.Connection.Cause.Kind() != kind ||
			s.Answered != 0 {
			t.Errorf("%s: %+v", code, s)
		}
	}
}

// Queries that waited for a lock in vain have the holders asked for, once; if everything is answered, no such query is
// sent.
func TestHoldersAreAskedFor(t *testing.T) {
	holders, err := pg.HolderQueries()
	if err != nil {
		t.Fatal(err)
	}
	for _, locked := range []bool{true, false} {
		asked := 0
		f := &fakeServer{version: "17.11", fail: func(sql string) *pgproto3.ErrorResponse {
			if sql == holders[0].SQL {
				asked++
			}
			if locked && onQuery(17, "settings")(sql) {
				return serverError("55P03", "délai d'attente")
			}
			return nil
		}, answer: func(sql string) ([]string, [][]string) {
			if sql == holders[0].SQL {
				return []string{"pid", "relation", "waiting"}, [][]string{{"4711", "1259", "2"}}
			}
			return nil, nil
		}}
		a := evidence.New()
		if _, err := Ask(context.Background(), a, "1", through(f.serve(t)), false); err != nil {
			t.Fatal(err)
		}
		s := pg.ReadSilence(a, "1")
		list, _ := s.Holders.Get()
		switch {
		case !locked && (asked != 0 || s.Connection != nil || s.Failed != nil):
			t.Errorf("nothing waited: asked %d times, %+v", asked, s)
		case locked && (asked != 1 || len(list) != 1 || list[0].PID != 4711 || list[0].Catalog != "pg_class" ||
			list[0].Waiting != 2):
			t.Errorf("asked %d times: %+v", asked, list)
		}
	}
}
