package kernlog

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Entry is the name that an excerpt of the kernel's log has in the evidence.
const Entry = "cmd/kernel-oom"

// maxExcerpt bounds an excerpt: a report has 10 kB, and 100 bytes more for each
// task.
const maxExcerpt = 2 << 20

// afterKill are the lines that may still belong to a report after its last: the
// reaper's, and those of a group that is killed as a whole.
const afterKill = 4

// reSev is the label of a server's line, which an excerpt never keeps.
var reSev = regex.New(
	`\b(?:LOG|ERROR|FATAL|PANIC|WARNING|DETAIL|STATEMENT|HINT|CONTEXT|NOTICE|INFO|QUERY|LOCATION|DEBUG[1-5]): `)

// Excerpt keeps of a kernel's log the lines of the OOM killer's reports and the
// few others that Read knows, as they stand; of too many the newest. It is what
// goes into an evidence file: nothing of it is a server's own log.
func Excerpt(log string) []byte {
	var parts []string // one a report, or a line alone
	var b strings.Builder
	in, left := false, 0
	flush := func() {
		if b.Len() > 0 {
			parts = append(parts, b.String())
			b.Reset()
		}
	}
	for raw := range strings.Lines(log) {
		l := stripLine(raw)
		if l.from == fromOther || l.from == fromServer || l.from == bare && l.at.Boot < 0 && reSev.MatchString(raw) {
			continue
		}
		s := l.text
		switch {
		case strings.Contains(s, " oom-killer:"):
			flush()
			in, left = true, 0
			b.WriteString(raw)
		case outOf(s), strings.HasPrefix(s, "Killed process "), strings.HasPrefix(s, "oom-kill:"),
			strings.HasPrefix(s, "oom_reaper: "), strings.HasPrefix(s, "Tasks in "):
			b.WriteString(raw)
			if strings.Contains(s, "Killed process ") {
				in, left = false, afterKill
			}
		case l.from == fromSystemd && (strings.Contains(s, " OOM killer") || strings.Contains(s, "'oom-kill'") ||
			strings.HasPrefix(s, "Killed ") || strings.Contains(s, "systemd-oomd killed")),
			strings.HasPrefix(s, "__vm_enough_memory:"):
			b.WriteString(raw)
		case in && b.Len() < maxExcerpt:
			b.WriteString(raw)
		case left > 0:
			if left--; left == 0 {
				flush()
			}
		}
	}
	flush()
	size, from := 0, len(parts)
	for from > 0 && size+len(parts[from-1]) <= maxExcerpt {
		from--
		size += len(parts[from])
	}
	return []byte(strings.Join(slices.Clip(parts[from:]), ""))
}
