package logging

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogLinePrefix = rule.Rule{
	Address: knob.PG("log_line_prefix"),
	Title:   "Prefix of each server log line",
	Why: "Log lines without a timestamp cannot be matched with other events. Lines without a process ID cannot be " +
		"assigned to a session.",
	Formula: "%m and [%p] are put before the present prefix if they are missing. An empty prefix becomes '%m [%p] " +
		"%q%u@%d/%a '. Only for plain-text logs (stderr).",
	Sources: []string{"pg-config-logging"},
	Decide: func(c *rule.Case) {
		// csvlog and jsonlog have columns for both, and syslog adds its own.
		if dest, ok := c.Text(knob.PG("log_destination")); !ok || !strings.Contains(dest, "stderr") {
			return
		}
		have, _ := c.Text(knob.PG("log_line_prefix"))
		escapes := prefixEscapes(have)
		pid := slices.Contains(escapes, 'p') || slices.Contains(escapes, 'c') // the session id has the process ID in it
		clock := slices.ContainsFunc(escapes, func(b byte) bool { return strings.IndexByte("mtn", b) >= 0 })
		switch {
		case pid && clock:
			c.Keep("the prefix has a timestamp and a process ID")
		case have == "":
			c.Set("%m [%p] %q%u@%d/%a ", "log lines without timestamp and process ID cannot be ordered in time")
		case !pid && !clock:
			c.Set("%m [%p] "+have, "the prefix has no timestamp and no process ID")
		case !pid:
			c.Set("[%p] "+have,
				"the prefix has no process ID, so lines cannot be assigned to sessions")
		default:
			c.Set("%m "+have, "the prefix has no timestamp")
		}
	},
}

// prefixEscapes returns the letters of the escapes in a log_line_prefix. A width may stand between the percent sign and
// the letter (%-10u); %% is none.
func prefixEscapes(s string) []byte {
	var out []byte
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			continue
		}
		for i++; i < len(s) && (s[i] == '-' || s[i] >= '0' && s[i] <= '9'); i++ {
		}
		if i < len(s) && s[i] != '%' {
			out = append(out, s[i])
		}
	}
	return out
}
