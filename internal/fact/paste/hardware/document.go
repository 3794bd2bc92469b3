package hardware

import (
	"encoding/json"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// What lscpu, lsblk and findmnt print with -J.

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

// ReadJSON reads lscpu, lsblk and findmnt with -J.
func ReadJSON(w *part.Window) (f part.Found) {
	if !strings.HasPrefix(w.Text(0), "{") || !reListing.MatchString(w.Text(0)+" "+w.Text(1)) {
		return
	}
	lines, ok := w.Far()
	if !ok {
		return
	}
	text := string(part.Block(w, len(lines)))
	d := json.NewDecoder(strings.NewReader(text))
	var l listing
	if d.Decode(&l) != nil {
		return
	}
	f.N = strings.Count(text[:d.InputOffset()], "\n") + 1
	switch {
	case len(l.Lscpu) > 0:
		f.Kind = part.Lscpu
		seen := map[string]bool{}
		lscpuFields(&f, l.Lscpu, seen, 0)
	case len(l.Devices) > 0:
		f.Kind = part.Lsblk
		devices(&f, l.Devices, 0)
	default:
		f.Kind = part.Findmnt
		mounts(&f, l.Filesystems, 0)
	}
	if len(f.Facts) == 0 {
		return part.Found{}
	}
	return f
}

func lscpuFields(f *part.Found, list []lscpuField, seen map[string]bool, depth int) {
	for _, x := range list {
		if val, ok := x.Data.(string); ok {
			lscpu(f, strings.TrimRight(x.Field, ": \u00a0："), val, seen)
		}
		if depth < maxDepth {
			lscpuFields(f, x.Children, seen, depth+1)
		}
	}
}

// lscpu adds what a label of lscpu says, once.
func lscpu(f *part.Found, label, val string, seen map[string]bool) {
	name := lscpuKey(label)
	if name == "" || seen[name] || val == "" || val == "-" || name == "cpu.model" && amount.Digits(val) {
		return // in some languages the number of the model has nearly the label of its name
	}
	seen[name] = true
	switch name {
	case "cpu.architecture", "cpu.model", "cpu.hypervisor":
		f.Add(part.Word(name, "", val))
	case "cpu.cache_l3": // the sum of all instances since util-linux 2.37, before that of one
		size, _, _ := strings.Cut(val, " (")
		if a, ok := amount.Of(strings.ReplaceAll(size, " ", ""), 1); ok {
			f.Add(a.Fact(name, ""))
		}
	default:
		if n, ok := amount.Whole(val); ok {
			f.Add(part.Count(name, "", n))
		}
	}
}

func devices(f *part.Found, list []blockDevice, depth int) {
	for _, x := range list {
		switch size := x.Size.(type) {
		case string:
			if a, ok := amount.Of(size, 1); ok {
				f.Add(a.Fact("disk.size", x.Name))
			}
		case float64: // lsblk -b
			if size >= 0 && size < amount.Max {
				f.Add(part.Bytes("disk.size", x.Name, int64(size)))
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
				f.Add(part.Word(v[0], x.Name, v[1]))
			}
		}
		switch x.Rota {
		case true, "1", "true":
			f.Add(part.Word("disk.rotational", x.Name, "yes"))
		case false, "0", "false":
			f.Add(part.Word("disk.rotational", x.Name, "no"))
		}
		if depth < maxDepth {
			devices(f, x.Children, depth+1)
		}
	}
}

func mounts(f *part.Found, list []mountedAt, depth int) {
	for _, x := range list {
		if strings.HasPrefix(x.Target, "/") {
			f.Add(part.Word("mount.source", x.Target, x.Source), part.Word("mount.type", x.Target, x.FSType))
			if x.Options != "" {
				f.Add(part.Word("mount.options", x.Target, x.Options))
			}
		}
		if depth < maxDepth {
			mounts(f, x.Children, depth+1)
		}
	}
}
