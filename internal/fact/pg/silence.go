package pg

import (
	"errors"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Silence is what a server was asked and did not answer; the zero value where
// it answered all, or said of the rest that it has no such thing or that a
// right was missing.
type Silence struct {
	// why there was no connection; nil where there was one
	Connection *Failure             `json:"connection,omitempty"`
	Failed     []Failure            `json:"failed,omitempty"`   // queries, by name
	Answered   int                  `json:"answered,omitempty"` // queries that were
	Holders    known.Fact[[]Holder] `json:"holders,omitzero"`   // holders.json: asked for only where something waited
}

// Failure is something that was not answered.
type Failure struct {
	Query  string `json:"query,omitempty"` // "" for the connection
	Cause  Cause  `json:"cause,omitempty"` // "" in evidence from before causes were noted
	Reason string `json:"reason"`
	Reveal string `json:"reveal,omitempty"`
}

// ConnectionNote is the name of the answer that is noted as missing where no
// connection came to be.
const ConnectionNote = "connection"

// ReadSilence reads why answers are missing.
func ReadSilence(fsys fs.FS, key string) Silence {
	var s Silence
	if m := noted(fsys, key, ConnectionNote); m != nil {
		s.Connection = &Failure{Cause: Cause(m.Cause), Reason: m.Reason, Reveal: m.Reveal}
	}
	var refused []Failure // which is a fault only where nothing else came
	for _, q := range allQueries() {
		if n := len(s.Failed); n > 0 && s.Failed[n-1].Query == q.Name {
			continue // the text of another major version
		}
		m := noted(fsys, key, q.Name)
		if m == nil {
			if _, err := fs.Stat(fsys, Path(key, q.Name)); err == nil {
				s.Answered++
			}
			continue
		}
		f := Failure{Query: q.Name, Cause: Cause(m.Cause), Reason: m.Reason, Reveal: m.Reveal}
		switch {
		case m.State == known.Absent, f.Cause == NotAsked, f.Cause == NotHeld:
		case f.Cause == "" && q.Deep(): // as old evidence notes what it did not ask for
		case m.State == known.Forbidden:
			refused = append(refused, f)
		default:
			s.Failed = append(s.Failed, f)
		}
	}
	if s.Answered == 0 {
		s.Failed = append(s.Failed, refused...)
	}
	if s.Connection == nil && len(s.Failed) == 0 {
		return Silence{}
	}
	s.Holders = readHolders(fsys, key)
	return s
}

// noted returns why an answer is missing; nil where it is not, or where nobody
// says so.
func noted(fsys fs.FS, key, query string) *evidence.Missing {
	f, err := fsys.Open(Path(key, query))
	if err == nil {
		f.Close()
		return nil
	}
	var m *evidence.Missing
	if !errors.As(err, &m) || m.Unnoted {
		return nil
	}
	return m
}
