package drill

import (
	"regexp"
	"strconv"
	"strings"
)

// maxLog bounds what is read of the server's log: a dump of memory contexts is
// 15 kB, and a round logs one or two.
const maxLog = 1 << 20

// serverLog is what a server's log tells of a round.
type serverLog struct {
	crash     []string // from the death of a process to the readiness after it
	refusal   []string // the error, with the contexts that held the most
	deaths    []uint32 // processes that signal 9 ended
	restarted bool     // all sessions were ended
	ready     bool     // and the server takes connections again
}

// crashed are the lines of the log that tell a crash, in their order; those of
// the processes that are ended by it are left out, being many.
var crashed = []string{
	"was terminated by signal", "Failed process was running", "terminating any other active server processes",
	"all server processes terminated; reinitializing", "automatic recovery in progress", "redo starts at", "redo done at",
}

// maxCrash bounds what is shown of a crash: eight lines, and a few for others
// that died with it.
const maxCrash = 20

// signal9 is what the postmaster says of a child that was killed, 13 to 18: the
// words before the process differ by its kind and by version.
var signal9 = regexp.MustCompile(`\(PID (\d+)\) was terminated by signal 9`)

// contextLine is a line of the dump that PostgreSQL writes to its error stream
// when memory runs out: indented by depth, without the usual prefix.
var contextLine = regexp.MustCompile(`^ *([A-Za-z][A-Za-z0-9 _-]*): (\d+) total in \d+ blocks`)

// readServerLog picks what matters out of the log.
func readServerLog(text string) serverLog {
	var s serverLog
	var largest, state, grand string
	most := int64(-1)
	after := false // the error was «out of memory»
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if m := signal9.FindStringSubmatch(line); m != nil {
			if n, err := strconv.ParseUint(m[1], 10, 32); err == nil {
				s.deaths = append(s.deaths, uint32(n))
			}
		}
		for _, c := range crashed {
			if strings.Contains(line, c) && (len(s.crash) > 0 || c == crashed[0]) && len(s.crash) < maxCrash-1 { // a recovery at the start is another story
				s.crash = append(s.crash, line)
				break
			}
		}
		s.restarted = s.restarted || strings.Contains(line, "reinitializing")
		if s.restarted && !s.ready && strings.Contains(line, "ready to accept connections") {
			s.crash, s.ready = append(s.crash, line), true
		}
		if m := contextLine.FindStringSubmatch(line); m != nil {
			n, err := strconv.ParseInt(m[2], 10, 64)
			if err == nil && m[1] == "ExecutorState" {
				state = strings.TrimSpace(line)
			}
			if err == nil && n > most {
				most, largest = n, strings.TrimSpace(line)
			}
			continue
		}
		switch {
		case strings.HasPrefix(line, "Grand total:"):
			grand = line
		case strings.Contains(line, "ERROR:  out of memory"):
			if after {
				continue // once is enough
			}
			after = true
			for _, l := range []string{state, largest, grand} {
				if l != "" && (len(s.refusal) == 0 || s.refusal[len(s.refusal)-1] != l) {
					s.refusal = append(s.refusal, l)
				}
			}
			s.refusal = append(s.refusal, line)
		case after && strings.Contains(line, "DETAIL:  Failed on request of size") && len(s.refusal) < maxRefusal:
			s.refusal = append(s.refusal, line)
		case after && strings.Contains(line, "STATEMENT:") && len(s.refusal) < maxRefusal+1:
			s.refusal = append(s.refusal, line)
		}
	}
	return s
}

// maxRefusal is three contexts, the error and its detail.
const maxRefusal = 5

// killed says whether a process ended by signal 9.
func (s serverLog) killed(pid uint32) bool {
	for _, p := range s.deaths {
		if p == pid {
			return true
		}
	}
	return false
}

// lines are those to show.
func (s serverLog) lines(refused bool) []string {
	out := []string{}
	if refused {
		out = append(out, s.refusal...)
	}
	return append(out, s.crash...)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
