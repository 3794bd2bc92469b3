package logging

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogLinePrefix = rule.Rule{
	Address: knob.PG("log_line_prefix"),
	Title:   "what stands before each line of the log",
	Why: "Without a time a line cannot be laid beside what else happened; without the process id the lines of " +
		"one session cannot be told from another's.",
	Formula: "The present prefix with %m and [%p] put before it where they are missing; '%m [%p] %q%u@%d/%a ' where " +
		"it is empty. Only where the log is plain text.",
	Sources: []string{"pg-config-logging"},
	Decide: func(c *rule.Case) {
		// csvlog and jsonlog have columns for both, and syslog adds its own.
		if dest, ok := c.Text(knob.PG("log_destination")); !ok || !strings.Contains(dest, "stderr") {
			return
		}
		have, _ := c.Text(knob.PG("log_line_prefix"))
		escapes := prefixEscapes(have)
		pid := slices.Contains(escapes, 'p') || slices.Contains(escapes, 'c') // the session id has the process id in it
		clock := slices.ContainsFunc(escapes, func(b byte) bool { return strings.IndexByte("mtn", b) >= 0 })
		switch {
		case pid && clock:
			c.Keep("each line has its time and its process")
		case have == "":
			c.Set("%m [%p] %q%u@%d/%a ", "lines without time and process cannot be put in order")
		case !pid && !clock:
			c.Set("%m [%p] "+have, "neither the time nor the process id stands in the lines")
		case !pid:
			c.Set("[%p] "+have,
				"the process id does not stand in the lines, so those of one session cannot be told from another's")
		default:
			c.Set("%m "+have, "the time does not stand in the lines")
		}
	},
}

// prefixEscapes returns the letters of the escapes in a log_line_prefix. A
// width may stand between the per cent sign and the letter (%-10u); %% is none.
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
