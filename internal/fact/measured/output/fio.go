package output

import (
	"math"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Fio is a run of fio, from its text or its JSON.
type Fio struct {
	Jobs     []Job        `json:"jobs"`
	Disks    []FioDisk    `json:"disks,omitempty"`    // what was below, where it was told
	Progress *FioProgress `json:"progress,omitempty"` // of a run whose result is not there
	Signal   int          `json:"signal,omitempty"`   // that ended the run before its time
}

// Job is a job of it. What the output does not tell is absent: text never tells whether the
// page cache was passed by, unless the command stands above it.
type Job struct {
	Name      string     `json:"name,omitempty"`
	Host      string     `json:"host,omitempty"` // of --client
	Sum       bool       `json:"sum,omitempty"`  // of all hosts, which are here too
	RW        string     `json:"rw,omitempty"`   // randread, write, randrw, …
	Engine    string     `json:"engine,omitempty"`
	BlockSize unit.Bytes `json:"block_size,omitempty"`
	Depth     int        `json:"depth,omitempty"`      // requests under way at once, of each of its processes
	Jobs      int        `json:"jobs,omitempty"`       // processes or threads whose numbers are added up
	Direct    *bool      `json:"direct,omitempty"`     // past the page cache
	SyncEvery int        `json:"sync_every,omitempty"` // writes, after which it flushes; 0: not told
	Error     int        `json:"error,omitempty"`      // errno that ended it
	Seconds   float64    `json:"seconds,omitempty"`
	Read      *Side      `json:"read,omitempty"`
	Write     *Side      `json:"write,omitempty"`
	Sync      *Side      `json:"sync,omitempty"`    // fsync or fdatasync after writes
	SyncBy    string     `json:"sync_by,omitempty"` // fsync or fdatasync, where that was told
}

// Side is what it did of one kind. Latencies are seconds.
type Side struct {
	Count     int64      `json:"count,omitempty"`
	PerSecond float64    `json:"per_second,omitempty"`
	Speed     unit.Bytes `json:"speed,omitempty"` // bytes a second
	Mean      float64    `json:"mean,omitempty"`
	P50       float64    `json:"p50,omitempty"`
	P99       float64    `json:"p99,omitempty"`
	Max       float64    `json:"max,omitempty"`
	// Latencies that contradict each other; then none of the above is there.
	Contrary *Contrary `json:"contrary,omitempty"`
}

// Contrary is a mean of the time to the completion that is longer than that of the whole request, of which it is part.
type Contrary struct {
	Completion float64 `json:"clat_mean"`
	Whole      float64 `json:"lat_mean"`
}

// waiting are the engines that wait for each request, whatever depth they are told.
var waiting = []string{"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"}

// AtOnce is how many requests of the job were under way at once, at most; 0 where it was not told.
func (j *Job) AtOnce() int {
	if slices.Contains(waiting, j.Engine) {
		return max(j.Jobs, 1)
	}
	return j.Depth * max(j.Jobs, 1)
}

// Random says whether the places were taken at random; ok is false where that was not told.
func (j *Job) Random() (random, ok bool) { return strings.HasPrefix(j.RW, "rand"), j.RW != "" }

// quickest is less than any disk needs for a read: the fastest need 6 to 10 µs.
const quickest = 5e-6

// A read from the page cache that waits for no other one takes less than unhurried seconds, and the copy of its bytes,
// at this many a second at least.
const (
	unhurried = 30e-6
	copied    = 500e6
)

// FromCache says whether the reads of a job surely came from the page cache: they were quicker
// than any disk, or the disks below had next to none of them. Reads in order are merged, so that
// a disk has fewer of them.
func (f *Fio) FromCache(j *Job) bool {
	r := j.Read
	if r == nil || r.PerSecond == 0 || j.Direct != nil && *j.Direct {
		return false
	}
	asked, had := int64(0), int64(0)
	for i := range f.Jobs {
		if x := f.Jobs[i].Read; x != nil {
			asked += x.Count
		}
	}
	for _, d := range f.Disks {
		had += d.Reads
	}
	if r.Mean > 0 && r.Mean < quickest && (had == 0 || had < asked/2) {
		return true // and memory that is a disk shows in its own counters
	}
	if j.AtOnce() <= 1 && r.Mean > unhurried+float64(r.Speed)/max(r.PerSecond, 1)/copied {
		return false // the disks that fio names need not be those below an engine of its own, or a network
	}
	random, _ := j.Random()
	return len(f.Disks) > 0 && asked >= 100 && (had == 0 || random && had < asked/100)
}

// EachFlushed says whether each write was followed by a flush.
func (j *Job) EachFlushed() bool {
	switch {
	case j.Sync == nil || j.Write == nil:
		return false
	case j.SyncEvery > 0:
		return j.SyncEvery == 1
	case j.Sync.Count > 0 && j.Write.Count > 0:
		return float64(j.Sync.Count) >= 0.98*float64(j.Write.Count)
	}
	return false
}

const maxFioJobs = 256

type fio struct {
	r       *reader
	out     *Output
	job     *Job
	side    *Side
	def     Job // what the definition and the command tell of the next jobs
	version string
	line0   int // where the definition stood; 0: none
	scale   float64
	latOf   string             // whose percentiles are read: clat, lat, sync
	total   map[string]float64 // mean of lat, and of slat, of the side
	longest float64            // of lat
	json    map[string]bool    // names of jobs that JSON has told
	command string
	defs    map[string]Job // each job that was defined, by its name
	order   []string       // their names
	ended   bool           // the summary of its group was there: what follows is another run
	tersely bool           // the run is of lines of --minimal
	alone   int            // where the summary of a group stands that no job stands before; 0: none
	summed  bool           // the run is such a summary
	orphan  *Side          // latencies of which no line has told yet whether they are of reads or writes

	progress *FioProgress
	signal   int
	counted  bool // the job that is open has told how many requests it issued, which it does near its end
}

func newFio(r *reader) *fio { return &fio{r: r} }

var (
	fioDefined = regex.New(`^\s*([^\s:(][^:]{0,200}): \(g=[0-9]+\): rw=([a-z]+)(?:,| |$)(.*)$`)
	fioVersion = regex.New(`^\s*(fio-[0-9][0-9A-Za-z.-]*)\s*(?:Starting .*)?$`)
	fioHead    = regex.New(
		`^\s*([^\s:(][^:]{0,200})?:? ?\(groupid=[0-9]+, jobs=([0-9]{1,5})\): err= ?([0-9]{1,4})`)
	fioSide = regex.New(`^\s*(?:[|*+•-]\s*)?[*_\x60]{0,3}(read|write|trim)[*_\x60]{0,3}\s?: ?[*_\x60]{0,3}` +
		`(?:io|IOPS|bw|BW)=(.*)$`)
	fioIOPS    = regex.New(`(?i)\biops=\s?([0-9.]+)([kMG]?)`)
	fioBW      = regex.New(`(?i)\bbw=\s?([0-9.]+) ?([KMGT]?i?B)/s`)
	fioAverage = regex.New(`^\s*iops\s*: min=.*\bavg=\s*([0-9.]+),`)
	fioBWSum   = regex.New(`\b(?:bw|aggrb)=\s?([0-9.]+) ?([KMGT]?i?B)/s`)
	fioBWOld   = regex.New(`\bbw=\s?([0-9.]+) ?([KMGT]?i?B)/s`)
	fioRun     = regex.New(`(?:/|runt= *|run= *|maxt= *)([0-9]+)(?:-[0-9]+)?msec`)
	fioLat     = regex.New(
		`^\s*(slat|clat|lat|sync) ?\((nsec|usec|msec)\) ?: min=\s*([0-9.]+[kKMG]?) ?, ` +
			`max=\s*([0-9.]+[kKMG]?) ?, avg=\s*([0-9.]+[kKMG]?)`)
	fioPercent = regex.New(`^\s*(clat|lat|sync)(?: prio [0-9/]+)? percentiles \((nsec|usec|msec)\):`)
	fioPoint   = regex.New(`([0-9]{1,2}\.[0-9]{2})th=\[\s*([0-9.]+)([kKM]?)\]`)
	fioIssued  = regex.New(
		`^\s*issued\s*(?:rwts?|rwt)?\s*: ?total=(?:r=)?([0-9]+)[,/](?:w=)?([0-9]+)[,/](?:d=)?([0-9]+)(?:,([0-9]+))?`)
	// the same, cut behind its first number
	fioIssuedCut = regex.New(`^\s*issued\s*(?:rwts?|rwt)?\s*: ?total=(?:r=)?([0-9]+)[,/](?:w=)?(?:[0-9]+[,/]?)?$`)
	fioDepth     = regex.New(`^\s*latency\s+: target=.*\bdepth=([0-9]{1,6})`)
	fioGroupIO   = regex.New(`^\s*(READ|WRITE): (?:bw|io)=`)
	fioStatus    = regex.New(`^\s*Run status group`)
	fioSyncs     = regex.New(`^\s*fsync/fdatasync/sync_file_range:`)
	fioFlushed   = regex.New(`^\s*sync (?:percentiles )?\((?:nsec|usec|msec)\) ?:`)
	fioNoise     = regex.New(`^\s*(?:bw \(|iops\s+: min=|lat \((?:nsec|usec|msec)\)\s*: [0-9>]|cpu\s+: usr=|` +
		`IO depths\s+: |submit\s+: 0=|complete\s+: 0=|Starting [0-9]+ (?:process|thread)|` +
		`Disk stats|[^:]+: Laying out IO file|zone resets)`)
	fioSignal  = regex.New(`\bfio: terminating on signal ([0-9]{1,2})`)
	fioCommand = regex.New(`(?:^|[\s$#;(>/\\])fio(?:\.exe)?\s+-`)
	fioOption  = regex.New(
		`(?:^|\s)--?(name|rw|readwrite|bs|ioengine|iodepth|numjobs|direct|buffered|fsync|fdatasync|sync)[= ]([^\s\\]+)`)
)

// fioStub is a line that is cut within its name.
var fioStub = regex.New(`^\s+(?:[sc]?la?t?|bw?|io?p?s?|cp?u?|IO(?: d?e?p?t?h?s?)?|iss?u?e?d?)\s*$`)

// line reads the text of fio 2 and 3. Where a file ends within a job, the rest of that is missing.
func (f *fio) line(s scanned) bool {
	taken := f.read(s)
	if s.last && (taken || fioStub.MatchString(s.text)) && f.out != nil && f.job != nil && !f.counted && !f.tersely &&
		!f.ended {
		f.out.Cut = true
	}
	return taken
}

func (f *fio) read(s scanned) bool {
	if f.command == "" && f.out == nil && !holds(s.text, "=", "fio", "Run status") {
		return false
	}
	if f.command != "" || strings.Contains(s.text, "fio") && fioCommand.MatchString(s.text) {
		f.follow(s.text)
	}
	if m := match(fioDefined, s.text, "(g="); m != nil {
		f.define(s, m)
		return true
	}
	if m := fioVersion.FindStringSubmatch(s.text); m != nil {
		f.version = m[1]
		if f.line0 == 0 {
			f.line0 = s.number
		}
		f.moment(s) // where the breaks of lines are lost
		return true
	}
	if m := match(fioSignal, s.text, "on signal"); m != nil {
		n, _ := whole(m[1])
		if f.signal = int(n); f.out != nil {
			f.out.Fio.Signal = f.signal
		}
		f.moment(s)
		return true
	}
	if f.terse(s) || f.moment(s) || f.diskLine(s.text) {
		return true
	}
	if m := match(fioHead, s.text, "groupid="); m != nil {
		f.head(s, m)
		return true
	}
	if m := match(fioSide, s.text, ": ", " :"); m != nil {
		return f.begin(s, m[1])
	}
	if f.out == nil {
		if holds(s.text, "lat (", "percentiles (") && (fioLat.MatchString(s.text) || fioPercent.MatchString(s.text)) &&
			!fioFlushed.MatchString(s.text) {
			f.lost(s)
			return f.detail(s)
		}
		if !fioSyncs.MatchString(s.text) && !fioFlushed.MatchString(s.text) {
			return f.group(s)
		}
		f.add(s, f.def) // what was copied begins with its flushes
		f.out.Cut = true
		f.job.Sync = &Side{}
		f.side = f.job.Sync
	}
	return f.detail(s) || f.group(s) || fioNoise.MatchString(s.text)
}

// lost begins a job of which what stands before its latencies is not there.
func (f *fio) lost(s scanned) {
	f.add(s, f.def)
	f.out.Cut = true
	f.orphan = &Side{}
	f.side = f.orphan
}

// found says what latencies are of whose line was not there.
func (f *fio) found(read bool) {
	if f.orphan == nil || f.out == nil || len(f.out.Fio.Jobs) == 0 {
		return
	}
	if j := &f.out.Fio.Jobs[len(f.out.Fio.Jobs)-1]; read && j.Read == nil {
		j.Read = f.orphan
	} else if !read && j.Write == nil {
		j.Write = f.orphan
	}
	f.orphan = nil
}

// follow gathers the options of a command, which may go on over lines.
func (f *fio) follow(text string) {
	if strings.Contains(text, "fio") && fioCommand.MatchString(text) {
		f.finish()
		f.command, f.def, f.line0 = "", Job{}, 0
	}
	if len(f.command) < 4096 {
		f.command += " " + text
	}
	for _, m := range fioOption.FindAllStringSubmatch(text, 64) {
		f.option(&f.def, m[1], strings.Trim(m[2], `"'`))
	}
	if !strings.HasSuffix(strings.TrimSpace(text), `\`) && !strings.Contains(text, "--") &&
		!fioCommand.MatchString(text) {
		f.command = ""
	}
}

func (f *fio) option(j *Job, name, value string) {
	n, number := whole(value)
	yes := number && n != 0
	switch name {
	case "name":
		j.Name = short(value, 64)
	case "rw", "readwrite":
		j.RW, _, _ = strings.Cut(value, ":")
	case "bs":
		j.BlockSize = fioSize(value)
	case "ioengine":
		j.Engine = short(value, 32)
	case "iodepth":
		if number && n > 0 && n < 1<<20 {
			j.Depth = int(n)
		}
	case "numjobs":
		if number && n > 0 && n < 1<<16 {
			j.Jobs = int(n)
		}
	case "direct":
		j.Direct = &yes
	case "buffered":
		no := !yes
		j.Direct = &no
	case "fsync", "fdatasync":
		if number && n > 0 && n < 1<<30 {
			j.SyncEvery, j.SyncBy = int(n), name
		}
	}
}

// fioSize reads «4k», «4096B», «(R) 4096B-4096B»; 0 where it is a range of sizes, «(R) 512B-1024KiB».
func fioSize(s string) unit.Bytes {
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "(R)"))
	s, _, _ = strings.Cut(s, ",")
	s, _, _ = strings.Cut(s, "/")
	s, most, several := strings.Cut(s, "-")
	if several && strings.TrimSpace(most) != s {
		return 0
	}
	i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	number, suffix := s, ""
	if i >= 0 {
		number, suffix = s[:i], s[i:]
	}
	v, ok := figure(number)
	if !ok {
		return 0
	}
	return unit.Bytes(math.Round(v * fioUnit(suffix)))
}

// fioUnit is a unit of fio 3, KiB or k, or of fio 2, KB: all of 1,024.
func fioUnit(s string) float64 {
	switch strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(s), "B"), "i")) {
	case "K":
		return 1 << 10
	case "M":
		return 1 << 20
	case "G":
		return 1 << 30
	case "T":
		return 1 << 40
	}
	return 1
}

// define reads «randread: (g=0): rw=randread, bs=(R) 4096B-4096B, …, ioengine=psync, iodepth=1».
func (f *fio) define(s scanned, m []string) {
	if f.out != nil {
		f.finish()
	}
	if f.line0 == 0 {
		f.line0, f.version, f.json = s.number, "", nil
	}
	f.command = ""
	if len(f.defs) > 0 { // another job of the same run: its options are its own
		f.def.BlockSize, f.def.Engine, f.def.Depth = 0, "", 0
	}
	f.def.Name, f.def.RW = short(m[1], 64), m[2]
	for _, part := range []string{"bs=", "ioengine=", "iodepth="} {
		_, v, ok := strings.Cut(m[3], part)
		if !ok {
			continue
		}
		if part != "bs=" {
			v, _, _ = strings.Cut(v, ",")
			v = strings.TrimSpace(v)
		}
		if part == "bs=" {
			f.def.BlockSize = fioSize(v)
		} else {
			f.option(&f.def, strings.TrimSuffix(part, "="), v)
		}
	}
	if f.defs == nil {
		f.defs = map[string]Job{}
	}
	if len(f.defs) < maxFioJobs {
		if _, ok := f.defs[f.def.Name]; !ok {
			f.order = append(f.order, f.def.Name)
		}
		f.defs[f.def.Name] = f.def
	}
}

// head begins a job: «randread: (groupid=0, jobs=1): err= 0: pid=2542: …».
func (f *fio) head(s scanned, m []string) {
	f.close()
	f.next()
	f.orphan = nil
	name := short(strings.TrimSpace(m[1]), 64)
	if f.json[name] {
		f.job, f.side = &Job{}, nil // told by JSON already: read on, and not kept
		return
	}
	j, ok := f.defs[name]
	if !ok {
		j = f.def
	}
	j.Name = name
	if j.Jobs == 0 || m[2] != "1" {
		n, _ := whole(m[2])
		j.Jobs = int(n)
	}
	n, _ := whole(m[3])
	j.Error = int(n)
	f.add(s, j)
	f.counted = false
}

// next ends a run whose summary was there.
func (f *fio) next() {
	if f.ended {
		f.finish()
	}
}

// add begins a job in the run that is open, or in another one.
func (f *fio) add(s scanned, j Job) {
	if f.out == nil {
		line := s.number
		if f.line0 > 0 {
			line = f.line0
		}
		f.out = f.r.open(FioProgram, line)
		f.out.Version, f.out.Fio = f.version, &Fio{Signal: f.signal}
	}
	if f.out.Version == "" {
		f.out.Version = f.version
	}
	if len(f.out.Fio.Jobs) >= maxFioJobs {
		f.job = &Job{}
		return
	}
	f.counted = true // where no head tells that all of it should follow
	f.out.Fio.Jobs = append(f.out.Fio.Jobs, j)
	f.job, f.side = &f.out.Fio.Jobs[len(f.out.Fio.Jobs)-1], nil
	f.total = map[string]float64{}
}

// begin begins the reads or writes of a job.
func (f *fio) begin(s scanned, kind string) bool {
	iops, bw := fioIOPS.FindStringSubmatch(s.text), fioBW.FindStringSubmatch(s.text)
	if bw == nil {
		bw = fioBWOld.FindStringSubmatch(s.text)
	}
	if iops == nil && bw == nil {
		return false
	}
	if kind == "write" && f.job != nil { // a job tells of its reads first
		f.closeSide()
		f.found(true)
	}
	f.orphan = nil
	if f.job == nil || kind == "read" && f.job.Read != nil || kind == "write" && f.job.Write != nil {
		f.close()
		f.next()
		f.add(s, f.def) // a job without its head
	}
	f.closeSide()
	side := &Side{}
	if iops != nil {
		v, _ := figure(iops[1])
		side.PerSecond = math.Round(v*fioThousand(iops[2])*1000) / 1000
	}
	if bw != nil {
		v, _ := figure(bw[1])
		side.Speed = unit.Bytes(math.Round(v * fioUnit(bw[2])))
	}
	if m := fioRun.FindStringSubmatch(s.text); m != nil {
		v, _ := figure(m[1])
		f.job.Seconds = max(f.job.Seconds, v/1000)
	}
	if side.PerSecond > mostPerSecond {
		return false
	}
	f.side, f.latOf, f.total = side, "", map[string]float64{}
	switch kind {
	case "read":
		f.job.Read = side
	case "write":
		f.job.Write = side
	}
	return true
}

func fioThousand(s string) float64 {
	switch s {
	case "k", "K":
		return 1e3
	case "M":
		return 1e6
	case "G":
		return 1e9
	}
	return 1
}

var fioScales = map[string]float64{"nsec": 1e-9, "usec": 1e-6, "msec": 1e-3}

// detail reads latencies, percentiles and counts of the job that is open.
func (f *fio) detail(s scanned) bool {
	if f.job == nil {
		return false
	}
	if fioSyncs.MatchString(s.text) {
		f.closeSide()
		f.job.Sync = &Side{}
		f.side, f.total = f.job.Sync, map[string]float64{}
		return true
	}
	if m := fioLat.FindStringSubmatch(s.text); m != nil {
		f.latency(m)
		return true
	}
	if m := fioPercent.FindStringSubmatch(s.text); m != nil {
		f.latOf, f.scale = m[1], fioScales[m[2]]
		for _, p := range fioPoint.FindAllStringSubmatch(s.text, 32) {
			f.percentile(p) // where the breaks of lines are lost
		}
		return true
	}
	if points := fioPoint.FindAllStringSubmatch(s.text, 16); points != nil && f.latOf != "" {
		for _, p := range points {
			f.percentile(p)
		}
		return true
	}
	f.latOf = ""
	if f.orphan != nil && f.orphan.PerSecond == 0 && strings.Contains(s.text, "iops") {
		if m := fioAverage.FindStringSubmatch(s.text); m != nil {
			v, _ := figure(m[1])
			f.orphan.PerSecond = math.Round(v*1000) / 1000
			return true
		}
	}
	if m := fioIssued.FindStringSubmatch(s.text); m != nil {
		f.closeSide()
		f.counted = true
		if r, w := strings.Trim(m[1], "0") != "", strings.Trim(m[2], "0") != ""; r != w {
			f.found(r)
		}
		for i, side := range []*Side{f.job.Read, f.job.Write, nil, f.job.Sync} {
			if side != nil && m[i+1] != "" {
				side.Count, _ = whole(m[i+1])
			}
		}
		return true
	}
	if m := fioIssuedCut.FindStringSubmatch(s.text); m != nil {
		f.closeSide()
		f.out.Cut = true
		if f.job.Read != nil {
			f.job.Read.Count, _ = whole(m[1])
		}
		return true
	}
	if m := fioDepth.FindStringSubmatch(s.text); m != nil {
		n, _ := whole(m[1])
		if f.job.Depth == 0 || n > 1 {
			f.job.Depth = int(n)
		}
		return true
	}
	return false
}

func (f *fio) latency(m []string) {
	value := func(s string) float64 {
		i := strings.IndexAny(s, "kKMG")
		factor := 1.0
		if i >= 0 {
			factor, s = fioThousand(s[i:]), s[:i]
		}
		v, _ := figure(s)
		return neat(v * factor * fioScales[m[2]])
	}
	if f.side == nil {
		return
	}
	f.total[m[1]] = value(m[5])
	if m[1] == "lat" {
		f.longest = value(m[4])
	}
	if m[1] == "clat" || m[1] == "sync" {
		f.side.Mean, f.side.Max = value(m[5]), value(m[4])
	}
}

func (f *fio) percentile(p []string) {
	v, ok := figure(p[2])
	if !ok || f.side == nil {
		return
	}
	v = neat(v * fioThousand(p[3]) * f.scale)
	switch p[1] {
	case "50.00":
		f.side.P50 = v
	case "99.00":
		f.side.P99 = v
	}
}

// likely is how much of the mean of clat that of lat is at least, as both are rounded.
const likely = 0.9

// closeSide settles what the latency of a side is. Where the submission took longer than the
// completion, the engine waited in it, as libaio does without direct I/O: what the job saw is
// both together, and the percentiles of the completion say nothing.
func (f *fio) closeSide() {
	if f.side == nil {
		return
	}
	if all, ok := f.total["lat"]; ok {
		switch {
		case f.side.Mean == 0:
			f.side.Mean = all
		case all < likely*f.side.Mean:
			f.side.Contrary = &Contrary{Completion: f.side.Mean, Whole: all}
			f.side.Mean, f.side.P50, f.side.P99, f.side.Max = 0, 0, 0, 0
		case f.total["slat"] > f.side.Mean:
			f.side.Mean, f.side.P50, f.side.P99, f.side.Max = all, 0, 0, f.longest
		}
	}
	f.side = nil
}

// group reads the summary of a group where no job told of it: «READ: bw=11.4MiB/s (11.9MB/s), …».
func (f *fio) group(s scanned) bool {
	if fioStatus.MatchString(s.text) {
		if f.summed {
			f.finish()
		}
		if f.out == nil && f.version == "" && f.line0 == 0 {
			f.alone = s.number
		}
		return true
	}
	m := fioGroupIO.FindStringSubmatch(s.text)
	if m == nil {
		return false
	}
	bw := fioBWSum.FindStringSubmatch(s.text)
	run := fioRun.FindStringSubmatch(s.text)
	if f.orphan != nil && f.out != nil {
		f.closeSide()
		f.found(m[1] == "READ")
	}
	if f.out == nil && f.line0 == 0 && f.alone == 0 {
		return false
	}
	if f.summed && bw != nil { // the other kind of the same summary
		j := &f.out.Fio.Jobs[0]
		v, _ := figure(bw[1])
		if side := (&Side{Speed: unit.Bytes(math.Round(v * fioUnit(bw[2])))}); m[1] == "WRITE" && j.Write == nil {
			j.Write = side
		} else if m[1] == "READ" && j.Read == nil {
			j.Read = side
		}
		return true
	}
	if f.out != nil {
		f.ended = true
		return true // the jobs have told it
	}
	if bw == nil {
		return false
	}
	v, _ := figure(bw[1])
	side := &Side{Speed: unit.Bytes(math.Round(v * fioUnit(bw[2])))}
	j := f.def
	if run != nil {
		ms, _ := figure(run[1])
		j.Seconds = ms / 1000
	}
	if m[1] == "READ" {
		j.Read = side
	} else {
		j.Write = side
	}
	if f.alone > 0 && f.line0 == 0 {
		f.line0 = f.alone
		f.add(s, j)
		f.out.Cut, f.summed, f.ended = true, true, true
		return true
	}
	f.add(s, j)
	f.finish()
	return true
}

// close ends a job.
func (f *fio) close() {
	f.closeSide()
	f.job, f.latOf = nil, ""
}

// finish ends a run.
func (f *fio) finish() {
	if f.job != nil && f.out != nil && !f.counted && !f.tersely && !f.ended && f.signal == 0 &&
		(measuredPercentiles(f.job.Read) || measuredPercentiles(f.job.Write)) {
		f.out.Cut = true // a person left out what follows the percentiles of each job
	}
	f.close()
	if kind := strings.TrimPrefix(f.def.RW, "rand"); kind == "read" || kind == "write" {
		f.found(kind == "read")
	}
	f.alone, f.summed, f.orphan = 0, false, nil
	if !f.unfinished() && f.out != nil {
		jobs := f.out.Fio.Jobs[:0]
		for _, j := range f.out.Fio.Jobs {
			if j.Sync != nil && j.Sync.Mean == 0 && j.Sync.Count == 0 {
				j.Sync = nil
			}
			if j.Read != nil || j.Write != nil || j.Sync != nil || j.Error != 0 {
				jobs = append(jobs, j)
			}
		}
		each(jobs)
		f.out.Fio.Jobs = jobs
	}
	f.close()
	f.out, f.def, f.version, f.line0, f.json, f.defs, f.ended = nil, Job{}, "", 0, nil, nil, false
	f.order, f.tersely, f.progress, f.signal = nil, false, nil, 0
}

// measuredPercentiles says whether a side has percentiles: behind them, fio always tells what was issued.
func measuredPercentiles(s *Side) bool { return s != nil && s.P99 > 0 }

// each says that jobs of one name that are listed one by one are one job each, whatever their command asked for.
func each(jobs []Job) {
	times := map[string]int{}
	for i := range jobs {
		times[jobs[i].Name]++
	}
	for i := range jobs {
		if n := times[jobs[i].Name]; n > 1 && n <= jobs[i].Jobs {
			jobs[i].Jobs = 1
		}
	}
}

func (f *fio) end() { f.finish() }

// match is a pattern that is only looked for where one of some words is there.
func match(re *regex.Regex, s string, words ...string) []string {
	if !holds(s, words...) {
		return nil
	}
	return re.FindStringSubmatch(s)
}
