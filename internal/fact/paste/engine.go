package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// What docker and podman say of themselves, and of one container.
var (
	reEngineHead = regex.New(`^(?:Client|Server|Containers|Images)(?: ?[:-] .{0,60}|:(?: \d+)?)$`)
	reEngineSign = regex.New(
		`^(?:Storage Driver|Docker Root Dir|Cgroup Driver|API version|Go version|Git commit|OS/Arch):`)
	reEngineLine = regex.New(`^-{0,2}[A-Za-z][\w ./()-]{0,50}:(?:\s+(.*))?$`)
	reCompose    = regex.New(`^["']?(mem_limit|shm_size|mem_reservation|cpus)["']?\s*:\s*["']?(\d[\d.]*) ?` +
		`([bkmgBKMG]?)[bB]?["']?$`)
	reInspectLine = regex.New(
		`^"(Name|OOMKilled|ExitCode|Memory|MemorySwap|MemoryReservation|NanoCpus|ShmSize|CpuShares|CpuQuota)":\s*` +
			`("[^"]*"|-?\d{1,19}|true|false),?$`)
	reInspectOwn = regex.New(`^"(?:OOMKilled|Memory|MemorySwap|NanoCpus|ShmSize|HostConfig)":`)
	reJSONLine   = regex.New(`^[\[\]{}],?$|^"[\w./ -]{1,80}":\s*\S.*$|^[\]}],?$|^"[^"]{0,200}",?$`)
)

const mostInspected = 400 // lines of a document that are looked through for a line of its own

func readEngine(w *window) (f found) {
	if !reEngineHead.MatchString(w.t(0)) {
		return
	}
	signs := 0
	for i := range w.lines {
		t := w.t(i)
		switch {
		case w.lines[i].is == blank || w.lines[i].is == elided:
			continue
		case !reEngineLine.MatchString(t) && w.lines[i].text == t && !reEngineHead.MatchString(t):
			goto end
		case reEngineSign.MatchString(t):
			signs++
		}
		f.n = i + 1
		key, val, _ := strings.Cut(t, ":")
		switch val = strings.TrimSpace(val); key {
		case "CPUs":
			if n, ok := whole(val); ok {
				f.add(count("cpu.logical", "", n))
			}
		case "Total Memory":
			if a, ok := sized(val); ok {
				f.add(a.fact("memory.total", ""))
			}
		case "Kernel Version":
			if reBareRelease.MatchString(val) {
				f.add(word("kernel.release", "", val))
			}
		case "Operating System":
			f.add(word("os.name", "", val))
		case "Name":
			if reHostName.MatchString(val) && signs > 0 {
				f.add(word("host.name", "", val))
			}
		case "Cgroup Version":
			f.add(word("cgroup.version", "", val))
		}
	}
end:
	if signs == 0 {
		return found{}
	}
	return f
}

// readInspect reads docker inspect, or the lines of it that a person chose.
func readInspect(w *window) (f found) {
	if t := w.t(0); !reInspectOwn.MatchString(t) {
		if !strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "{") && !reInspectLine.MatchString(t) {
			return
		}
		if strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
			if _, ok := w.far(); !ok {
				return
			}
		}
	}
	own, name := 0, ""
	for i := 0; i < len(w.lines) && i < farLines; i++ {
		t := w.t(i)
		if w.lines[i].is == blank || w.lines[i].is == elided {
			continue
		}
		if !reJSONLine.MatchString(t) || own == 0 && i > mostInspected {
			break
		}
		f.n = i + 1
		if reInspectOwn.MatchString(t) {
			own++
		}
		m := reInspectLine.FindStringSubmatch(t)
		if m == nil {
			continue
		}
		if m[1] == "Name" && name == "" && strings.HasPrefix(m[2], `"/`) {
			name = strings.Trim(m[2], `"/`)
		}
		f.inspected(m[1], m[2], name)
	}
	if own == 0 || len(f.facts) == 0 {
		return found{}
	}
	return f
}

// inspected adds what one line says; 0 is no limit.
func (f *found) inspected(key, val, name string) {
	n, ok := whole(val)
	switch {
	case key == "OOMKilled":
		f.add(word("container.oom_killed", name, map[string]string{"true": "yes", "false": "no"}[val]))
	case key == "ExitCode" && ok:
		f.add(count("container.exit_code", name, n))
	case !ok || n > maxAmount:
	case key == "Memory" && n == 0:
		f.add(word("container.memory_limit", name, "unlimited"))
	case key == "Memory":
		f.add(exact("container.memory_limit", name, n))
	case key == "ShmSize":
		f.add(exact("container.shm_size", name, n))
	case key == "NanoCpus" && n > 0:
		f.add(Fact{Name: "container.cpu_limit", Of: name, Value: float64(n) / 1e9})
	}
}

// readComposed reads what a compose file lets a container have.
func readComposed(w *window) (f found) {
	for f.n < len(w.lines) {
		m := reCompose.FindStringSubmatch(w.t(f.n))
		if m == nil {
			break
		}
		f.n++
		if m[1] == "cpus" {
			if v, ok := decimal(m[2]); ok {
				f.add(Fact{Name: "container.cpu_limit", Value: v})
			}
			continue
		}
		a, ok := amountOf(m[2]+strings.ToUpper(m[3]), 1)
		if !ok {
			continue
		}
		a.step = 0
		f.add(a.fact(map[string]string{"mem_limit": "container.memory_limit", "shm_size": "container.shm_size",
			"mem_reservation": "container.memory_request"}[m[1]], ""))
	}
	if len(f.facts) == 0 {
		return found{}
	}
	f.sure = Likely
	return f
}

// docker ps.
var (
	reDockerPs = regex.New(`^CONTAINER ID\s+IMAGE\s+COMMAND\s+CREATED(?: AT)?\s+STATUS\s.*NAMES$`)
	rePsCell   = regex.New(`\s{2,}|\t`)
	reUpSince  = regex.New(`^(?:Up|Exited|Restarting|Created|Paused|Dead|Removal)\b`)
)

func readContainers(w *window) (f found) {
	if !reDockerPs.MatchString(w.t(0)) {
		return
	}
	for f.n = 1; f.n < len(w.lines); f.n++ {
		c := strings.Split(rePsCell.ReplaceAllString(w.t(f.n), "\x00"), "\x00")
		if len(c) < 5 || !reContainerID.MatchString(c[0]) {
			break
		}
		name := c[len(c)-1]
		f.add(word("container.image", name, c[1]))
		for _, s := range c[2 : len(c)-1] {
			if reUpSince.MatchString(s) {
				f.add(word("container.status", name, s))
			}
		}
	}
	if len(f.facts) == 0 {
		return found{}
	}
	return f
}

var reContainerID = regex.New(`^[0-9a-f]{12,64}$`)

// kubectl get pods.
var (
	rePodsHead = regex.New(`^(?:NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\b`)
	rePodsRow  = regex.New(`^(?:[\w.-]+\s+)?([a-z0-9][\w.-]{0,252})\s+\d+/\d+\s+([A-Z][\w:/-]*)\s+(\d{1,9})(?:\s|$)`)
)

func readPods(w *window) (f found) {
	if !rePodsHead.MatchString(w.t(0)) {
		return
	}
	for f.n = 1; f.n < len(w.lines); f.n++ {
		m := rePodsRow.FindStringSubmatch(w.t(f.n))
		if m == nil {
			if w.lines[f.n].is == elided {
				continue
			}
			break
		}
		f.add(word("pod.status", m[1], m[2]))
		if n, ok := whole(m[3]); ok {
			f.add(count("pod.restarts", m[1], n))
		}
	}
	if len(f.facts) == 0 {
		return found{}
	}
	return f
}
