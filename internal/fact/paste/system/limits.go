package system

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/usage"
)

var reUlimit = regex.New(`^([a-zA-Z][a-zA-Z /-]{2,40}?)\s*\((?:(\d* ?[a-z]+)(?:, )?)?(?:-(\w))?\)\s+(\d\S*|unlim` +
	`ited|-1)`)

// reUlimitZsh is a line of zsh, whose letter stands first.
var reUlimitZsh = regex.New(`^-(\w): ([a-z][a-z -]{2,40}?)(?: \((\d* ?[a-z]+)\))?\s{2,}(\S+)$`)

var (
	// /proc/PID/limits
	reLimitsHead = regex.New(`^Limit\s+Soft Limit\s+Hard Limit`)
	reLimit      = regex.New(`^Max ([a-z -]+?)\s{2,}(\S+)\s+(\S+)(?:\s+(\w+))?$`)
)

const shellLimits = "these are the limits of the shell in which the command was run; those of a server are in " +
	"/proc/PID/limits"

// limitName is the name that bash has for a limit.
func limitName(label, letter string) string {
	if letter != "" {
		if u, ok := ulimitNames[letter[0]]; ok {
			return u.name
		}
	}
	name := strings.ReplaceAll(strings.ToLower(label), " ", "_")
	if bash := dashLimits[name]; bash != "" {
		return bash
	}
	return name
}

// dashLimits are the names of dash.
var dashLimits = map[string]string{"nofiles": "open_files", "process": "max_user_processes",
	"locked_memory": "max_locked_memory", "stack": "stack_size", "vmemory": "virtual_memory",
	"memory": "max_memory_size",
	"data":   "data_seg_size"}

var (
	// reVMLimits is a line of the error report of a Java VM: soft limits, or soft and hard ones.
	reVMLimits = regex.New(`^rlimit(?: \(soft/hard\))?: ((?:[A-Z]+ \w+(?:/\w+)?[ ,]*){2,16})$`)
	reVMLimit  = regex.New(`([A-Z]+) (\d+|infinity|unlimited)(k)?(?:/|\b)`)
)

// virtualMachineLimits reads the limits of a Java VM.
func virtualMachineLimits(t string) (f part.Found) {
	m := reVMLimits.FindStringSubmatch(t)
	if m == nil {
		return
	}
	for _, x := range reVMLimit.FindAllStringSubmatch(m[1], 16) {
		name := prlimNames[x[1]]
		if name == "" {
			continue
		}
		v := part.Fact{Name: "limit", Of: name, Value: x[2]}
		if n, ok := amount.Whole(x[2]); ok {
			if v.Value = n; x[3] != "" && n < amount.Max/amount.KB {
				v.Value, v.Unit = n*amount.KB, "bytes"
			}
		}
		f.Add(v)
	}
	if len(f.Facts) > 0 {
		f.N = 1
		f.Notes = append(f.Notes, "these are the limits of the Java VM, not of a server")
	}
	return f
}

// ReadUlimit reads ulimit -a, of bash and of dash.
func ReadUlimit(w *part.Window) (f part.Found) {
	if f := virtualMachineLimits(w.Text(0)); f.N > 0 {
		return f
	}
	for f.N < len(w.Lines) {
		m := reUlimit.FindStringSubmatch(part.Bare(w.Text(f.N)))
		if z := reUlimitZsh.FindStringSubmatch(w.Text(f.N)); z != nil {
			m = []string{"", z[2], z[3], z[1], z[4]}
		}
		if m == nil || m[2] == "" && m[3] == "" {
			break
		}
		v := part.Fact{Name: "limit", Of: limitName(m[1], m[3]), Value: m[4]}
		if n, ok := amount.Whole(m[4]); ok {
			v.Value = n
			switch m[2] {
			case "kbytes":
				v.Value, v.Unit = n*amount.KB, "bytes"
			case "512 bytes":
				v.Value, v.Unit = n*512, "bytes"
			case "blocks":
				if v.Unit = "blocks"; n == 0 {
					v.Unit = ""
				}
			case "bytes":
				v.Unit = "bytes"
			case "seconds":
				v.Unit = "s"
			}
		}
		f.Add(v)
		f.N++
	}
	if f.N > 0 && f.N < 3 && !strings.Contains(w.Command, "ulimit") {
		f.Sure = part.Likely
	}
	if f.N > 0 {
		f.Notes = append(f.Notes, shellLimits)
	}
	return f
}

// ReadLimits reads /proc/PID/limits.
func ReadLimits(w *part.Window) (f part.Found) {
	if !reLimitsHead.MatchString(w.Text(0)) {
		return searchedLimits(w)
	}
	f.Of = usage.PID(w.Command)
	f.N = 1
	for f.N < len(w.Lines) {
		m := reLimit.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		f.Add(limitOf(m))
		f.N++
	}
	return f
}

// limitOf is the soft limit of a line.
func limitOf(m []string) part.Fact {
	v := part.Fact{Name: "limit", Of: strings.ReplaceAll(m[1], " ", "_"), Value: m[2]}
	if n, ok := amount.Whole(m[2]); ok {
		v.Value = n
		if m[4] == "bytes" {
			v.Unit = "bytes"
		}
	}
	return v
}

var (
	// reLimitOf is the process that a loop prints before its limits.
	reLimitOf = regex.New(`^(?:PID|pid|Process)[:=]? ?(\d{1,10}):?$`)
	// reSearched is a line of grep in the limits of processes.
	reSearched = regex.New(`^(?:/proc/(\d{1,10})/limits:)?(Max .*)$`)
)

// searchedLimits reads what grep finds in /proc/PID/limits, for one process or for several that have the same limits.
func searchedLimits(w *part.Window) (f part.Found) {
	seen := map[string]any{}
	pid := ""
	for i := 0; i < len(w.Lines); i++ {
		t := w.Text(i)
		if p := reLimitOf.FindStringSubmatch(t); p != nil {
			pid = p[1]
			continue
		}
		s := reSearched.FindStringSubmatch(t)
		if s == nil {
			break
		}
		m := reLimit.FindStringSubmatch(s[2])
		if m == nil || m[4] == "" || !limitValue(m[2]) || !limitValue(m[3]) {
			break
		}
		if s[1] != "" {
			pid = s[1]
		}
		v := limitOf(m)
		if had, ok := seen[v.Of]; ok && had != v.Value { // of another kind of process
			break
		} else if !ok {
			f.Add(v)
		}
		if seen[v.Of] = v.Value; f.Of == "" {
			f.Of = pid
		}
		f.N = i + 1
	}
	return f
}

// limitValue says whether a text is a limit.
func limitValue(s string) bool { return s == "unlimited" || amount.Digits(s) }

// ulimitNames are limits by the letter that ulimit is asked with, and what it counts in.
var ulimitNames = map[byte]struct {
	name string
	unit int64 // bytes; 0: a count
}{'n': {"open_files", 0}, 'u': {"max_user_processes", 0}, 'l': {"max_locked_memory", amount.KB},
	'v': {"virtual_memory", amount.KB},
	's': {"stack_size", amount.KB}, 'm': {"max_memory_size", amount.KB}, 'd': {"data_seg_size", amount.KB}}

// ulimitAnswer reads what ulimit answers of one limit.
func ulimitAnswer(c, t string) (f part.Found) {
	u, ok := ulimitNames[reUlimitOne.FindStringSubmatch(c)[1][0]]
	if !ok {
		return
	}
	v := part.Fact{Name: "limit", Of: u.name, Value: t}
	if n, ok := amount.Whole(t); ok {
		v.Value = n
		if u.unit > 0 && n < amount.Max/u.unit {
			v.Value, v.Unit = n*u.unit, "bytes"
		}
	}
	return part.Found{N: 1, Kind: part.Answer, Facts: []part.Fact{v}, Notes: []string{shellLimits}}
}

var rePamLimit = regex.New(
	`^([@%]?[\w.*-]{1,64})\s+(soft|hard|-)\s+(nofile|memlock|nproc|stack|core|as|data|fsize|rss|cpu|priority` +
		`|nice|` +
		`rtprio|sigpending|msgqueue|locks|maxlogins)\s+(-?\d{1,19}|unlimited|infinity)(?:\s*#.*)?$`)

// ReadPamLimits reads limits.conf.
func ReadPamLimits(w *part.Window) (f part.Found) {
	for i := 0; i < len(w.Lines); i++ {
		t := w.Text(i)
		if f.N > 0 && (w.Lines[i].Is == part.Blank || strings.HasPrefix(t, "#")) {
			continue
		}
		m := rePamLimit.FindStringSubmatch(t)
		if m == nil {
			break
		}
		f.Add(part.Word("limits.conf", m[1]+" "+m[2]+" "+m[3], m[4]))
		f.N = i + 1
	}
	return f
}
