package params

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// logLevels are the words of log_min_messages, debug for debug2 among them, as every version accepts them.
var logLevels = []string{"debug5", "debug4", "debug3", "debug2", "debug1", "debug", "info", "notice", "warning",
	"error", "log", "fatal", "panic"}

// processTypes are those that log_min_messages knows since 19, each tried on 19rc1.
var processTypes = []string{"archiver", "autovacuum", "backend", "bgworker", "bgwriter", "checkpointer", "ioworker",
	"postmaster", "slotsyncworker", "startup", "syslogger", "walreceiver", "walsender", "walsummarizer", "walwriter"}

// LogLevel returns the level that a value of log_min_messages gives a type of process, in lower case: its own, or the
// one for all. Up to 18, and in most files of 19, the value is a single level.
func LogLevel(value, process string) string {
	byDefault := ""
	for part := range strings.SplitSeq(value, ",") {
		of, level, own := strings.Cut(part, ":")
		if !own {
			byDefault = strings.ToLower(strings.TrimSpace(of))
		} else if strings.EqualFold(strings.TrimSpace(of), process) {
			return strings.ToLower(strings.TrimSpace(level))
		}
	}
	return byDefault
}

// acceptsLogLevels judges a value of log_min_messages as 19 reads it: exactly one level, and any number of TYPE:LEVEL,
// each type once.
func acceptsLogLevels(value string) *Refusal {
	level := func(word string) *Refusal {
		if slices.Contains(logLevels, strings.ToLower(word)) {
			return nil
		}
		return &Refusal{NotWord, noneOf(word, logLevels)}
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(value, ",") {
		of, word, own := strings.Cut(strings.TrimSpace(part), ":")
		of, word = strings.ToLower(strings.TrimSpace(of)), strings.TrimSpace(word)
		if !own {
			of, word = "", of
		} else if !slices.Contains(processTypes, of) {
			return &Refusal{NotWord, say.M("{value} is not a process type; valid types: {words}", "value",
				quoted(of), "words", say.Names(processTypes, 0))}
		}
		switch {
		case seen[of] && own:
			return &Refusal{Forbidden, say.M("there are two levels for {type}", "type", of)}
		case seen[of]:
			return &Refusal{Forbidden, say.M("there are two levels for all processes")}
		}
		seen[of] = true
		if r := level(word); r != nil {
			return r
		}
	}
	if !seen[""] {
		return &Refusal{Forbidden, say.M("there is no level for all other processes")}
	}
	return nil
}
