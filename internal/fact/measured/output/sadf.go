package output

import (
	"slices"
	"strings"
)

// sadf reads the lines of sadf -d: «# hostname;interval;timestamp;CPU;%user;…».
type sadf struct {
	r       *reader
	out     *Output
	columns []string
	rows    int
}

// sadfFixed columns stand before what was measured.
const sadfFixed = 3

func (t *sadf) line(s scanned) bool {
	if !strings.Contains(s.text, ";") {
		return false
	}
	fields := strings.Split(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s.text), "#")), ";")
	if len(fields) > 4 && strings.TrimSpace(fields[0]) == "hostname" && fields[1] == "interval" {
		t.columns = fields[sadfFixed:]
		if t.columns[0] != "CPU" && t.columns[0] != "DEV" && t.out == nil {
			t.open(s)
		}
		if t.columns[0] != "CPU" && t.columns[0] != "DEV" {
			x, name := t.out.Sar, short(strings.Join(t.columns[:min(len(t.columns), 3)], " "), 60)
			if len(x.Others) < maxOthers && !slices.Contains(x.Others, name) {
				x.Others = append(x.Others, name)
			}
		}
		return true
	}
	if t.columns == nil || len(fields) < 4 {
		return false
	}
	if strings.Contains(s.text, "LINUX-RESTART") {
		return true
	}
	if len(fields) != len(t.columns)+sadfFixed {
		if s.last && t.out != nil {
			t.out.Cut = true
			return true
		}
		t.columns = nil
		return false
	}
	values := fields[sadfFixed:]
	v, ok := figures(values[1:])
	if !ok || t.columns[0] != "CPU" && t.columns[0] != "DEV" {
		return ok
	}
	if t.rows++; t.rows > maxRows {
		return true
	}
	host := short(fields[0], 80)
	if t.out == nil || t.out.Sar.Host != "" && t.out.Sar.Host != host {
		t.open(s)
	}
	x := t.out.Sar
	x.Host = host
	at := fields[2]
	if _, clock, ok := strings.Cut(at, " "); ok {
		at, _, _ = strings.Cut(clock, " ")
	}
	at = short(at, 24)
	if t.columns[0] == "DEV" {
		d := Device{At: at, Name: short(values[0], 64)}
		for i, c := range t.columns[1:] {
			d.set(c, v[i])
		}
		x.Devices = append(x.Devices, d)
		return true
	}
	c := SarCPU{At: at, Of: short(values[0], 8)}
	if c.Of == "-1" {
		c.Of = "all"
	}
	for i, name := range t.columns[1:] {
		c.set(strings.TrimPrefix(name, "%"), v[i])
	}
	x.CPU = append(x.CPU, c)
	return true
}

func (t *sadf) open(s scanned) {
	t.out = t.r.open(SarRun, s.number)
	t.out.Sar = &Sar{}
}

func (t *sadf) end() {
	if t.out != nil && len(t.out.Sar.CPU)+len(t.out.Sar.Devices)+len(t.out.Sar.Others) == 0 {
		t.out.Sar = nil
	}
	t.out, t.columns = nil, nil
}
