package output

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// fioTerse is a line of fio --minimal: «3;fio-3.33;name;0;0;…», of which no number has a name.
// A line of version 2 does not have that of fio.
var fioTerse = regex.New(`^\s*(?:([345]);(fio-[0-9][0-9A-Za-z.-]{0,40})|(2));`)

// How many fields of a line are of reads, of writes or of discards. The last six, of version 5,
// are the samples.
const (
	terseHead   = 5
	terseSide   = 41
	terseSide5  = 47
	terseLat    = 8  // of a side: where the time of completion begins
	tersePoints = 12 // and its percentiles
)

// terse reads a job of a line. A job of JSON or text that stands there too is another run.
func (f *fio) terse(s scanned) bool {
	if len(s.text) > maxLine || !strings.Contains(s.text, ";") {
		return false
	}
	m := fioTerse.FindStringSubmatch(s.text)
	if m == nil || m[3] != "" {
		return false // of version 2 the names are not known
	}
	fields := strings.Split(strings.TrimSpace(s.text), ";")
	side := terseSide
	if m[1] == "5" {
		side = terseSide5
	}
	if len(fields) < terseHead+side {
		return false
	}
	code, ok := whole(fields[4])
	if !ok || code > 10_000 {
		return false
	}
	if !f.tersely {
		f.finish()
	}
	f.version, f.tersely = m[2], true
	if f.line0 == 0 {
		f.line0 = s.number
	}
	f.close()
	f.add(s, Job{Name: short(fields[2], 64), Error: int(code)})
	f.terseOf(fields[terseHead:terseHead+side], &f.job.Read)
	if rest := fields[terseHead+side:]; len(rest) >= side {
		f.terseOf(rest[:side], &f.job.Write)
	} else if f.out != nil {
		f.out.Cut = true
	}
	f.job = nil
	return true
}

// terseOf reads a side: kB, kB a second, requests a second, ms, times in µs.
func (f *fio) terseOf(fields []string, to **Side) {
	kb, ok1 := figure(fields[0])
	speed, ok2 := figure(fields[1])
	rate, ok3 := figure(fields[2])
	ms, ok4 := figure(fields[3])
	if !ok1 || !ok2 || !ok3 || !ok4 || kb == 0 || rate > mostPerSecond || speed > 1<<40 {
		return
	}
	x := &Side{PerSecond: rate, Speed: unit.Bytes(speed * 1024)}
	us := func(s string) float64 {
		v, _ := figure(s)
		return neat(v * 1e-6)
	}
	x.Max, x.Mean = us(fields[terseLat+1]), us(fields[terseLat+2])
	for _, p := range fields[tersePoints : tersePoints+20] {
		name, v, ok := strings.Cut(p, "%=")
		if !ok {
			continue
		}
		switch n, _ := figure(name); n {
		case 50:
			x.P50 = us(v)
		case 99:
			x.P99 = us(v)
		}
	}
	f.job.Seconds = max(f.job.Seconds, ms/1000)
	*to = x
}
