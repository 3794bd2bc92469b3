package output

import (
	"encoding/json"
	"slices"
)

// sysstat reads the JSON of iostat -o JSON, mpstat -o JSON and sadf -j.
type sysstat struct{ r *reader }

type sysstatDocument struct {
	Sysstat struct {
		Hosts []sysstatHost `json:"hosts"`
	} `json:"sysstat"`
	Hosts []sysstatHost `json:"hosts"` // where the first brace was not copied
}

type sysstatHost struct {
	Node       string           `json:"nodename"`
	System     string           `json:"sysname"`
	Release    string           `json:"release"`
	CPUs       int              `json:"number-of-cpus"`
	Date       string           `json:"date"`
	FileDate   string           `json:"file-date"` // of sadf
	Statistics []map[string]raw `json:"statistics"`
}

type raw = json.RawMessage

// document returns how many bytes a document takes; 0 where it is none.
func (y *sysstat) document(text []byte, number int) int {
	var doc sysstatDocument
	end, cut := decode(text, &doc, func() { doc = sysstatDocument{} })
	if end == 0 {
		return 0
	}
	hosts := append(doc.Sysstat.Hosts, doc.Hosts...)
	for i := range hosts[:min(len(hosts), maxOutputs)] {
		y.host(&hosts[i], number, cut && i == len(hosts)-1)
	}
	if len(hosts) == 0 {
		return 0
	}
	return end
}

func (y *sysstat) host(h *sysstatHost, number int, cut bool) {
	list := h.Statistics[:min(len(h.Statistics), maxRows)]
	if slices.ContainsFunc(list, func(m map[string]raw) bool { return m["avg-cpu"] != nil || m["disk"] != nil }) &&
		!slices.ContainsFunc(list, func(m map[string]raw) bool { return m["cpu-load"] != nil || h.FileDate != "" }) {
		y.iostat(h, list, number, cut)
		return
	}
	y.sar(h, list, number, cut)
}

func (y *sysstat) iostat(h *sysstatHost, list []map[string]raw, number int, cut bool) {
	t := &Iostat{Host: short(h.Node, 80), Kernel: short(h.Release, 80), Date: short(h.Date, 24),
		CPUs: max(min(h.CPUs, 1<<16), 0), Samples: []IostatSample{}}
	boot := y.r.host == nil || y.r.host.kernel != "" || y.r.host.sinceBoot // no command with -y stands above it
	rows := 0
	for i, m := range list {
		s := IostatSample{SinceBoot: i == 0 && boot, CPU: cpuOf(m["avg-cpu"])}
		for _, row := range rowsOf(m["disk"]) {
			if rows++; rows > maxRows {
				break
			}
			s.Devices = append(s.Devices, deviceOf(row))
		}
		if s.CPU != nil || len(s.Devices) > 0 {
			t.Samples = append(t.Samples, s)
		}
	}
	if len(t.Samples) > 0 {
		o := y.r.open(IostatRun, number)
		o.Iostat, o.Cut = t, cut
	}
}

func (y *sysstat) sar(h *sysstatHost, list []map[string]raw, number int, cut bool) {
	date := h.Date
	if date == "" {
		date = h.FileDate
	}
	t := &Sar{Host: short(h.Node, 80), Kernel: short(h.Release, 80), Date: short(date, 24),
		CPUs: max(min(h.CPUs, 1<<16), 0)}
	program, rows := SarRun, 0
	for _, m := range list {
		at := timeOf(m["timestamp"])
		for name := range m {
			known := slices.Contains([]string{"timestamp", "cpu-load", "cpu-load-all", "disk"}, name)
			if !known && len(t.Others) < maxOthers && !slices.Contains(t.Others, short(name, 60)) {
				t.Others = append(t.Others, short(name, 60))
			}
		}
		loads := m["cpu-load"]
		if loads == nil {
			loads = m["cpu-load-all"]
		}
		for _, row := range rowsOf(loads) {
			if rows++; rows > maxRows {
				break
			}
			if row["idle"] == nil {
				continue // cut: what is absent is not zero
			}
			var of string
			if json.Unmarshal(row["cpu"], &of) != nil {
				of = string(row["cpu"])
			}
			if _, ok := row["soft"]; ok && h.FileDate == "" {
				program = MpstatRun
			}
			t.CPU = append(t.CPU, SarCPU{At: at, Of: short(of, 8), CPU: cpuOfRow(row)})
		}
		for _, row := range rowsOf(m["disk"]) {
			if rows++; rows > maxRows {
				break
			}
			d := deviceOf(row)
			d.At = at
			t.Devices = append(t.Devices, d)
		}
	}
	slices.Sort(t.Others)
	if len(t.CPU)+len(t.Devices)+len(t.Others) > 0 {
		o := y.r.open(program, number)
		o.Sar, o.Cut = t, cut
	}
}

// timeOf is the end of an interval: a text of mpstat, or an object of sadf.
func timeOf(v raw) string {
	var text string
	if json.Unmarshal(v, &text) == nil {
		return short(text, 24)
	}
	var of struct {
		Date string `json:"date"`
		Time string `json:"time"`
	}
	if json.Unmarshal(v, &of) != nil {
		return ""
	}
	return short(of.Time, 24)
}

func rowsOf(v raw) []map[string]raw {
	var list []map[string]raw
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	return list
}

func cpuOf(v raw) *CPU {
	var row map[string]raw
	if json.Unmarshal(v, &row) != nil || row["idle"] == nil { // none, or cut
		return nil
	}
	c := cpuOfRow(row)
	return &c
}

func cpuOfRow(row map[string]raw) CPU {
	var c CPU
	for name, v := range row {
		if f, ok := numberOf(v); ok {
			c.set(name, f)
		}
	}
	return c
}

// set puts the value of a column into the shares, whatever sign its name has.
func (c *CPU) set(column string, v float64) {
	to := map[string]*float64{"user": &c.User, "usr": &c.User, "nice": &c.Nice, "system": &c.System, "sys": &c.System,
		"iowait": &c.IOWait, "steal": &c.Steal, "idle": &c.Idle}[column]
	if to != nil {
		*to = v
	}
}

func numberOf(v raw) (float64, bool) {
	var f float64
	err := json.Unmarshal(v, &f)
	return f, err == nil && f >= 0 && f < 1e15
}

// columns of JSON by their names in the tables.
var columns = map[string]string{"util": "%util", "util-percent": "%util", "rkB": "rkB/s", "wkB": "wkB/s",
	"rd_sec": "rd_sec/s", "wr_sec": "wr_sec/s", "avgqu-sz": "aqu-sz"}

func deviceOf(row map[string]raw) Device {
	var d Device
	for _, key := range []string{"disk_device", "disk-device"} {
		var name string
		if json.Unmarshal(row[key], &name) == nil && name != "" {
			d.Name = short(name, 64)
		}
	}
	for name, v := range row {
		if to, ok := columns[name]; ok {
			name = to
		}
		if f, ok := numberOf(v); ok {
			d.set(name, f)
		}
	}
	return d
}
