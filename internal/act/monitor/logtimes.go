package monitor

import (
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/serverlogs"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const (
	// logTail is how much of the end of a log is examined: a reload of ten minutes ago is within it unless every
	// statement is logged.
	logTail = 1 << 20
)

// loadedAt searches the server's log for when it loaded the named settings: the line «parameter "x" changed to "y"» of
// a reload. What is in no log that can be found, or in a language other than English, is not reported.
func loadedAt(t target.Target, in *snapshot.Instance, names []string) map[string]string {
	out := map[string]string{}
	settings, _ := in.Server.Settings.Get()
	found, err := serverlogs.Find(context.Background(), t, in, serverlogs.Options{Settings: settings, Bytes: logTail})
	if err != nil || len(found.Sources) == 0 {
		return out
	}
	b := newest(&found.Sources[len(found.Sources)-1])
	if !bytes.Contains(b, []byte("parameter \"")) {
		return out
	}
	s := &times{names: map[string]bool{}, out: out}
	for _, n := range names {
		s.names[n] = true
	}
	_, _ = pglog.Read(bytes.NewReader(b), pglog.Options{}, s) // an unreadable log shows nothing
	return out
}

// newest reads a log; nil if it cannot be read.
func newest(s *serverlogs.Source) []byte {
	r, err := s.Open()
	if err != nil {
		return nil
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return nil
	}
	return b
}

// times takes the lines of a reload out of a log; the last one of a name stays.
type times struct {
	names map[string]bool
	out   map[string]string
}

// Entry implements pglog.Sink.
func (s *times) Entry(e *pglog.Entry) {
	name, ok := bytes.CutPrefix(e.Message, []byte("parameter \""))
	if !ok || !e.Timed {
		return
	}
	name, rest, ok := bytes.Cut(name, []byte{'"'})
	if !ok || !bytes.HasPrefix(rest, []byte(" changed to ")) && !bytes.HasPrefix(rest,
		[]byte(" removed from configuration file")) {
		return
	}
	if s.names[string(name)] {
		s.out[string(name)] = strings.TrimSpace("at " + time.UnixMicro(e.Time).UTC().Format(time.DateTime) + " " +
			string(e.Zone[:min(len(e.Zone), 40)]))
	}
}

// Dump implements pglog.Sink.
func (s *times) Dump(*pglog.Dump) {}
