package paste

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// What docker, podman and kubectl say of containers and nodes.
var (
	reStatsHead = regex.New(
		`^(?:CONTAINER(?: ID)?|ID|NAMES?)\s.*\bMEM USAGE ?/ ?LIMIT\b|^NAME\s+CPU %\s+MEM USAGE`)
	reStatsRow = regex.New(
		`^(?:([0-9a-f]{12,64})\s+)?([\w./-]{1,255})\s+([\d.]+)%\s+([\d.]+ ?[kKMGT]?i?B) ?/ ?([\d.]+ ?[kKMGT]?i?B)` +
			`\s+([\d.]+)%(.*)$`)
	reStatsPIDs = regex.New(`[kKMGT]?B\s+(\d{1,7})(?:\s|$)`)
	reUsageRow  = regex.New(
		`^([\w./-]{1,255})\s+(?:([\d.]+)%\s+)?([\d.]+ ?[kKMGT]?i?B) / ([\d.]+ ?[kKMGT]?i?B)(?:\s+[\d.]+%)?$`)
	reUsageHead = regex.New(`^NAMES?\s+(?:CPU %\s+)?MEM USAGE / LIMIT(?:\s+MEM %)?$`)
	reSized     = regex.New(`^([\d.]+) ?([kKMGT]?)(i?)B$`)
	reTopPods   = regex.New(`^(?:NAMESPACE\s+)?(?:POD\s+)?NAME\s+CPU\(cores\)\s+(CPU%\s+)?MEMORY\(bytes\)(?:\s+M` +
		`EMORY%)?$`)
	reTopPod = regex.New(`^((?:[\w.-]{1,253}\s+){1,3})(\d{1,9}m?)\s+(?:(\d{1,4})%\s+)?(\d{1,12})([KMG]i)` +
		`(?:\s+\d{1,4}%)?$`)
	reCapacity  = regex.New(`^["']?(?i:capacity)["']?:$`)
	reAllocable = regex.New(`^["']?(?i:allocatable)["']?:$`)
	reResource  = regex.New(
		`^(cpu|memory|pods|ephemeral-storage|hugepages-\w+|attachable-[\w-]+|[\w.-]+/[\w.-]+):\s+["']?` +
			`(\d{1,18}(?:\.\d{1,3})?)([KMGT]i|[kMGTmg])?["']?$`)
)

// sized reads a size of docker and podman, where MiB is of 1024 and MB of 1000.
func sized(s string) (amount, bool) {
	m := reSized.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return amount{}, false
	}
	v, ok := decimal(m[1])
	base := 1000.0
	if m[3] != "" {
		base = 1024
	}
	mult := math.Pow(base, float64(strings.Index("_KMGT", strings.ToUpper(m[2] + "_")[:1])))
	if !ok || v*mult > maxAmount {
		return amount{}, false
	}
	a := amount{bytes: int64(math.Round(v * mult))}
	if mult > 1 && v > 0 {
		_, places, _ := strings.Cut(m[1], ".")
		a.step = math.Pow(10, -float64(len(places))) * mult
	}
	return a, true
}

// readStats reads docker stats and podman stats.
func readStats(w *window) (f found) {
	short := reUsageHead.MatchString(w.t(0))
	if !short && !reStatsHead.MatchString(w.t(0)) {
		if !reStatsRow.MatchString(w.t(0)) || !strings.Contains(w.command, "stats") {
			return
		}
	} else {
		f.n = 1
	}
	rows := 0
	for ; f.n < len(w.lines) && w.lines[f.n].is == content; f.n++ {
		t := w.t(f.n)
		name, cpu, used, limit, rest := "", "", "", "", ""
		if m := reStatsRow.FindStringSubmatch(t); m != nil {
			name, cpu, used, limit, rest = m[2], m[3], m[4], m[5], m[7]
		} else if m := reUsageRow.FindStringSubmatch(t); m != nil && short {
			name, cpu, used, limit = m[1], m[2], m[3], m[4]
		} else if rows > 0 && reStatsHead.MatchString(t) { // docker stats goes on
			continue
		} else {
			break
		}
		rows++
		if v, ok := decimal(cpu); ok {
			f.add(share("container.cpu", name, v))
		}
		if a, ok := sized(used); ok {
			f.add(a.fact("container.memory", name))
		}
		if a, ok := sized(limit); ok {
			f.add(a.fact("container.memory_limit", name))
		}
		if m := reStatsPIDs.FindStringSubmatch(rest); m != nil {
			if n, ok := whole(m[1]); ok {
				f.add(count("container.processes", name, n))
			}
		}
	}
	if rows == 0 {
		return found{}
	}
	f.notes = append(f.notes, "a limit as large as the memory of the host is no limit")
	return f
}

// readTopPods reads kubectl top.
func readTopPods(w *window) (f found) {
	head := reTopPods.FindStringSubmatch(w.t(0))
	if head == nil {
		return
	}
	of := "container."
	if head[1] != "" {
		of = "node."
	}
	for f.n = 1; f.n < len(w.lines); f.n++ {
		m := reTopPod.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		name := strings.Fields(m[1])
		who := name[len(name)-1]
		if strings.HasPrefix(w.t(0), "POD") || strings.Contains(w.t(0), " POD ") {
			who = strings.Join(name[max(len(name)-2, 0):], "/")
		}
		cores, milli := strings.CutSuffix(m[2], "m")
		if v, ok := decimal(cores); ok {
			if milli {
				v /= 1000
			}
			f.add(Fact{Name: of + "cpu_cores", Of: who, Value: v})
		}
		if a, ok := amountOf(m[4]+m[5], 1); ok {
			f.add(a.fact(of+"memory", who))
		}
	}
	if f.n == 1 {
		return found{}
	}
	return f
}

// readNode reads what kubectl describe node, and its YAML, say of a node.
func readNode(w *window) (f found) {
	if !reCapacity.MatchString(w.t(0)) {
		return
	}
	capacity, rows := true, 0
	for f.n = 1; f.n < len(w.lines); f.n++ {
		t := w.t(f.n)
		if reAllocable.MatchString(t) {
			capacity = false
			continue
		}
		m := reResource.FindStringSubmatch(t)
		if m == nil {
			break
		}
		rows++
		n, ok := whole(m[2])
		if !ok {
			continue
		}
		a, sized := amountOf(m[2]+strings.TrimSuffix(m[3], "m"), 1)
		a.step = 0
		switch {
		case m[1] == "cpu" && m[3] == "" && capacity:
			f.add(count("cpu.logical", "", n))
		case m[1] == "cpu" && m[3] == "m" && !capacity:
			f.add(Fact{Name: "node.allocatable.cpu", Value: float64(n) / 1000})
		case m[1] == "memory" && sized && m[3] != "m" && capacity:
			f.add(a.fact("memory.total", ""))
		case m[1] == "memory" && sized && m[3] != "m":
			f.add(a.fact("node.allocatable.memory", ""))
		case strings.HasPrefix(m[1], "hugepages-") && sized && n > 0 && capacity:
			f.add(a.fact("node.huge_pages", strings.TrimPrefix(m[1], "hugepages-")))
		}
	}
	if rows < 2 || len(f.facts) == 0 {
		return found{}
	}
	return f
}

// kubectl describe pod: what a container may take, and how it ended.
var (
	reAmounts  = regex.New(`^["']?([Ll]imits|[Rr]equests|reservations)["']?:(?:\s*\{)?$`)
	reEndedOf  = regex.New(`^(exitCode|reason|finishedAt|startedAt|containerID|message|signal):\s*["']?(.*?)["']?$`)
	reEnded    = regex.New(`^(?:Last State|Last Termination State|State):\s+(Terminated|Running|Waiting)$`)
	rePodField = regex.New(`^(Reason|Exit Code|Started|Finished|Signal|Message):\s+(\S.*)$`)
)

func readContainer(w *window) (f found) {
	if t := w.t(0); t == "terminated:" || t == "lastState:" { // of YAML
		for f.n = 1; f.n < len(w.lines) && f.n < 10; f.n++ {
			p := reEndedOf.FindStringSubmatch(w.t(f.n))
			if p == nil && w.t(f.n) != "terminated:" {
				break
			}
			if p != nil && p[1] == "reason" {
				f.add(word("container.ended", "", p[2]))
			} else if p != nil && p[1] == "exitCode" {
				if n, ok := whole(p[2]); ok {
					f.add(count("container.exit_code", "", n))
				}
			}
		}
		if len(f.facts) == 0 {
			return found{}
		}
		return f
	}
	if m := reEnded.FindStringSubmatch(w.t(0)); m != nil {
		for f.n = 1; f.n < len(w.lines) && f.n < 8; f.n++ {
			p := rePodField.FindStringSubmatch(w.t(f.n))
			if p == nil {
				break
			}
			switch p[1] {
			case "Reason":
				f.add(word("container.ended", "", p[2]))
			case "Exit Code":
				if n, ok := whole(p[2]); ok {
					f.add(count("container.exit_code", "", n))
				}
			}
		}
		if len(f.facts) == 0 || m[1] == "Waiting" {
			return found{}
		}
		return f
	}
	if strings.Contains(w.t(0), "{") {
		if f = flowAmounts(w); f.n > 0 {
			return f
		}
	}
	m := reAmounts.FindStringSubmatch(w.t(0))
	if m == nil {
		return
	}
	kind := "_" + strings.ToLower(m[1])
	// docker counts in 1024, and kubectl in 1000 where there is no i
	composed := m[1] == "reservations" || m[1][0] > 'Z' && w.in(2, "deploy")
	for i := 1; i < len(w.lines) && i < 4; i++ {
		composed = composed || reCompose.MatchString(w.t(i))
	}
	for f.n = 1; f.n < len(w.lines); f.n++ {
		t := w.t(f.n)
		if strings.HasPrefix(t, "#") && f.n+1 < len(w.lines) {
			continue
		}
		if !f.ofContainer(kind, bare(t), composed) {
			break
		}
	}
	if len(f.facts) == 0 {
		return found{}
	}
	return f
}

// ofContainer adds what one line says that a container may take, or asks for, and says whether it is such a line.
func (f *found) ofContainer(kind, t string, composed bool) bool {
	kind = map[byte]string{'l': "_limit", 'r': "_request"}[kind[1]]
	if strings.HasPrefix(t, `"`) { // of JSON
		t = strings.Replace(strings.TrimSuffix(t[1:], ","), `":`, ":", 1)
	}
	if composed {
		if c := reCompose.FindStringSubmatch(t); c != nil && c[1] == "cpus" {
			if v, ok := decimal(c[2]); ok {
				f.add(Fact{Name: "container.cpu" + kind, Value: v})
			}
			return true
		}
	}
	r := reResource.FindStringSubmatch(t)
	if r == nil {
		return false
	}
	size, huge := strings.CutPrefix(r[1], "hugepages-")
	a, ok := amountOf(r[2]+strings.ToUpper(r[3][:min(len(r[3]), 1)]), 1)
	switch {
	case ok && (r[1] == "memory" || huge) && (r[3] != "m" || composed):
		if !composed && (r[3] == "M" || r[3] == "G" || r[3] == "k") {
			a, ok = sized(r[2] + r[3] + "B")
		}
		a.step = 0
		if ok && huge && kind == "_limit" {
			f.add(a.fact("container.huge_pages", size))
		} else if ok && !huge {
			f.add(a.fact("container.memory"+kind, ""))
		}
	case r[1] == "cpu":
		if v, ok := decimal(r[2]); ok {
			if r[3] == "m" {
				v /= 1000
			}
			f.add(Fact{Name: "container.cpu" + kind, Value: v})
		}
	}
	return true
}

var (
	reFlowHead = regex.New(`^(?:- )?["']?(?:resources|limits|requests)["']?\s*:\s*\{`)
	reFlow     = regex.New(`["']?(limits|requests)["']?\s*:\s*\{([^{}]{1,300})\}`)
)

// flowAmounts reads such lists in one line: limits: {cpu: 4, memory: 8Gi}.
func flowAmounts(w *window) (f found) {
	if !reFlowHead.MatchString(w.t(0)) {
		return
	}
	for _, m := range reFlow.FindAllStringSubmatch(w.t(0), 4) {
		for row := range strings.SplitSeq(m[2], ",") {
			f.ofContainer("_"+m[1], strings.TrimSpace(row), false)
		}
	}
	if len(f.facts) > 0 {
		f.n = 1
	}
	return f
}
