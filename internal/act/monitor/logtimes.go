package monitor

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

const (
	// logTail is how much of the end of a log is looked at: a reload of ten minutes
	// ago is within it unless every statement is logged.
	logTail = 1 << 20
	// maxLists bounds current_logfiles, which has three lines at most.
	maxLists = 4096
)

// loadedAt asks the server's log when it took the settings that are named: the
// line «parameter "x" changed to "y"» of a reload. What is in no log that can be
// found, or in another language than English, is not told.
func loadedAt(t target.Target, in *snapshot.Instance, names []string) map[string]string {
	out := map[string]string{}
	view, err := trust.Files(t, in)
	if err != nil {
		return out
	}
	name := logOf(t, view, in)
	if name == "" {
		return out
	}
	b := tail(view, name)
	if !bytes.Contains(b, []byte("parameter \"")) {
		return out
	}
	s := &times{names: map[string]bool{}, out: out}
	for _, n := range names {
		s.names[n] = true
	}
	_, _ = pglog.Read(bytes.NewReader(b), pglog.Options{}, s) // a log that cannot be read tells nothing
	return out
}

// logOf is the file that the server logs to now; "" where there is none.
func logOf(t, view target.Target, in *snapshot.Instance) string {
	dir, ok := in.DataDirectory.Get()
	if !ok {
		return ""
	}
	if b, err := view.ReadFile(path.Join(dir, "current_logfiles"), maxLists); err == nil {
		for line := range strings.Lines(string(b)) {
			_, name, ok := strings.Cut(strings.TrimSpace(line), " ")
			switch {
			case !ok:
			case path.IsAbs(name):
				return name
			default:
				return path.Join(dir, name)
			}
		}
	}
	list, _ := in.Processes.Get()
	if len(list) == 0 {
		return ""
	}
	name, err := t.Readlink("/proc/" + strconv.Itoa(list[0].PID) + "/fd/2") // where pg_ctl -l leads
	if err != nil || !path.IsAbs(name) {
		return ""
	}
	return name
}

// tail reads the end of a regular file, from the beginning of a line on.
func tail(t target.Target, name string) []byte {
	if in, err := t.Lstat(name); err != nil || !in.Mode.IsRegular() {
		return nil // the folder is another user's, and a link there is none of ours
	}
	b, err := target.ReadTail(t, name, logTail)
	if err != nil {
		return nil
	}
	if len(b) == logTail {
		_, b, _ = bytes.Cut(b, []byte{'\n'})
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
	if !ok || !bytes.HasPrefix(rest, []byte(" changed to ")) && !bytes.HasPrefix(rest, []byte(" removed from configuration file")) {
		return
	}
	if s.names[string(name)] {
		s.out[string(name)] = strings.TrimSpace("at " + time.UnixMicro(e.Time).UTC().Format(time.DateTime) + " " + string(e.Zone[:min(len(e.Zone), 40)]))
	}
}

// Dump implements pglog.Sink.
func (s *times) Dump(*pglog.Dump) {}
