package output

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Summaries that other programs make of fio: kubestr, dbench, kbench of Longhorn, yabs.
var (
	kubestrVersion = regex.New(`^\s*FIO version - (fio-\S{1,40})\s*$`)
	kubestrGlobal  = regex.New(`^\s*Global options - (.{1,400})$`)
	kubestrJob     = regex.New(`^\s*JobName: (\S.{0,120})$`)
	kubestrOptions = regex.New(`^\s*blocksize=(\S+) (.{0,200})$`)
	kubestrSide    = regex.New(`^\s*(read|write):\s*$`)
	kubestrRate    = regex.New(`^\s*IOPS=([0-9.]{1,20}) BW\(KiB/s\)=([0-9.]{1,20})\s*$`)
	kubestrDisk    = regex.New(
		`^\s*(\S{1,32}): ios=([0-9]{1,15})/([0-9]{1,15}) merge=\S+ ticks=\S+ in_queue=\S+ util=([0-9.]{1,12})%`)

	// «Random Read/Write IOPS: 75.7k/59.7k. BW: 523MiB/s / 500MiB/s», «Mixed Random Read/Write IOPS: 43.1k/14.4k»
	dbenchRates = regex.New(`^\s*(Mixed )?Random Read/Write IOPS: ([0-9.]+)([kM]?)/([0-9.]+)([kM]?)` +
		`(?:\. BW: ([0-9.]+)([KMG]iB)/s / ([0-9.]+)([KMG]iB)/s)?`)
	dbenchTime = regex.New(`^\s*Average Latency \(usec\) Read/Write: ([0-9.]+)(k?)/([0-9.]+)(k?)`)
	dbenchLine = regex.New(`^\s*Sequential Read/Write: ([0-9.]+)([KMG]iB)/s / ([0-9.]+)([KMG]iB)/s`)

	kbenchPart = regex.New(`^\s*(IOPS|Bandwidth in KiB/sec|Latency in ns)(?: in ops)? \(Read/Write\)`)
	kbenchRow  = regex.New(`^\s*(Random|Sequential):\s+([0-9,]{1,16}) / ([0-9,]{1,16})`)

	// A person's table: the name of a disk in a cell, the line of fio in the next.
	cellSide = regex.New(`^\s*\|\s*([^|]{1,120}?)\s*\|\s*\x60?(read|write)\s?: IOPS=([0-9.]+)([kMG]?), ` +
		`BW=([0-9.]+)([KMGT]iB)/s[^|]*/([0-9]{1,12})msec\)[^|]*\|`)

	yabsSizes = regex.New(`^\s*Block Size\s*\|\s*([0-9]{1,4}[kmKM])\s+\(IOPS\)\s*\|\s*([0-9]{1,4}[kmKM])\s+\(IOPS\)`)
	yabsRow   = regex.New(`^\s*(Read|Write)\s*\|\s*([0-9.]+) ([KMG]B)/s\s+\(([0-9.]+)(k?)\)` +
		`(?:\s*\|\s*([0-9.]+) ([KMG]B)/s\s+\(([0-9.]+)(k?)\))?`)
)

// fioSummary reads them. Each is an output of fio with a job for each kind of request.
type fioSummary struct {
	r      *reader
	out    *Output
	global Job
	job    *Job
	side   string
	part   string // of kbench
	p99    bool   // its second summary
	sizes  []string
}

func (t *fioSummary) open(s scanned) *Fio {
	if t.out == nil {
		t.out = t.r.open(FioProgram, s.number)
		t.out.Fio = &Fio{}
	}
	return t.out.Fio
}

// named returns the job of a name, which is made where it is not there.
func (t *fioSummary) named(s scanned, name, rw string, size unit.Bytes) *Job {
	f := t.open(s)
	for i := range f.Jobs {
		if f.Jobs[i].Name == name {
			return &f.Jobs[i]
		}
	}
	if len(f.Jobs) >= maxFioJobs {
		return &Job{}
	}
	j := t.global
	j.Name, j.RW, j.BlockSize = name, rw, size
	f.Jobs = append(f.Jobs, j)
	return &f.Jobs[len(f.Jobs)-1]
}

func (t *fioSummary) line(s scanned) bool {
	words := holds(s.text, "FIO version - ", "JobName: ", "Read/Write", "Block Size", ": IOPS=")
	if t.out == nil && !words || len(s.text) > 600 {
		return false
	}
	return t.kubestr(s) || t.dbench(s) || t.kbench(s) || t.yabs(s) || t.cell(s)
}

// cell reads a row of a person's table of disks.
func (t *fioSummary) cell(s scanned) bool {
	m := match(cellSide, s.text, ": IOPS=")
	if m == nil {
		return false
	}
	x := sideOf(m[3], m[4], m[5], m[6])
	if x == nil {
		return false
	}
	j := t.named(s, short(m[1], 64), "", 0)
	if ms, ok := whole(m[7]); ok {
		j.Seconds = float64(ms) / 1000
	}
	if m[2] == "read" {
		j.Read = x
	} else {
		j.Write = x
	}
	return true
}

func (t *fioSummary) kubestr(s scanned) bool {
	if m := kubestrVersion.FindStringSubmatch(s.text); m != nil {
		t.end()
		t.open(s)
		t.out.Version = m[1]
		return true
	}
	if m := match(kubestrGlobal, s.text, "Global options"); m != nil && t.out != nil {
		t.options(&t.global, m[1])
		return true
	}
	if m := match(kubestrJob, s.text, "JobName: "); m != nil {
		t.job = t.named(s, short(strings.TrimSpace(m[1]), 64), "", 0)
		t.side = ""
		return true
	}
	if t.out == nil {
		return false
	}
	if m := match(kubestrDisk, s.text, "ios="); m != nil && len(t.out.Fio.Disks) < maxFioDisks {
		reads, _ := whole(m[2])
		writes, _ := whole(m[3])
		util, _ := figure(m[4])
		t.out.Fio.Disks = append(t.out.Fio.Disks, FioDisk{Name: short(m[1], 64), Reads: reads, Writes: writes,
			Util: min(util, 1000)})
		return true
	}
	if t.job == nil {
		return false
	}
	if m := kubestrOptions.FindStringSubmatch(s.text); m != nil {
		t.job.BlockSize = fioSize(m[1])
		t.options(t.job, m[2])
		return true
	}
	if m := kubestrSide.FindStringSubmatch(s.text); m != nil {
		t.side = m[1]
		return true
	}
	if m := match(kubestrRate, s.text, "IOPS="); m != nil && t.side != "" {
		x := sideOf(m[1], "", m[2], "KiB")
		if x == nil {
			return false
		}
		if t.side == "read" {
			t.job.Read = x
		} else {
			t.job.Write = x
		}
		return true
	}
	return holds(s.text, "iops: min=", "bw(KiB/s): min=")
}

// options reads «ioengine=libaio direct=1 iodepth=64».
func (t *fioSummary) options(j *Job, text string) {
	for _, o := range strings.Fields(text) {
		if name, value, ok := strings.Cut(o, "="); ok && name != "name" {
			(&fio{}).option(j, name, value)
		}
	}
}

// sideOf is a rate and a speed; nil where neither is a number above 0.
func sideOf(iops, thousand, speed, of string) *Side {
	x := &Side{}
	if v, ok := figure(iops); ok {
		x.PerSecond = math.Round(v*fioThousand(thousand)*1e6) / 1e6
	}
	if v, ok := figure(speed); ok {
		x.Speed = unit.Bytes(math.Round(min(v*speedUnit(of), 1<<60)))
	}
	if x.PerSecond == 0 && x.Speed == 0 || x.PerSecond > mostPerSecond {
		return nil
	}
	return x
}

// speedUnit tells KiB from KB, which yabs writes for 1,000 bytes.
func speedUnit(s string) float64 {
	if strings.Contains(s, "i") {
		return fioUnit(s)
	}
	return map[string]float64{"KB": 1e3, "MB": 1e6, "GB": 1e9}[s]
}

func (t *fioSummary) dbench(s scanned) bool {
	if m := match(dbenchRates, s.text, "Read/Write IOPS: "); m != nil {
		name, rw := "Random", "randrw"
		if m[1] != "" {
			name = "Mixed Random"
		} else if t.out != nil && len(t.out.Fio.Jobs) > 0 {
			t.end()
		}
		j := t.named(s, name, rw, 0)
		j.Read, j.Write = sideOf(m[2], m[3], m[6], m[7]), sideOf(m[4], m[5], m[8], m[9])
		return true
	}
	if m := match(dbenchTime, s.text, "Average Latency (usec)"); m != nil {
		j := t.named(s, "Latency", "randrw", 0)
		for i, to := range []**Side{&j.Read, &j.Write} {
			if v, ok := figure(m[1+2*i]); ok && v > 0 {
				*to = &Side{Mean: neat(v * fioThousand(m[2+2*i]) * 1e-6)}
			}
		}
		return true
	}
	if m := match(dbenchLine, s.text, "Sequential Read/Write: "); m != nil {
		j := t.named(s, "Sequential", "rw", 0)
		j.Read, j.Write = sideOf("", "", m[1], m[2]), sideOf("", "", m[3], m[4])
		return true
	}
	return false
}

// kbench puts rates, speeds and latencies one after another.
func (t *fioSummary) kbench(s scanned) bool {
	if m := match(kbenchPart, s.text, " (Read/Write)"); m != nil {
		if m[1] == "IOPS" && t.part != "" {
			t.end() // another one
		}
		t.open(s)
		t.part = m[1]
		return true
	}
	if t.out != nil && strings.Contains(s.text, "Latency P99 Summary") {
		t.p99 = true
		return true
	}
	m := kbenchRow.FindStringSubmatch(s.text)
	if m == nil || t.part == "" {
		return false
	}
	rw := map[string]string{"Random": "randrw", "Sequential": "rw"}[m[1]]
	j := t.named(s, m[1], rw, 0)
	for i, to := range []**Side{&j.Read, &j.Write} {
		v, ok := figure(strings.ReplaceAll(m[2+i], ",", ""))
		if !ok || v == 0 || v > 1e12 {
			continue
		}
		if *to == nil {
			*to = &Side{}
		}
		switch t.part {
		case "IOPS":
			(*to).PerSecond = min(v, mostPerSecond)
		case "Latency in ns":
			if t.p99 {
				(*to).P99 = neat(v * 1e-9)
			} else {
				(*to).Mean = neat(v * 1e-9)
			}
		default:
			(*to).Speed = unit.Bytes(v * 1024)
		}
	}
	return true
}

// yabs has two sizes of requests side by side, of reads and writes in equal parts.
func (t *fioSummary) yabs(s scanned) bool {
	if !strings.Contains(s.text, "|") {
		return false
	}
	if m := yabsSizes.FindStringSubmatch(s.text); m != nil {
		t.open(s)
		t.sizes = m[1:3]
		return true
	}
	m := yabsRow.FindStringSubmatch(s.text)
	if m == nil || t.sizes == nil {
		return false
	}
	for i, size := range t.sizes {
		g := m[2+4*i : 6+4*i]
		x := sideOf(g[2], g[3], g[0], g[1])
		if x == nil {
			continue
		}
		j := t.named(s, size, "randrw", fioSize(size))
		if m[1] == "Read" {
			j.Read = x
		} else {
			j.Write = x
		}
	}
	return true
}

func (t *fioSummary) end() {
	if t.out != nil {
		jobs := t.out.Fio.Jobs[:0]
		for _, j := range t.out.Fio.Jobs {
			if j.Read != nil || j.Write != nil {
				jobs = append(jobs, j)
			}
		}
		t.out.Fio.Jobs = jobs
	}
	t.out, t.global, t.job, t.side, t.part, t.p99, t.sizes = nil, Job{}, nil, "", "", false, nil
}
