package output

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// FioProgress is the last line of progress of a run whose result is not there: what it did at
// that moment.
type FioProgress struct {
	Done       float64    `json:"done_percent,omitempty"`
	Reads      float64    `json:"reads_per_second,omitempty"`
	Writes     float64    `json:"writes_per_second,omitempty"`
	ReadSpeed  unit.Bytes `json:"read_speed,omitempty"` // bytes a second
	WriteSpeed unit.Bytes `json:"write_speed,omitempty"`
	Left       int64      `json:"left_s,omitempty"` // seconds to come, as it reckoned
}

// FioDisk is what the disk below did during a run, as the kernel counted it.
type FioDisk struct {
	Name   string  `json:"name"`
	Reads  int64   `json:"reads"` // requests
	Writes int64   `json:"writes"`
	Util   float64 `json:"util"` // percent of the time with a request under way
}

const maxFioDisks = 64

var (
	fioJobs    = regex.New(`Jobs: [0-9]+ \(f=[0-9]+\)`)
	fioDone    = regex.New(`\[([0-9]{1,3}\.[0-9])%(?: done)?\]`)
	fioSpeedOf = regex.New(`[\[,]([rw])=([0-9.]+) ?([KMGT]?i?B)/s`)
	fioRateOf  = regex.New(`([rw])=([0-9.]+)([kMG]?)`)
	fioRates   = regex.New(`\[((?:[rwt]=[0-9.]+[kMG]?,?)+) IOPS\]`)
	// fio 2: «[97.6M/0K/0K /s] [24.1K/0/0 iops]», «[81160KB/0KB/0KB /s]»
	fioOldSpeeds = regex.New(`\[ ?([0-9.]+)([KMGT]?)B?/ ?([0-9.]+)([KMGT]?)B?(?:/ ?[0-9.]+[KMGT]?B?)? ?/s\]`)
	fioOldRates  = regex.New(`\[ ?([0-9.]+)([kKMG]?) ?/ ?([0-9.]+)([kKMG]?) ?(?:/ ?[0-9.]+[kKMG]? ?)? ?iops\]`)
	fioLeft      = regex.New(`\[eta (?:([0-9]{1,3})d:)?(?:([0-9]{1,2})h:)?([0-9]{1,2})m:([0-9]{1,2})s\]`)

	fioDiskLine = regex.New(
		`^\s*(?:\S+: )?([A-Za-z][\w!/.-]{0,31}): ios=([0-9]{1,15})/([0-9]{1,15}),.*\butil=([0-9.]{1,8})%`)
)

// moment reads a line of progress. One may hold several, as a terminal wrote them over each other.
func (f *fio) moment(s scanned) bool {
	if !strings.Contains(s.text, "Jobs: ") {
		return false
	}
	at := fioJobs.FindAllStringIndex(s.text, 64)
	if at == nil {
		return false
	}
	for i := len(at) - 1; i >= 0; i-- {
		if p := fioMoment(s.text[at[i][0]:]); p != nil {
			f.progress = p
			break
		}
	}
	if f.line0 == 0 {
		f.line0 = s.number
	}
	return true
}

func fioMoment(text string) *FioProgress {
	p := &FioProgress{}
	if m := fioDone.FindStringSubmatch(text); m != nil {
		p.Done, _ = figure(m[1])
	}
	rate := func(number, suffix string) float64 {
		v, _ := figure(number)
		return math.Round(v * fioThousand(suffix))
	}
	size := func(number, suffix string) unit.Bytes {
		v, _ := figure(number)
		return unit.Bytes(math.Round(min(v*fioUnit(suffix), 1<<60)))
	}
	for _, m := range fioSpeedOf.FindAllStringSubmatch(text, 4) {
		*map[string]*unit.Bytes{"r": &p.ReadSpeed, "w": &p.WriteSpeed}[m[1]] = size(m[2], m[3])
	}
	if m := fioRates.FindStringSubmatch(text); m != nil {
		for _, x := range fioRateOf.FindAllStringSubmatch(m[1], 3) {
			*map[string]*float64{"r": &p.Reads, "w": &p.Writes}[x[1]] = rate(x[2], x[3])
		}
	}
	if m := fioOldSpeeds.FindStringSubmatch(text); m != nil {
		p.ReadSpeed, p.WriteSpeed = size(m[1], m[2]), size(m[3], m[4])
	}
	if m := fioOldRates.FindStringSubmatch(text); m != nil {
		p.Reads, p.Writes = rate(m[1], m[2]), rate(m[3], m[4])
	}
	if m := fioLeft.FindStringSubmatch(text); m != nil {
		for i, of := range []int64{86_400, 3600, 60, 1} {
			n, _ := whole(m[i+1])
			p.Left += max(n, 0) * of
		}
	}
	if *p == (FioProgress{Left: p.Left}) || p.Reads > mostPerSecond || p.Writes > mostPerSecond {
		return nil
	}
	return p
}

// unfinished opens an output for a run of which only the beginning is there: what was defined,
// and how far it had come.
func (f *fio) unfinished() bool {
	if f.out != nil || f.line0 == 0 || len(f.order) == 0 && f.progress == nil {
		return false
	}
	s := scanned{number: f.line0}
	for _, name := range f.order {
		f.add(s, f.defs[name])
	}
	if f.out == nil {
		f.add(s, f.def)
	}
	f.out.Cut, f.out.Fio.Progress = true, f.progress
	return true
}

// disk keeps what the kernel counted of a disk.
func (f *fio) disk(d FioDisk) {
	if f.out != nil && len(f.out.Fio.Disks) < maxFioDisks && d.Reads >= 0 && d.Writes >= 0 && d.Util >= 0 &&
		d.Util < 1000 {
		f.out.Fio.Disks = append(f.out.Fio.Disks, d)
	}
}

func (f *fio) diskLine(text string) bool {
	m := match(fioDiskLine, text, "ios=")
	if m == nil {
		return false
	}
	reads, _ := whole(m[2])
	writes, _ := whole(m[3])
	util, _ := figure(m[4])
	f.disk(FioDisk{Name: short(m[1], 64), Reads: reads, Writes: writes, Util: util})
	return true
}
