package containers

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
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

// ReadEngine reads docker info and docker version.
func ReadEngine(w *part.Window) (f part.Found) {
	if !reEngineHead.MatchString(w.Text(0)) {
		return
	}
	signs := 0
	for i := range w.Lines {
		t := w.Text(i)
		switch {
		case w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Elided:
			continue
		case !reEngineLine.MatchString(t) && w.Lines[i].Indented == t && !reEngineHead.MatchString(t):
			goto end
		case reEngineSign.MatchString(t):
			signs++
		}
		f.N = i + 1
		key, val, _ := strings.Cut(t, ":")
		switch val = strings.TrimSpace(val); key {
		case "CPUs":
			if n, ok := amount.Whole(val); ok {
				f.Add(part.Count("cpu.logical", "", n))
			}
		case "Total Memory":
			if a, ok := amount.Sized(val); ok {
				f.Add(a.Fact("memory.total", ""))
			}
		case "Kernel Version":
			if part.KernelRelease.MatchString(val) {
				f.Add(part.Word("kernel.release", "", val))
			}
		case "Operating System":
			f.Add(part.Word("os.name", "", val))
		case "Name":
			if part.HostName.MatchString(val) && signs > 0 {
				f.Add(part.Word("host.name", "", val))
			}
		case "Cgroup Version":
			f.Add(part.Word("cgroup.version", "", val))
		}
	}
end:
	if signs == 0 {
		return part.Found{}
	}
	return f
}

// ReadInspect reads docker inspect, or the lines of it that a person chose.
func ReadInspect(w *part.Window) (f part.Found) {
	if t := w.Text(0); !reInspectOwn.MatchString(t) {
		if !strings.HasPrefix(t, "[") && !strings.HasPrefix(t, "{") && !reInspectLine.MatchString(t) {
			return
		}
		if strings.HasPrefix(t, "[") || strings.HasPrefix(t, "{") {
			if _, ok := w.Far(); !ok {
				return
			}
		}
	}
	own, name := 0, ""
	for i := 0; i < len(w.Lines) && i < part.FarLines; i++ {
		t := w.Text(i)
		if w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Elided {
			continue
		}
		if !reJSONLine.MatchString(t) || own == 0 && i > mostInspected {
			break
		}
		f.N = i + 1
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
		inspected(&f, m[1], m[2], name)
	}
	if own == 0 || len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}

// inspected adds what one line says; 0 is no limit.
func inspected(f *part.Found, key, val, name string) {
	n, ok := amount.Whole(val)
	switch {
	case key == "OOMKilled":
		f.Add(part.Word("container.oom_killed", name, map[string]string{"true": "yes", "false": "no"}[val]))
	case key == "ExitCode" && ok:
		f.Add(part.Count("container.exit_code", name, n))
	case !ok || n > amount.Max:
	case key == "Memory" && n == 0:
		f.Add(part.Word("container.memory_limit", name, "unlimited"))
	case key == "Memory":
		f.Add(part.Bytes("container.memory_limit", name, n))
	case key == "ShmSize":
		f.Add(part.Bytes("container.shm_size", name, n))
	case key == "NanoCpus" && n > 0:
		f.Add(part.Fact{Name: "container.cpu_limit", Of: name, Value: amount.Shifted(float64(n), -9)})
	}
}

// ReadComposed reads what a compose file lets a container have.
func ReadComposed(w *part.Window) (f part.Found) {
	for f.N < len(w.Lines) {
		m := reCompose.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			break
		}
		f.N++
		if m[1] == "cpus" {
			if v, ok := amount.Decimal(m[2]); ok {
				f.Add(part.Fact{Name: "container.cpu_limit", Value: v})
			}
			continue
		}
		a, ok := amount.Of(m[2]+strings.ToUpper(m[3]), 1)
		if !ok {
			continue
		}
		a.Step = 0
		f.Add(a.Fact(map[string]string{"mem_limit": "container.memory_limit", "shm_size": "container.shm_size",
			"mem_reservation": "container.memory_request"}[m[1]], ""))
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.Sure = part.Likely
	return f
}

// docker ps.
var (
	reDockerPs = regex.New(`^CONTAINER ID\s+IMAGE\s+COMMAND\s+CREATED(?: AT)?\s+STATUS\s.*NAMES$`)
	rePsCell   = regex.New(`\s{2,}|\t`)
	reUpSince  = regex.New(`^(?:Up|Exited|Restarting|Created|Paused|Dead|Removal)\b`)
)

// ReadContainers reads docker ps.
func ReadContainers(w *part.Window) (f part.Found) {
	if !reDockerPs.MatchString(w.Text(0)) {
		return formatted(w)
	}
	var versions []part.Fact // of the servers that run
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		c := strings.Split(rePsCell.ReplaceAllString(w.Text(f.N), "\x00"), "\x00")
		if len(c) < 5 || !reContainerID.MatchString(c[0]) {
			break
		}
		name := c[len(c)-1]
		f.Add(part.Word("container.image", name, c[1]))
		up := false
		for _, s := range c[2 : len(c)-1] {
			if reUpSince.MatchString(s) {
				f.Add(part.Word("container.status", name, s))
				up = strings.HasPrefix(s, "Up")
			}
		}
		if v, ok := imageVersion(c[1]); ok && up {
			versions = append(versions, v)
		}
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	f.AddAgreed(versions)
	return f
}

var (
	// of docker ps --format and docker compose ps
	reNamesHead = regex.New(`^NAMES?(?:\s+[A-Z]+(?: [A-Z]+)?)*\s+(?:STATUS|IMAGE)(?:\s+[A-Z]+(?: [A-Z]+)?)*$`)
	reName      = regex.New(`^[a-zA-Z0-9][\w.-]{0,127}$`)
	reStatus    = regex.New(`^(?:Up (?:\d|About|Less)|(?:Exited|Restarting) \(\d{1,3}\)|Created$|Paused$|Dead$)`)
	reImageName = regex.New(`^[a-z0-9][\w.-]*(?:[/:][\w.-]+)*[/:][\w.-]+$`)
)

// formatted reads the rows of docker ps in a format of the user: the name first, and how it is.
func formatted(w *part.Window) (f part.Found) {
	headed := reNamesHead.MatchString(w.Text(0))
	image := headed && strings.Contains(w.Text(0), "IMAGE")
	if headed {
		f.N = 1
	}
	bars, rows := false, 0
	var versions []part.Fact
	for ; f.N < len(w.Lines) && w.Lines[f.N].Is == part.Content; f.N++ {
		t := w.Text(f.N)
		bars = strings.Contains(t, " | ")
		c := strings.Split(rePsCell.ReplaceAllString(t, "\x00"), "\x00")
		if bars {
			c = strings.Split(strings.Trim(t, "| "), "|")
		}
		for i := range c {
			c[i] = strings.TrimSpace(c[i])
		}
		at := slices.IndexFunc(c, reStatus.MatchString)
		if at < 1 || !reName.MatchString(c[0]) {
			break
		}
		f.Add(part.Word("container.status", c[0], c[at]))
		for _, s := range c[1:] {
			if image && reImageName.MatchString(s) {
				f.Add(part.Word("container.image", c[0], s))
				if v, ok := imageVersion(s); ok && strings.HasPrefix(c[at], "Up") {
					versions = append(versions, v)
				}
				break
			}
		}
		rows++
	}
	if rows == 0 || rows < 2 && !headed && !strings.Contains(w.Command, " ps") {
		return part.Found{}
	}
	if !headed {
		f.Sure = part.Likely
	}
	f.AddAgreed(versions)
	return f
}

var reContainerID = regex.New(`^[0-9a-f]{12,64}$`)

// kubectl get pods.
var (
	rePodsHead = regex.New(`^(?:NAMESPACE\s+)?NAME\s+READY\s+STATUS\s+RESTARTS\s+AGE\b`)
	rePodsRow  = regex.New(`^(?:[\w.-]+\s+)?([a-z0-9][\w.-]{0,252})\s+\d+/\d+\s+([A-Z][\w:/-]*)\s+(\d{1,9})(?:\s|$)`)
)

// ReadPods reads kubectl get pods.
func ReadPods(w *part.Window) (f part.Found) {
	if !rePodsHead.MatchString(w.Text(0)) {
		return
	}
	for f.N = 1; f.N < len(w.Lines); f.N++ {
		m := rePodsRow.FindStringSubmatch(w.Text(f.N))
		if m == nil {
			if w.Lines[f.N].Is == part.Elided {
				continue
			}
			break
		}
		f.Add(part.Word("pod.status", m[1], m[2]))
		if n, ok := amount.Whole(m[3]); ok {
			f.Add(part.Count("pod.restarts", m[1], n))
		}
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}
