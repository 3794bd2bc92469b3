package kernlog

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// A page, a table or a chat may take away the ends of the lines, and leave no time by which one line could be told
// from the next: then what each begins with does.

// rePart is what a line of a report begins with.
var rePart = regex.New(`(?:^|\s)((?:Memory cgroup out of memory|Out of memory): Kill|(?:OOM )?Killed process \d|` +
	`\S{1,15} invoked oom-killer: |\S{1,15} cpuset=\S{1,512} mems_allowed=|CPU: \d{1,5} (?:UID: \d{1,10} )?PID: \d|` +
	`Pid: \d{1,10}, comm: |Hardware name: |Call Trace:|Mem-[Ii]nfo:|Node \d{1,4} \w|active_anon:\d|` +
	`\d{1,15} total pagecache pages|\d{1,15} pages (?:RAM|HighMem|reserved|in swap cache|shared|non-shared|` +
	`hwpoisoned|cma reserved)|Swap cache stats: |(?:Free|Total) swap {1,2}= |Tasks state \(|\[ {0,4}pid {0,4}\]|` +
	`\[ {0,8}\d{1,10}\] +\d{1,10} +\d{1,10} +\d|oom-kill:constraint=|oom_reaper: |Task in /|` +
	`Memory cgroup stats for |(?:memory|memory\+swap|swap|kmem): usage \d)`)

const (
	// gluedLength is how long the line of a kill may be at most, about.
	gluedLength = 160
	// gluedParts is how many such beginnings show that a line is several.
	gluedParts = 4
)

// glued takes a line that is several lines of a report.
func (p *Reader) glued(l line) bool {
	if p.inner || len(l.text) < gluedLength || l.from != bare && l.from != fromKernel ||
		!strings.Contains(l.text, "oom-kill") && !strings.Contains(l.text, "Kill") || reInner.MatchString(l.text) {
		return false
	}
	at := rePart.FindAllStringSubmatchIndex(l.text, maxInner)
	if len(at) < gluedParts || quotes(l.text[:at[0][2]]) {
		return false
	}
	for i := range at {
		end := len(l.text)
		if i+1 < len(at) {
			end = at[i+1][2]
		}
		one := l
		one.text = strings.TrimSpace(l.text[at[i][2]:end])
		p.line(one)
	}
	return true
}
