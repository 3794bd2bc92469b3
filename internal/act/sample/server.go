package sample

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

const (
	// askWithin bounds a question: a healthy server answers in a few
	// milliseconds, and the next sample is ten seconds away.
	askWithin = 5 * time.Second
	// sizeWithin is for the sizes: a stat(2) of each of a hundred thousand files.
	sizeWithin = time.Minute
	// firstBackoff and lastBackoff are the pause after a connection that did not
	// come about, doubled each time: a restart takes seconds, a server that stays
	// down is looked for once a minute.
	firstBackoff = 2 * time.Second
	lastBackoff  = time.Minute
)

// ServerReading is what a server answered; a number that it does not have is NaN,
// which JSON has no word for: see pack.
type ServerReading struct {
	At     time.Time
	Values [Columns]float64
}

// Asker is a connection to a server.
type Asker interface {
	// Ask asks one question in its own transaction, behind the guard, and returns the one row of its answer, NULL as
	// "".
	Ask(ctx context.Context, sql, timeout string) ([]string, error)
	Major() int // of the server's version
	Closed() bool
	Close(ctx context.Context)
}

// Server is one instance that is sampled.
type Server struct {
	Label string
	Dial  func(ctx context.Context) (Asker, error)

	conn    Asker
	sql     string
	backoff time.Duration
	next    time.Time // no attempt before
	Down    string    // why it does not answer; "" if it does
	Now     ServerReading
	Last    ServerReading // zero At: none
	Seen    bool          // now is of this sample
	Absent  int           // looks, one after the other, that did not see it
	Peak    float64       // most client sessions since the last look
}

// Sample asks once. The error is also nil if nothing was asked because the pause after a failure is not over; seen
// reports that.
func (s *Server) Sample(ctx context.Context, at time.Time) error {
	s.Seen = false
	if s.conn == nil {
		if at.Before(s.next) {
			return nil
		}
		if err := s.connect(ctx, at); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	row, err := s.conn.Ask(ctx, s.sql, sampleTimeout)
	if err == nil && len(row) != Columns {
		err = fmt.Errorf("%d columns where %d were asked for", len(row), Columns)
	}
	if err != nil {
		if s.conn.Closed() || ctx.Err() != nil {
			s.lost(at)
		}
		return err
	}
	s.Last, s.Now = s.Now, ServerReading{At: at}
	for i, v := range row {
		s.Now.Values[i] = float(v)
	}
	s.Seen, s.backoff = true, 0
	if v := s.Now.Values[ColTotal]; s.Now.Values[ColHidden] == 0 {
		s.Peak = max(s.Peak, v)
	}
	return nil
}

func (s *Server) connect(ctx context.Context, at time.Time) error {
	conn, err := s.Dial(ctx)
	if err != nil {
		s.wait(at)
		return err
	}
	s.conn = conn
	s.sql = sampleSQL(conn.Major())
	return nil
}

// lost drops a connection that is gone, or whose state is unknown.
func (s *Server) lost(at time.Time) {
	if s.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // a goodbye is not worth more
		defer cancel()
		s.conn.Close(ctx)
	}
	s.conn = nil
	s.wait(at)
}

func (s *Server) wait(at time.Time) {
	s.backoff = min(max(2*s.backoff, firstBackoff), lastBackoff)
	s.next = at.Add(s.backoff)
}

func (s *Server) Close(ctx context.Context) {
	if s.conn != nil {
		s.conn.Close(ctx)
		s.conn = nil
	}
}

// DatabaseSize returns the size of the databases.
func DatabaseSize(ctx context.Context, conn Asker) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, sizeWithin)
	defer cancel()
	row, err := conn.Ask(ctx, SizeSQL, sizeTimeout)
	switch {
	case err != nil:
		return 0, err
	case len(row) != 1 || math.IsNaN(float(row[0])):
		return 0, errors.New("no answer")
	}
	return float(row[0]), nil
}

// float reads a number of an answer; what is none, NULL among it, is NaN.
func float(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) {
		return math.NaN()
	}
	return v
}
