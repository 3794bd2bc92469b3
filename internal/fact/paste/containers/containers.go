// Package containers recognizes containers and clusters: docker, podman, kubectl, compose files,
// manifests, Patroni.
package containers

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// What docker, podman and kubectl say of containers and nodes.
var (
	reStatsHead = regex.New(
		`^(?:CONTAINER(?: ID)?|ID|NAMES?)\s.*\bMEM USAGE ?/ ?LIMIT\b|^NAME\s+CPU %\s+MEM USAGE`)
	reStatsRow = regex.New(
		`^(?:([0-9a-f]{12,64})\s+)?([\w./-]{1,255})\s+([\d.]+)%\s+([\d.]+ ?[kKMGT]?i?B) ?/ ?([\d.]+ ?[kKMGT]?i?B)` +
			`\s+([\d.]+)%(.*)$`)
	// a row with all columns, which is known without its head: the network, the disks, the processes
	reStatsWhole = regex.New(`^\S+\s+(?:\S+\s+)?[\d.]+%\s+[\d.]+ ?[kKMGT]?i?B ?/ ?[\d.]+ ?[kKMGT]?i?B\s+[\d.]+%` +
		`(?:\s+[\d.]+ ?[kKMGT]?i?B ?/ ?[\d.]+ ?[kKMGT]?i?B){2}(?:\s+\d{1,7})?$`)
	reStatsPIDs = regex.New(`[kKMGT]?B\s+(\d{1,7})(?:\s|$)`)
	reUsageRow  = regex.New(
		`^([\w./-]{1,255})\s+(?:([\d.]+)%\s+)?([\d.]+ ?[kKMGT]?i?B) / ([\d.]+ ?[kKMGT]?i?B)(?:\s+[\d.]+%)?$`)
	reUsageHead = regex.New(`^NAMES?\s+(?:CPU %\s+)?MEM USAGE / LIMIT(?:\s+MEM %)?$`)
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

// ReadStats reads docker stats and podman stats.
func ReadStats(w *part.Window) (f part.Found) {
	short := reUsageHead.MatchString(w.Text(0))
	if !short && !reStatsHead.MatchString(w.Text(0)) {
		if !reStatsRow.MatchString(w.Text(0)) || !strings.Contains(w.Command, "stats") &&
			!reStatsWhole.MatchString(w.Text(0)) {
			return
		}
		f.Sure = part.Likely
	} else {
		f.N = 1
	}
	rows := 0
	for ; f.N < len(w.Lines) && w.Lines[f.N].Is == part.Content; f.N++ {
		t := w.Text(f.N)
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
		if v, ok := amount.Decimal(cpu); ok {
			f.Add(part.Percent("container.cpu", name, v))
		}
		if a, ok := amount.Sized(used); ok {
			f.Add(a.Fact("container.memory", name))
		}
		if a, ok := amount.Sized(limit); ok {
			f.Add(a.Fact("container.memory_limit", name))
		}
		if m := reStatsPIDs.FindStringSubmatch(rest); m != nil {
			if n, ok := amount.Whole(m[1]); ok {
				f.Add(part.Count("container.processes", name, n))
			}
		}
	}
	if rows == 0 {
		return part.Found{}
	}
	f.Notes = append(f.Notes, "a limit as large as the memory of the host is no limit")
	return f
}

// ReadTopPods reads kubectl top.
func ReadTopPods(w *part.Window) (f part.Found) {
	head := reTopPods.FindStringSubmatch(w.Text(0))
	if head == nil {
		return
	}
	of := "container."
	if head[1] != "" {
		of = "node."
	}
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		m := reTopPod.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		name := strings.Fields(m[1])
		who := name[len(name)-1]
		if strings.HasPrefix(w.Text(0), "POD") || strings.Contains(w.Text(0), " POD ") {
			who = strings.Join(name[max(len(name)-2, 0):], "/")
		}
		cores, milli := strings.CutSuffix(m[2], "m")
		if v, ok := amount.Decimal(cores); ok {
			if milli {
				v /= 1000
			}
			f.Add(part.Fact{Name: of + "cpu_cores", Of: who, Value: v})
		}
		if a, ok := amount.Of(m[4]+m[5], 1); ok {
			f.Add(a.Fact(of+"memory", who))
		}
	}
	if f.N == 1 {
		return part.Found{}
	}
	return f
}

// ReadNode reads what kubectl describe node, and its YAML, say of a node.
func ReadNode(w *part.Window) (f part.Found) {
	if !reCapacity.MatchString(w.Text(0)) {
		return
	}
	capacity, rows := true, 0
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		t := w.Text(f.N)
		if reAllocable.MatchString(t) {
			capacity = false
			continue
		}
		m := reResource.FindStringSubmatch(t)
		if m == nil {
			break
		}
		rows++
		n, ok := amount.Whole(m[2])
		if !ok {
			continue
		}
		a, sized := amount.Of(m[2]+strings.TrimSuffix(m[3], "m"), 1)
		a.Step = 0
		switch {
		case m[1] == "cpu" && m[3] == "" && capacity:
			f.Add(part.Count("cpu.logical", "", n))
		case m[1] == "cpu" && m[3] == "m" && !capacity:
			f.Add(part.Fact{Name: "node.allocatable.cpu", Value: float64(n) / 1000})
		case m[1] == "cpu" && m[3] == "" && !capacity:
			f.Add(part.Count("node.allocatable.cpu", "", n))
		case m[1] == "memory" && sized && m[3] != "m" && capacity:
			f.Add(a.Fact("memory.total", ""))
		case m[1] == "memory" && sized && m[3] != "m":
			f.Add(a.Fact("node.allocatable.memory", ""))
		case strings.HasPrefix(m[1], "hugepages-") && sized && n > 0 && capacity:
			f.Add(a.Fact("node.huge_pages", strings.TrimPrefix(m[1], "hugepages-")))
		}
	}
	if rows < 2 || len(f.Facts) == 0 {
		return part.Found{}
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

// ReadContainer reads what a container may take, and how it ended.
func ReadContainer(w *part.Window) (f part.Found) {
	if t := w.Text(0); t == "terminated:" || t == "lastState:" { // of YAML
		for f.N = 1; f.N < len(w.Lines) && f.N < 10; f.N++ {
			p := reEndedOf.FindStringSubmatch(w.Text(f.N))
			if p == nil && w.Text(f.N) != "terminated:" {
				break
			}
			if p != nil && p[1] == "reason" {
				f.Add(part.Word("container.ended", "", p[2]))
			} else if p != nil && p[1] == "exitCode" {
				if n, ok := amount.Whole(p[2]); ok {
					f.Add(part.Count("container.exit_code", "", n))
				}
			}
		}
		if len(f.Facts) == 0 {
			return part.Found{}
		}
		return f
	}
	if m := reEnded.FindStringSubmatch(w.Text(0)); m != nil {
		for f.N = 1; f.N < len(w.Lines) && f.N < 8; f.N++ {
			p := rePodField.FindStringSubmatch(w.Text(f.N))
			if p == nil {
				break
			}
			switch p[1] {
			case "Reason":
				f.Add(part.Word("container.ended", "", p[2]))
			case "Exit Code":
				if n, ok := amount.Whole(p[2]); ok {
					f.Add(part.Count("container.exit_code", "", n))
				}
			}
		}
		if len(f.Facts) == 0 || m[1] == "Waiting" {
			return part.Found{}
		}
		return f
	}
	if strings.Contains(w.Text(0), "{") {
		if f = flowAmounts(w); f.N > 0 {
			return f
		}
	}
	m := reAmounts.FindStringSubmatch(w.Text(0))
	if m == nil {
		return
	}
	kind := "_" + strings.ToLower(m[1])
	// docker counts in 1024, and kubectl in 1000 where there is no i
	composed := m[1] == "reservations" || m[1][0] > 'Z' && w.In(2, "deploy")
	for i := 1; i < len(w.Lines) && i < 4; i++ {
		composed = composed || reCompose.MatchString(w.Text(i))
	}
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		t := w.Text(f.N)
		if strings.HasPrefix(t, "#") && f.N+1 < len(w.Lines) {
			continue
		}
		if !ofContainer(&f, kind, part.Bare(t), composed) {
			break
		}
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}

// ofContainer adds what one line says that a container may take, or asks for, and says whether it is such a line.
func ofContainer(f *part.Found, kind, t string, composed bool) bool {
	kind = map[byte]string{'l': "_limit", 'r': "_request"}[kind[1]]
	if strings.HasPrefix(t, `"`) { // of JSON
		t = strings.Replace(strings.TrimSuffix(t[1:], ","), `":`, ":", 1)
	}
	if composed {
		if c := reCompose.FindStringSubmatch(t); c != nil && c[1] == "cpus" {
			if v, ok := amount.Decimal(c[2]); ok {
				f.Add(part.Fact{Name: "container.cpu" + kind, Value: v})
			}
			return true
		}
	}
	r := reResource.FindStringSubmatch(t)
	if r == nil {
		return false
	}
	size, huge := strings.CutPrefix(r[1], "hugepages-")
	a, ok := amount.Of(r[2]+strings.ToUpper(r[3][:min(len(r[3]), 1)]), 1)
	switch {
	case ok && (r[1] == "memory" || huge) && (r[3] != "m" || composed):
		if !composed && (r[3] == "M" || r[3] == "G" || r[3] == "k") {
			a, ok = amount.Sized(r[2] + r[3] + "B")
		}
		a.Step = 0
		if ok && huge && kind == "_limit" {
			f.Add(a.Fact("container.huge_pages", size))
		} else if ok && !huge {
			f.Add(a.Fact("container.memory"+kind, ""))
		}
	case r[1] == "cpu":
		if v, ok := amount.Decimal(r[2]); ok {
			if r[3] == "m" {
				v /= 1000
			}
			f.Add(part.Fact{Name: "container.cpu" + kind, Value: v})
		}
	}
	return true
}

var (
	reFlowHead = regex.New(`^(?:- )?["']?(?:resources|limits|requests)["']?\s*:\s*\{`)
	reFlow     = regex.New(`["']?(limits|requests)["']?\s*:\s*\{([^{}]{1,300})\}`)
)

// flowAmounts reads such lists in one line: limits: {cpu: 4, memory: 8Gi}.
func flowAmounts(w *part.Window) (f part.Found) {
	if !reFlowHead.MatchString(w.Text(0)) {
		return
	}
	for _, m := range reFlow.FindAllStringSubmatch(w.Text(0), 4) {
		for row := range strings.SplitSeq(m[2], ",") {
			ofContainer(&f, "_"+m[1], strings.TrimSpace(row), false)
		}
	}
	if len(f.Facts) > 0 {
		f.N = 1
	}
	return f
}
