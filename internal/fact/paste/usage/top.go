package usage

import (
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/table"
)

var (
	reTopHead = regex.New(
		`^(?:h?top - )?(?:\d\d:\d\d:\d\d )?up +(.{1,60}?), +(?:\d+ users?, +)?load average: ([\d.,]+)[, ] ?([\d.` +
			`,]+)[, ] ?([\d.,]+)`)
	reTopTasks = regex.New(
		`^(?:(?:Tasks|Threads):\s*(\d+)(?: total)?,|\pL{3,12}\s?:\s*(\d+)(?: \pL+)?, +\d+(?: [\pL.]+){1,3}, +\d+` +
			` [\pL.]+, +\d+ )`)
	reTopCPU   = regex.New(`^(?:%?Cpu|%CPU)(?:\(s\)|(\d{1,4}))\s*:\s*(.*)$`)
	reTopShare = regex.New(`(\d+(?:[.,]\d+)?)\s*%?\s*(us|sy|ni|id|wa|hi|si|st)\b`)
	// in another language the places of the eight say what they are
	reTopEight = regex.New(`^(\d+[.,]\d)\s*\pL{1,3}\.?(?:,\s*(\d+[.,]\d)\s*\pL{1,3}\.?){7}$`)
	// words of any length, and perhaps cut at the width of a terminal
	reTopWords = regex.New(`^(?:\d+[.,]\d \pL[\pL. ]{0,15},\s+){4,7}(?:\d+[.,]\d \pL[\pL. ]*|\d*[.,]?\d?)$`)
	reTopPlace = regex.New(`(\d+[.,]\d)\s*\pL`)
	reTopMem   = regex.New(`^(?:([KMGTkКМГТ])[iи]?[BБ] )?(Mem|Swap)\s*:\s*(\d.*)$`)
	reTopOther = regex.New(
		`^([KMGTКМГТ])[iи]?[BБ] (\pL[\pL.]{1,14})\s*:\s*(\d+[.,]?\d*) [\pL.]{2,8}[,.]\s*(\d+[.,]?\d*) [\pL.]{2,` +
			`8}[,.]\s*(\d` +
			`+[.,]?\d*) ` +
			`[\pL.]{2,8}[,.]\s*(\d+[.,]?\d*) \pL.*$`)
	reTopOne = regex.New(
		`(\d+(?:[.,]\d+)?)([+kmgKMG]?)\+?\s*(total|free|used|buff/cache|buffers|cached(?: Mem)?|avail \pL+)`)
	reTopTable = regex.New(
		`^PID\s+\S+\s+PR\s+NI\s+VIRT\s+\S|^PID\s(?:.*\s)?(?:VIRT|RES)\s.*(?:COMMAND|Command)$`)
	reTopState = regex.New(`^[RSDZTtIX]$`)
	reTopRow   = regex.New(
		`^(\d{1,10})\s+(\S{1,32})\s+(-?\d+|rt)\s+(-?\d+)\s+([\d.,]+[kmgt]?)\s+([\d.,]+[kmgt]?)\s+([\d.,]+[kmgt]?)\s` +
			`+([RSDZTtIX])\s+([\d.,]+)\s+([\d.,]+)\s+([\d:.]+)\s+(\S.*)$`)
)

// a row of top that was broken before its command, and the line that has it
var (
	reTopBroken = regex.New(`^\d{1,10}\s+\S{1,32}\s+(?:-?\d+|rt)\s+-?\d+(?:\s+[\d.,]+[kmgt]?){3}\s+[RSDZTtIX]` +
		`(?:\s+[\d.,]+){2}\s+\d+:[\d:.]+$`)
	reTopName = regex.New(`^[\w/(\[][\w./:+()\[\]-]*(?: .{0,200})?$`)
)

// ReadTop reads top, from any of its lines on, and uptime.
func ReadTop(w *part.Window) (f part.Found) {
	t0 := w.Text(0)
	if !reTopHead.MatchString(t0) && !reTopTasks.MatchString(t0) && !reTopCPU.MatchString(t0) &&
		!reTopTable.MatchString(t0) &&
		!topMemory(t0) && !reTopRow.MatchString(t0) {
		return
	}
	var t top
	rows, lines := 0, 0
	for i := 0; i < len(w.Lines); i++ {
		s := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Elided:
			if i+1 < len(w.Lines) && reTopHead.MatchString(w.Text(i+1)) && t.headed {
				goto end // the next screen of top -b
			}
			continue
		case reTopHead.MatchString(s):
			if t.headed || lines > 0 {
				goto end
			}
			t.head(&f, s)
		case reTopTasks.MatchString(s):
			m := reTopTasks.FindStringSubmatch(s)
			if n, ok := amount.Whole(m[1] + m[2]); ok {
				f.Add(part.Count("tasks.total", "", n))
			}
		case reTopCPU.MatchString(s):
			t.cpu(&f, s)
		case topMemory(s):
			t.memory(&f, s)
		case (t.headed || rows+lines > 0) && reTopOther.MatchString(s):
			t.places(&f, s)
		case reTopTable.MatchString(s):
			t.columns = topColumns(s)
		case reTopBroken.MatchString(s) && i+1 < len(w.Lines) && reTopName.MatchString(w.Text(i+1)) &&
			t.columns.Names == nil && lines > 0: // a mail program broke it before the command
			t.row(&f, s+" "+w.Text(i+1))
			rows++
			i++
		case t.columns.Names != nil:
			if !t.cells(&f, s) {
				goto end
			}
			rows++
		case reTopRow.MatchString(s):
			t.row(&f, s)
			rows++
		default:
			goto end
		}
		lines++
		f.N = i + 1
	}
end:
	t.end(&f)
	if t.headed && lines == 1 && !strings.HasPrefix(t0, "top") {
		f.Kind = part.Uptime
	}
	if rows == lines { // without a head
		f.Sure = part.Likely
	}
	return f
}

func topMemory(s string) bool {
	m := reTopMem.FindStringSubmatch(s)
	return m != nil && strings.Contains(m[3], "total") &&
		(strings.Contains(m[3], "free") || strings.Contains(m[3], "used"))
}

// topColumns are the columns of a table whose order is not the one that top begins with; none where it is.
func topColumns(head string) table.Columns {
	c := table.ColumnsOf(strings.ToUpper(
		strings.NewReplacer("▽", " ", "△", " ").Replace(head))) // htop: what it sorts by
	if len(c.Names) == 12 && c.At("PR") == 2 && c.At("VIRT") == 4 && c.At("RES") == 5 && c.At("SHR") == 6 &&
		c.At("S") == 7 {
		return table.Columns{}
	}
	return c
}

// cells reads a row by the columns that its table has.
func (t *top) cells(f *part.Found, s string) bool {
	c := strings.Fields(s)
	pid, state, last := t.columns.At("PID"), t.columns.At("S"), len(t.columns.Names)-1
	if len(c) <= last || pid < 0 || !amount.Digits(c[pid]) || state >= 0 && !reTopState.MatchString(c[state]) {
		return false
	}
	t.counted = true
	for _, x := range [][2]string{{"VIRT", "process.virtual"}, {"RES", "process.resident"}, {"SHR", "process.shared"},
		{"SWAP", "process.swap"}} {
		if at := t.columns.At(x[0]); at >= 0 {
			if a, ok := topAmount(c[at]); ok {
				f.Add(a.Fact(x[1], c[pid]))
			}
		}
	}
	t.process(f, c[pid], strings.TrimSpace(table.CommandTree.ReplaceAllString(strings.Join(c[last:], " "), "")))
	return true
}

type top struct {
	columns  table.Columns
	headed   bool
	cpus     int64
	servers  int64
	counted  bool
	first    bool  // a line of memory was read by its places
	memories []cut // of the line Mem, in the order of total, free, used, cache
}

// cut is a number of which digits may be missing at its end.
type cut struct {
	name   string
	digits int64
	mult   float64
	lost   bool
}

func (t *top) head(f *part.Found, s string) {
	m := reTopHead.FindStringSubmatch(s)
	t.headed = true
	for k, name := range []string{"load.1", "load.5", "load.15"} {
		if v, ok := amount.Decimal(strings.TrimSuffix(m[2+k], ",")); ok {
			f.Add(part.Fact{Name: name, Value: v})
		}
	}
	if sec, ok := upSeconds(m[1]); ok {
		f.Add(part.Seconds("uptime", "", sec))
	}
}

var reUp = regex.New(`^(?:(\d+) days?)?,? *(?:(\d+):(\d\d)|(\d+) min|(\d+) hours?)?$`)

// upSeconds reads "7 days, 18:55", "3 days, 42 min", "8 min".
func upSeconds(s string) (float64, bool) {
	m := reUp.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil || s == "" {
		return 0, false
	}
	n := func(i int) float64 { v, _ := strconv.ParseFloat("0"+m[i], 64); return v }
	return n(1)*86400 + n(2)*3600 + n(3)*60 + n(4)*60 + n(5)*3600, true
}

func (t *top) cpu(f *part.Found, s string) {
	m := reTopCPU.FindStringSubmatch(s)
	if m[1] != "" {
		t.cpus++
	}
	names := map[string]string{"us": "cpu.user", "sy": "cpu.system", "ni": "cpu.nice", "id": "cpu.idle",
		"wa": "cpu.iowait",
		"st": "cpu.steal"}
	if reTopEight.MatchString(m[2]) || reTopWords.MatchString(m[2]) {
		order := []string{"us", "sy", "ni", "id", "wa", "hi", "si", "st"}
		for k, p := range reTopPlace.FindAllStringSubmatch(m[2], len(order)) {
			if v, ok := amount.Decimal(p[1]); ok && names[order[k]] != "" {
				f.Add(part.Percent(names[order[k]], m[1], v))
			}
		}
		return
	}
	for _, p := range reTopShare.FindAllStringSubmatch(m[2], 16) {
		if v, ok := amount.Decimal(p[1]); ok && names[p[2]] != "" {
			f.Add(part.Percent(names[p[2]], m[1], v))
		}
	}
}

// reTopParts are amounts with decimals alone.
var reTopParts = regex.New(`^\d+[.,]\d total`)

func (t *top) memory(f *part.Found, s string) {
	m := reTopMem.FindStringSubmatch(s)
	base := map[string]float64{"К": amount.KB, "М": amount.MB, "Г": amount.GB, "Т": amount.GB << 10, "": amount.KB,
		"K": amount.KB, "k": 1000, "M": amount.MB, "G": amount.GB, "T": amount.GB << 10}[m[1]]
	if m[1] == "K" && reTopParts.MatchString(m[3]) { // only larger units have decimals: somebody wrote the label
		base = amount.MB
	}
	swap := m[2] == "Swap"
	var here []cut
	for _, p := range reTopOne.FindAllStringSubmatch(m[3], 8) {
		p[1] = strings.Replace(p[1], ",", ".", 1)
		v, err := strconv.ParseFloat(p[1], 64)
		if err != nil {
			continue
		}
		mult := base
		switch strings.ToLower(p[2]) {
		case "k":
			mult = amount.KB
		case "m":
			mult = amount.MB
		case "g":
			mult = amount.GB
		}
		name := "memory."
		if swap {
			name = "swap."
		}
		switch p[3] {
		case "buff/cache":
			name = "memory.buff_cache"
		case "cached", "cached Mem":
			name = "memory.cached"
		case "total", "free", "used", "buffers":
			name += p[3]
		default: // avail, with Mem in the language of the user
			name = "memory.available"
		}
		lost := strings.Contains(p[0], "+")
		if lost {
			here = append(here, cut{name, int64(v), mult, true})
			continue
		}
		if v*mult > amount.Max {
			continue
		}
		a := amount.Amount{Bytes: int64(math.Round(v * mult))}
		if i := strings.IndexByte(p[1], '.'); i >= 0 && a.Bytes != 0 {
			a.Step = math.Pow(10, -float64(len(p[1])-i-1)) * mult
		} else if mult > amount.KB && a.Bytes != 0 {
			a.Step = mult
		}
		f.Add(a.Fact(name, ""))
		here = append(here, cut{name, int64(v), mult, false})
	}
	t.memories = append(t.memories, here...)
}

// places reads the memory in another language than English: total, free, used, and what is
// cached or, in the second line, available.
func (t *top) places(f *part.Found, s string) {
	m := reTopOther.FindStringSubmatch(s)
	m[1] = strings.NewReplacer("К", "K", "М", "M", "Г", "G", "Т", "T").Replace(m[1])
	names := []string{"memory.total", "memory.free", "memory.used", "memory.buff_cache"}
	if t.first {
		names = []string{"swap.total", "swap.free", "swap.used", "memory.available"}
	}
	t.first = true
	for k, name := range names {
		if a, ok := amount.Of(m[3+k]+m[1], 1); ok {
			if m[1] == "K" && !strings.ContainsAny(m[3+k], ".,") {
				a.Step = 0
			}
			f.Add(a.Fact(name, ""))
		}
	}
}

// end adds the numbers that top has cut, where the others say how many digits are
// missing: free, used and what is cached are all of the memory.
func (t *top) end(f *part.Found) {
	lost := false
	var known, total, rest float64
	for _, c := range t.memories {
		lost = lost || c.lost
		switch {
		case c.name == "memory.total":
			total = float64(c.digits)
		case c.name == "memory.available" || strings.HasPrefix(c.name, "swap."):
		case c.lost:
			rest += float64(c.digits)
		default:
			known += float64(c.digits)
		}
	}
	if lost {
		places := 0
		for p, ten := 1, 10.0; p <= 4; p, ten = p+1, ten*10 {
			if total > 0 && math.Abs(total*ten-(known+rest*ten)) <= 3*ten {
				places = p
				break
			}
		}
		ten := math.Pow(10, float64(places))
		for _, c := range t.memories {
			if c.lost && places > 0 {
				f.Add(amount.Amount{Bytes: int64(float64(c.digits) * ten * c.mult), Step: ten * c.mult}.Fact(c.name,
					""))
			}
		}
		if places > 0 {
			f.Notes = append(f.Notes,
				"top cut numbers that did not fit into its columns (+): their last digits are missing")
		} else {
			f.Notes = append(f.Notes,
				"top cut numbers that did not fit into its columns (+): they are omitted, because the number of "+
					"missing digits is unknown")
		}
	}
	if t.cpus > 0 {
		f.Add(part.Count("cpu.shown", "", t.cpus))
	}
	if t.counted {
		f.Add(part.Count("processes.postgres", "", t.servers))
	}
}

func (t *top) row(f *part.Found, s string) {
	m := reTopRow.FindStringSubmatch(s)
	t.counted = true
	for k, name := range []string{"process.virtual", "process.resident", "process.shared"} {
		if a, ok := topAmount(m[5+k]); ok {
			f.Add(a.Fact(name, m[1]))
		}
	}
	t.process(f, m[1], strings.TrimSpace(m[12]))
}

// process notes what a row says of its process.
func (t *top) process(f *part.Found, pid, cmd string) {
	f.Add(part.Word("process.command", pid, cmd))
	if isServer(cmd) {
		t.servers++
		if dir := DataDirectory(cmd); dir != "" {
			f.Add(part.Word("data_directory", pid, dir))
		}
	}
}

// top of busybox.
var (
	reBusyMem = regex.New(
		`^Mem: (\d+)K used, (\d+)K free(?:, (\d+)K shrd)?(?:, (\d+)K buff)?(?:, (\d+)K cached)?$`)
	reBusyCPU  = regex.New(`^CPU\d*:\s+([\d.]+)% usr\s+([\d.]+)% sys\s+([\d.]+)% nic\s+([\d.]+)% idle\s+([\d.]+)% io\b`)
	reBusyLoad = regex.New(`^Load average: ([\d.]+) ([\d.]+) ([\d.]+) \d+/\d+ \d+$`)
	reBusyHead = regex.New(`^PID\s+PPID\s+USER\s+STAT\s+VSZ\s+%VSZ\s+(?:CPU\s+)?%CPU\s+COMMAND$`)
	reBusyRow  = regex.New(
		`^(\d{1,10})\s+(\d{1,10})\s+(\S{1,32})\s+([RSDZTIX]\S?(?: ?[<N])?)\s+([\d.]+[kmg]?)\s+([\d.]+)%?\s+` +
			`(?:\d+\s+)?([\d.]+)%?\s+(\S.*)$`)
)

// ReadBusyTop reads top of busybox.
func ReadBusyTop(w *part.Window) (f part.Found) {
	if !reBusyMem.MatchString(w.Text(0)) && !reBusyHead.MatchString(w.Text(0)) {
		return
	}
	var t top
	for i := range w.Lines {
		s := w.Text(i)
		if w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Elided {
			continue
		}
		if m := reBusyMem.FindStringSubmatch(s); m != nil {
			if i > 0 {
				break // the next screen
			}
			var used, free int64
			for k, name := range []string{"memory.used", "memory.free", "memory.shared", "memory.buffers",
				"memory.cached"} {
				n, ok := amount.Kilobytes(m[1+k])
				if !ok {
					continue
				}
				f.Add(part.Bytes(name, "", n))
				switch k {
				case 0:
					used = n
				case 1:
					free = n
				}
			}
			f.Add(part.Bytes("memory.total", "", used+free)) // used is the rest
		} else if m := reBusyCPU.FindStringSubmatch(s); m != nil {
			for k, name := range []string{"cpu.user", "cpu.system", "cpu.nice", "cpu.idle", "cpu.iowait"} {
				if v, ok := amount.Decimal(m[1+k]); ok {
					f.Add(part.Percent(name, "", v))
				}
			}
		} else if m := reBusyLoad.FindStringSubmatch(s); m != nil {
			for k, name := range []string{"load.1", "load.5", "load.15"} {
				if v, ok := amount.Decimal(m[1+k]); ok {
					f.Add(part.Fact{Name: name, Value: v})
				}
			}
		} else if m := reBusyRow.FindStringSubmatch(s); m != nil {
			t.counted = true
			if n, ok := amount.Whole(m[2]); ok {
				f.Add(part.Count("process.parent", m[1], n))
			}
			if a, ok := amount.Of(m[5], amount.KB); ok {
				f.Add(a.Fact("process.virtual", m[1]))
			}
			t.process(&f, m[1], m[8])
		} else if !reBusyHead.MatchString(s) {
			break
		}
		f.N = i + 1
	}
	t.end(&f)
	return f
}

// topAmount reads a size in a row of top: kB without a letter.
func topAmount(s string) (amount.Amount, bool) {
	a, ok := amount.Of(strings.TrimRight(s, "t"), amount.KB)
	if strings.HasSuffix(s, "t") {
		a, ok = amount.Of(strings.TrimSuffix(s, "t")+"T", amount.KB)
	}
	return a, ok
}

var reServer = regex.New(`(?:^|[/" ])(?:edb-)?post(?:gres|master)(?::| |"|$)`)

// isServer says whether a command line is one of a PostgreSQL server.
func isServer(cmd string) bool {
	return reServer.MatchString(cmd) && !strings.HasPrefix(cmd, "grep") && !strings.HasPrefix(cmd, "su") &&
		!strings.HasPrefix(cmd, "psql")
}

// Begins says whether free, top, vmstat or a program of sysstat begin at a line.
func Begins(w *part.Window, i int) bool {
	t := w.Text(i)
	return reFreeMem.MatchString(w.Text(i+1)) && reFreeHead.MatchString(t) || reTopHead.MatchString(t) ||
		reVmstatTop.MatchString(t) || reSysstat.MatchString(t)
}
