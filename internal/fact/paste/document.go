package paste

import (
	"encoding/json"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// What lscpu, lsblk and findmnt print with -J, and the parameters of PostgreSQL in YAML, as
// Patroni and the operators of Kubernetes keep them.

const maxDepth = 16 // of children

type lscpuField struct {
	Field    string       `json:"field"`
	Data     any          `json:"data"`
	Children []lscpuField `json:"children"`
}

type blockDevice struct {
	Name        string        `json:"name"`
	Size        any           `json:"size"`
	Type        string        `json:"type"`
	Rota        any           `json:"rota"`
	Sched       string        `json:"sched"`
	Model       string        `json:"model"`
	FSType      string        `json:"fstype"`
	Mountpoint  string        `json:"mountpoint"`
	Mountpoints []string      `json:"mountpoints"`
	Children    []blockDevice `json:"children"`
}

type mountedAt struct {
	Target   string      `json:"target"`
	Source   string      `json:"source"`
	FSType   string      `json:"fstype"`
	Options  string      `json:"options"`
	Children []mountedAt `json:"children"`
}

type listing struct {
	Lscpu       []lscpuField  `json:"lscpu"`
	Devices     []blockDevice `json:"blockdevices"`
	Filesystems []mountedAt   `json:"filesystems"`
}

var reListing = regex.New(`"(?:lscpu|blockdevices|filesystems)"\s*:\s*\[`)

func readJSON(w *window) (f found) {
	if !strings.HasPrefix(w.t(0), "{") || !reListing.MatchString(w.t(0)+" "+w.t(1)) {
		return
	}
	lines, ok := w.far()
	if !ok {
		return
	}
	text := string(block(w, len(lines)))
	d := json.NewDecoder(strings.NewReader(text))
	var l listing
	if d.Decode(&l) != nil {
		return
	}
	f.n = strings.Count(text[:d.InputOffset()], "\n") + 1
	switch {
	case len(l.Lscpu) > 0:
		f.kind = Lscpu
		seen := map[string]bool{}
		f.lscpuFields(l.Lscpu, seen, 0)
	case len(l.Devices) > 0:
		f.kind = Lsblk
		f.devices(l.Devices, 0)
	default:
		f.kind = Findmnt
		f.mounts(l.Filesystems, 0)
	}
	if len(f.facts) == 0 {
		return found{}
	}
	return f
}

func (f *found) lscpuFields(list []lscpuField, seen map[string]bool, depth int) {
	for _, x := range list {
		if val, ok := x.Data.(string); ok {
			f.lscpu(strings.TrimRight(x.Field, ": \u00a0："), val, seen)
		}
		if depth < maxDepth {
			f.lscpuFields(x.Children, seen, depth+1)
		}
	}
}

// lscpu adds what a label of lscpu says, once.
func (f *found) lscpu(label, val string, seen map[string]bool) {
	name := lscpuKey(label)
	if name == "" || seen[name] || val == "" || val == "-" {
		return
	}
	seen[name] = true
	switch name {
	case "cpu.architecture", "cpu.model", "cpu.hypervisor":
		f.add(word(name, "", val))
	default:
		if n, ok := whole(val); ok {
			f.add(count(name, "", n))
		}
	}
}

func (f *found) devices(list []blockDevice, depth int) {
	for _, x := range list {
		switch size := x.Size.(type) {
		case string:
			if a, ok := amountOf(size, 1); ok {
				f.add(a.fact("disk.size", x.Name))
			}
		case float64: // lsblk -b
			if size >= 0 && size < maxAmount {
				f.add(exact("disk.size", x.Name, int64(size)))
			}
		}
		at := x.Mountpoint
		for _, p := range x.Mountpoints {
			if at == "" {
				at = p
			}
		}
		for _, v := range [][2]string{{"disk.kind", x.Type}, {"disk.filesystem", x.FSType}, {"disk.mount", at},
			{"disk.model", strings.TrimSpace(x.Model)}, {"disk.scheduler", x.Sched}} {
			if v[1] != "" {
				f.add(word(v[0], x.Name, v[1]))
			}
		}
		switch x.Rota {
		case true, "1", "true":
			f.add(word("disk.rotational", x.Name, "yes"))
		case false, "0", "false":
			f.add(word("disk.rotational", x.Name, "no"))
		}
		if depth < maxDepth {
			f.devices(x.Children, depth+1)
		}
	}
}

func (f *found) mounts(list []mountedAt, depth int) {
	for _, x := range list {
		if strings.HasPrefix(x.Target, "/") {
			f.add(word("mount.source", x.Target, x.Source), word("mount.type", x.Target, x.FSType))
			if x.Options != "" {
				f.add(word("mount.options", x.Target, x.Options))
			}
		}
		if depth < maxDepth {
			f.mounts(x.Children, depth+1)
		}
	}
}

var (
	reParameters = regex.New(`^["']?(?:parameters|postgresql_parameters|postgresqlConfiguration|parametrs)["']?:` +
		`(?:\s*\{)?$`)
	reYAMLLine = regex.New(`^"?([a-z_]\w*(?:\.\w+)?)"?: +("[^"]*"|'(?:[^']|'')*'|[^\s#"'][^#]*?)\s*(?:#.*)?$`)
)

// yamlSettings says whether parameters stand here without what they are in: two lines in a row, of names that nothing
// else has.
func yamlSettings(w *window) bool {
	for i := range 2 {
		t := strings.TrimSuffix(w.t(i), ",")
		if i >= len(w.lines) || w.lines[i].is != content || !strings.Contains(t, ": ") ||
			w.lines[i].depth() != w.lines[0].depth() {
			return false
		}
		m := reYAMLLine.FindStringSubmatch(t)
		if m == nil || !strings.Contains(m[1], "_") || !isParam(m[1]) || !plausible(m[1], strings.Trim(m[2], `"'`)) {
			return false
		}
	}
	return true
}

// mostUnknown is how many names that are none stand before the first parameter.
const mostUnknown = 10

// readYAML reads the parameters in the configuration of Patroni and of operators: what a
// server shall have.
func readYAML(w *window) (f found) {
	from := 1
	if !reParameters.MatchString(w.t(0)) {
		if !yamlSettings(w) {
			return
		}
		from = 0
	} else if w.in(2, "pgbouncer", "pgBouncer", "pooler") {
		return
	}
	depth := func(i int) int { return w.lines[i].depth() }
	rows, unknown := 0, false
	for i := from; i < len(w.lines); i++ {
		t := w.t(i)
		switch {
		case w.lines[i].is == blank, w.lines[i].is == elided:
			continue
		case depth(i) < depth(0)+from:
			goto end
		case strings.HasPrefix(t, "#"):
			f.n = i + 1
			continue
		}
		m := reYAMLLine.FindStringSubmatch(strings.TrimSuffix(t, ","))
		if m == nil || !isParam(m[1]) && !strings.Contains(m[1], ".") {
			if rows == 0 && (m == nil || from == 0 || i > mostUnknown) {
				return found{}
			} else if rows == 0 { // of an extension, or misspelled
				unknown = true
				continue
			}
			break
		}
		if unknown && rows == 0 && !strings.Contains(m[1], "_") { // port: of anything
			return found{}
		}
		v := m[2]
		if n := len(v); n > 1 && (v[0] == '"' || v[0] == '\'') && v[n-1] == v[0] {
			v = strings.ReplaceAll(v[1:n-1], "''", "'")
		}
		rows++
		f.n = i + 1
		if !isParam(m[1]) || !plausible(m[1], v) {
			continue
		}
		f.add(setting(m[1], v, ""))
		f.body = append(f.body, m[1]+" = '"+strings.ReplaceAll(v, "'", "''")+"'")
	}
end:
	if len(f.facts) == 0 {
		return found{}
	}
	f.sure = Likely
	f.notes = append(f.notes, "these are the parameters in the configuration of a cluster manager or operator")
	return f
}
