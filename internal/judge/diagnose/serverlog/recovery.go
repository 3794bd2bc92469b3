package serverlog

import (
	"bytes"

	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

// Recovery is what the log says about replay of WAL after a crash, from an archive or by a standby.
type Recovery struct {
	Standby       bool     `json:"standby"`                      // it entered standby mode
	Archive       bool     `json:"archive"`                      // it recovered from an archive
	Complete      bool     `json:"complete"`                     // the log has that archive recovery was
	Target        string   `json:"target,omitempty"`             // recovery target, as the log names it
	Restored      int64    `json:"restored_files"`               // WAL files from the archive
	From          string   `json:"redo_from,omitempty"`          // LSN
	To            string   `json:"redo_to,omitempty"`            // LSN
	RedoSeconds   *float64 `json:"redo_seconds,omitempty"`       // as the server measured it, or between its two lines
	Consistent    string   `json:"consistent_at,omitempty"`      // LSN
	StreamingFrom string   `json:"streaming_from,omitempty"`     // LSN
	OnTimeline    string   `json:"streaming_timeline,omitempty"` // of that
	Timeline      int64    `json:"new_timeline,omitempty"`       // that it went on with
	Phases        []Phase  `json:"phases,omitempty"`             // that took so long that the server reported them
	None          bool     `json:"redo_not_required,omitempty"`
	LastCommit    string   `json:"last_transaction,omitempty"` // time of its commit, as the log has it
}

// recovery follows it; the last one counts.
type recovery struct {
	of   Recovery
	redo stamp
	seen bool
	over bool // a start has begun since: what follows is of another one
}

// fact notes that there is one.
func (s *recovery) fact() *Recovery {
	if s.over {
		s.of, s.redo, s.over = Recovery{}, stamp{}, false
	}
	s.seen = true
	return &s.of
}

var (
	restoredLog  = []byte("restored log file ")
	consistentAt = []byte("consistent recovery state reached at ")
	streamingAt  = []byte("started streaming WAL from primary at ")
	toTarget     = []byte("starting point-in-time recovery to ")
	archiveDone  = []byte("archive recovery complete")
	lastCommit   = []byte("last completed transaction was at log time ")
)

// phase keeps the last report of each part of a start.
func (s *recovery) phase(p Phase) {
	x := s.fact()
	for i := range x.Phases {
		if x.Phases[i].Name == p.Name {
			x.Phases[i] = p
			return
		}
	}
	x.Phases = append(x.Phases, p)
}

// take reads the entries of no kind.
func (s *recovery) take(e *pglog.Entry) {
	m := e.Message
	if p, ok := phaseOf(m); ok {
		s.phase(p)
		return
	}
	switch {
	case bytes.HasPrefix(m, restoredLog):
		x := s.fact()
		x.Restored++
		x.Archive = true
	case bytes.HasPrefix(m, consistentAt):
		s.fact().Consistent = word(m[len(consistentAt):])
	case bytes.HasPrefix(m, streamingAt):
		lsn, line, _ := bytes.Cut(m[len(streamingAt):], []byte(" on timeline "))
		x := s.fact()
		x.StreamingFrom, x.OnTimeline, x.Standby = word(lsn), word(line), true
	case bytes.HasPrefix(m, lastCommit):
		s.fact().LastCommit = shorten(string(m[len(lastCommit):]), 40)
	case bytes.HasPrefix(m, archiveDone):
		x := s.fact()
		x.Complete, x.Archive = true, true
	}
}

// step follows those of the server's own start.
func (s *recovery) step(e *pglog.Entry, k pglog.Kind, at stamp) {
	switch k {
	case pglog.WasShutDown, pglog.Interrupted:
		s.over = true
	case pglog.Restoring:
		if x := s.fact(); bytes.HasPrefix(e.Message, []byte("entering standby")) {
			x.Standby = true
		} else {
			x.Archive = true
			if target, ok := bytes.CutPrefix(e.Message, toTarget); ok {
				x.Target = string(target[:min(len(target), maxSample)])
			}
		}
	case pglog.NewTimeline:
		s.fact().Timeline = e.Timeline()
	case pglog.RedoStart:
		x := s.fact()
		s.redo = at
		x.From, x.To, x.RedoSeconds = word(bytes.TrimPrefix(e.Message, []byte("redo starts at "))), "", nil
	case pglog.RedoDone:
		if bytes.HasPrefix(e.Message, []byte("redo is not required")) {
			s.fact().None = true
			return
		}
		rest, ok := bytes.CutPrefix(e.Message, []byte("redo done at "))
		if !ok {
			return
		}
		x := s.fact()
		x.To = word(rest)
		if v, ok := e.RedoTook(); ok {
			x.RedoSeconds = &v
		} else if v, ok := at.since(s.redo); ok {
			x.RedoSeconds = &v
		}
	}
}

// word is the first one of a text, without what ends it.
func word(b []byte) string {
	b = b[:min(len(b), maxSample)]
	if i := bytes.IndexAny(b, " \n"); i >= 0 {
		b = b[:i]
	}
	return string(bytes.TrimRight(b, ",;."))
}

func (s *recovery) report() *Recovery {
	if !s.seen {
		return nil
	}
	return &s.of
}
