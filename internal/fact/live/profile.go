package live

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Profile is where CPU time went, as perf saw it.
type Profile struct {
	Format  string   `json:"format"`          // report, script or folded
	Event   string   `json:"event,omitempty"` // what was counted: cycles, cpu-clock, page-faults, …
	Samples int64    `json:"samples,omitempty"`
	Lost    int64    `json:"lost,omitempty"` // samples that perf could not write
	Symbols []Symbol `json:"symbols"`        // by their own time, most first
	// by their time including callees, most first; if stacks were recorded
	Callers []Symbol `json:"callers,omitempty"`
	Unknown int      `json:"unknown,omitempty"` // lines that were not understood
	First   string   `json:"first_unknown,omitempty"`
}

// Bounds of what is read.
const (
	MaxProfile = 64 << 20 // bytes of a file
	maxFrames  = 1024     // of one stack: perf's own bound is 127
	maxNames   = 100000   // different functions
)

var errProfile = say.Err("no output of perf report --stdio or perf script, and no folded stacks are in it")

var (
	perfEvent = regexp.MustCompile(`^# Samples: ([\d.]+)([KMG]?) +of event '([^']*)'`)
	perfLost  = regexp.MustCompile(`^# Total Lost Samples: (\d+)`)
	// perf script begins a sample with the command, PID, time and event.
	scriptHead = regexp.MustCompile(`^(\S.*?) +(-?\d+)(?:/\d+)? +(?:\[\d+\] +)?\d+\.\d+: +(?:\d+ +)?([\w:/.-]+):?`)
	// a frame of its stack: address, symbol with offset, object
	scriptFrame = regexp.MustCompile(`^\s+[0-9a-f]+ (.+?)(?:\+0x[0-9a-f]+)? \(([^()]*(?:\([^()]*\))?[^()]*)\)$`)
	// a folded stack: frames with semicolons, and how often it was seen
	folded = regexp.MustCompile(`^([^;\s][^;]*(?:;[^;\s][^;]*)+) (\d+)$`)
)

// ParseProfile reads perf report --stdio, perf script, or folded stacks. It returns an error if the text contains none
// of them.
func ParseProfile(b []byte) (*Profile, error) {
	text := bare(strings.ToValidUTF8(strings.ReplaceAll(string(b), "\r\n", "\n"), "?"))
	if p := parseFolded(text); p != nil {
		return p, nil
	}
	if p := parseScript(text); p != nil {
		return p, nil
	}
	list, callers := perfReport(text)
	if len(list) == 0 {
		if list = perfTree(text); len(list) == 0 {
			return nil, errProfile
		}
	}
	p := &Profile{Format: "report", Symbols: list, Callers: callers}
	for l := range strings.Lines(text) {
		if m := perfEvent.FindStringSubmatch(l); m != nil && p.Event == "" {
			v, _ := strconv.ParseFloat(m[1], 64)
			p.Event, p.Samples = m[3], int64(v*map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[m[2]])
		}
		if m := perfLost.FindStringSubmatch(l); m != nil {
			p.Lost, _ = strconv.ParseInt(m[1], 10, 64)
		}
	}
	sortSymbols(p.Symbols)
	sortSymbols(p.Callers)
	p.Callers = p.Callers[:min(len(p.Callers), maxSymbols)]
	return p, nil
}

// bare removes prefixes of pasted lines: mail quotes, an indent.
func bare(text string) string {
	for range 3 {
		lines, quoted := 0, 0
		least := -1
		for l := range strings.Lines(text) {
			if strings.TrimSpace(l) == "" {
				continue
			}
			lines++
			if strings.HasPrefix(l, ">") {
				quoted++
			}
			if n := len(l) - len(strings.TrimLeft(l, " \t")); least < 0 || n < least {
				least = n
			}
		}
		quote := lines > 0 && quoted*10 >= lines*8
		if !quote && least <= 0 {
			return text
		}
		var b strings.Builder
		for l := range strings.Lines(text) {
			switch {
			case quote:
				l = strings.TrimPrefix(strings.TrimPrefix(l, ">"), " ")
			case strings.TrimSpace(l) != "":
				l = l[least:]
			}
			b.WriteString(l)
		}
		text = b.String()
	}
	return text
}

func sortSymbols(list []Symbol) {
	slices.SortStableFunc(list, func(a, b Symbol) int {
		return cmp.Or(cmp.Compare(b.Percent, a.Percent), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Command, b.Command))
	})
}

// treeLine is a line of a report whose columns were cut down to the share and the function,
// as of perf's full screen: "- 87.79% s_lock", "   8.64%  postgres [.] s_lock".
var treeLine = regexp.MustCompile(`^[-+ ]*(\d+\.\d+)% +(?:\S+ +)?(?:\[[.kgu]\] +)?\.?([A-Za-z_][\w.@]*)\s*$`)

// perfTree reads the outermost lines of a tree of perf report.
func perfTree(text string) []Symbol {
	var out []Symbol
	least := -1
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n ")
		m := treeLine.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		column := strings.IndexFunc(l, func(r rune) bool { return r >= '0' && r <= '9' })
		if least < 0 {
			least = column
		}
		v, err := strconv.ParseFloat(m[1], 64)
		if column > least || err != nil || v > 100 || len(out) >= maxSymbols {
			continue // a share of what is above it
		}
		out = append(out, Symbol{Percent: v, Name: m[2], Kernel: strings.Contains(l, "[k]")})
	}
	return out
}

// counts sums the samples of stacks.
type counts struct {
	own, with map[Symbol]int64
	all       int64
}

func (c *counts) add(command string, frames []Symbol, n int64) {
	if len(frames) == 0 || n <= 0 || n > 1<<40 || c.all > 1<<50 {
		return
	}
	if c.own == nil {
		c.own, c.with = map[Symbol]int64{}, map[Symbol]int64{}
	}
	c.all += n
	seen := map[Symbol]bool{}
	for i, f := range frames {
		f.Command = command
		if i == 0 && (len(c.own) < maxNames || c.own[f] > 0) {
			c.own[f] += n
		}
		if !seen[f] && (len(c.with) < maxNames || c.with[f] > 0) {
			c.with[f] += n
		}
		seen[f] = true
	}
}

// profile makes shares of the sums.
func (c *counts) profile(format string) *Profile {
	share := func(m map[Symbol]int64) []Symbol {
		list := slices.Collect(maps.Keys(m))
		for i := range list {
			n := m[list[i]]
			list[i].Percent = float64(int64(10000*float64(n)/float64(c.all)+0.5)) / 100
		}
		sortSymbols(list)
		return list[:min(len(list), maxSymbols)]
	}
	return &Profile{Format: format, Samples: c.all, Symbols: share(c.own), Callers: share(c.with)}
}

// parseFolded reads stacks as stackcollapse-perf.pl writes them: the command first, the innermost function last. Nil if
// fewer than half of the lines are stacks.
func parseFolded(text string) *Profile {
	var c counts
	lines, good, unknown := 0, 0, ""
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") {
			continue
		}
		lines++
		m := folded.FindStringSubmatch(l)
		if m == nil {
			if unknown == "" {
				unknown = l
			}
			continue
		}
		good++
		frames := strings.Split(m[1], ";")
		var stack []Symbol
		for i := len(frames) - 1; i > 0 && len(stack) < maxFrames; i-- {
			name, kernel := strings.CutSuffix(frames[i], "_[k]")
			stack = append(stack, Symbol{Name: name, Kernel: kernel})
		}
		n, _ := strconv.ParseInt(m[2], 10, 64)
		command := strings.TrimRight(frames[0], "-0123456789/?") // postgres-4711/4711
		c.add(command, stack, n)
	}
	if good*2 < lines || c.all == 0 {
		return nil
	}
	p := c.profile("folded")
	p.Unknown, p.First = lines-good, unknown
	return p
}

// parseScript reads perf script: a head line for each sample, and its stack below it, innermost function first. Nil if
// there is none.
func parseScript(text string) *Profile {
	var c counts
	command, event := "", ""
	var stack []Symbol
	flush := func() {
		c.add(command, stack, 1)
		stack = nil
	}
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n ")
		if m := scriptFrame.FindStringSubmatch(l); m != nil && command != "" {
			if len(stack) < maxFrames {
				name := m[1]
				if at := strings.LastIndex(name, "+0x"); at > 0 {
					name = name[:at]
				}
				stack = append(stack, Symbol{Name: name, Kernel: strings.Contains(m[2], "kernel.") ||
					m[2] == "kernel" ||
					strings.HasPrefix(m[2], "[") && m[2] != "[unknown]" && m[2] != "[vdso]"})
			}
			continue
		}
		if m := scriptHead.FindStringSubmatch(l); m != nil {
			flush()
			command, event = strings.TrimSpace(m[1]), cmp.Or(event, strings.TrimSuffix(m[3], ":"))
			if rest := strings.TrimSpace(l[len(m[0]):]); rest != "" { // without -g, the function follows
				if f := scriptFrame.FindStringSubmatch(" " + rest); f != nil {
					stack = append(stack, Symbol{Name: f[1], Kernel: strings.Contains(f[2], "kernel")})
				}
			}
		} else if strings.TrimSpace(l) == "" {
			flush()
		}
	}
	flush()
	if c.all == 0 {
		return nil
	}
	p := c.profile("script")
	p.Event = event
	return p
}
