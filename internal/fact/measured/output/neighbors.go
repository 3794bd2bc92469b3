package output

import (
	"math"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// Neighbor is the result of another program in the file: its line as it stands there, and what
// it comes to.
type Neighbor struct {
	Program string  `json:"program"`
	Line    int     `json:"line"`
	Text    string  `json:"text"`
	Flushed float64 `json:"flushed_writes_per_second,omitempty"` // of dd with oflag=dsync or sync
	Cached  bool    `json:"page_cache,omitempty"`                // of dd that did not wait for the disk
}

var (
	// «8192000 bytes (8.2 MB, 7.8 MiB) copied, 13.1072 s, 625 kB/s», in each language
	ddResult = regex.New(`^\s*([0-9]{1,15}) ?[^\s\d()]{2,10}(?:[^()]{0,12}\([^()]{1,40}\))?.{0,24}?[,，、]? ?` +
		`([0-9]{1,6}(?:[.,][0-9]{1,9})?) ?(?:s|с|seconds|secs|сек|秒|初|초)\b?[,，、]? ?` +
		`.{0,4}[0-9.,]+ ?[kKMGT]?(?:i?B|Б|o|octets)/?[sс秒초]?\S*(?:\s+\([0-9]{1,2}\))?\s*$`)
	// of BSD and macOS: «1048576000 bytes transferred in 9.1 secs (115228131 bytes/sec)», and of the oldest of Linux
	ddBSD = regex.New(`^\s*[0-9]{1,15} bytes transferred in ([0-9]{1,6}\.[0-9]{1,9}) sec(?:s|onds)? ` +
		`\([0-9]+ bytes/sec\)`)
	ddRecords = regex.New(`^\s*(?:记录了|記錄了)?([0-9]{1,12})\+[0-9]{1,12} \S+`)
	// a prompt of a shell ends what a command before it printed
	prompted  = regex.New(`^\s*(?:\[[^\]]*\]|[\w.-]+@[\w.-]+\S*)? ?[$#%] \S`)
	ddCommand = regex.New(`(?:^|[\s$#;&|(])dd\s+(?:\S+\s+)*?(?:if|of)=`)

	neighborLines = []struct {
		program string
		re      *regex.Regex
	}{
		{"ioping", regex.New(`^\s*(?:min/avg/max/mdev = .+|[0-9.]+ ?[kM]? requests completed in .+)$`)},
		{"pveperf", regex.New(`^\s*(?:FSYNCS/SECOND|BUFFERED READS|AVERAGE SEEK TIME):\s+[0-9.]+`)},
		{"hdparm", regex.New(`^\s*Timing (?:O_DIRECT )?(?:cached|buffered disk|disk) reads:\s+[0-9]+ MB in `)},
		{"bonnie++", regex.New(`^\s*Version\s+[0-9.]+[a-z]?\s+-+Sequential Output-+`)},
		{"bonnie++", bonnieRow},
		{"CrystalDiskMark", regex.New(`^\s*(?:SEQ|RND|Sequential|Random)[ _]?.{0,32}:\s+[0-9.]+ MB/s`)},
		{"HammerDB", regex.New(`\bTEST RESULT : System achieved [0-9]+ (?:NOPM|\w+ TPM)\b`)},
		{"winsat", regex.New(`^>? ?Disk\s+(?:Random|Sequential) [0-9.]+ (?:Read|Write)\s+[0-9.]+ MB/s`)},
		{"BenchmarkSQL", regex.New(`\bMeasured tpm(?:C|TOTAL)\b.* = [0-9.]+`)},
		{"go-tpc", regex.New(`^\s*tpmC: [0-9.]+, tpmTotal: [0-9.]+`)},
		{"cockroach workload", regex.New(`^\s*_elapsed_+errors_.*ops/sec`)},
		{"dstat", regex.New(`^\s*-+(?:total-cpu|cpu)-usage-+`)},
		{"iotop", regex.New(`^\s*Total DISK READ\s*:\s+[0-9.]+ [BKMG]/s`)},
		{"top", regex.New(`^\s*top - [0-9:]+ up .+ load average:`)},
	}
)

const maxNeighbors = 64

// neighbors keeps what such programs printed.
type neighbors struct {
	r       *reader
	command string
	records int64
	row     int // the number of the line of the last result: a row of a table has several
	seen    map[string]int
	pool    bool   // the head of zpool iostat was there
	device  string // that hdparm named
	spd     diskspd
}

// bonnieRow is what bonnie++ prints: machine, size, then speeds and shares of the CPU; with some below what it
// measures.
var bonnieRow = regex.New(`^\s*[\w.-]{1,40}\s+[0-9.]{1,8}[GMK]?(?::[0-9a-z]{1,8})?(?:\s+(?:[0-9.]{1,10}` +
	`[GMK]?\s+[0-9]{1,4}|` +
	`\+{3,5}\s+\+{3})){6}\s*$`)

var hdparmDevice = regex.New(`^\s*(/dev/[\w/.-]{1,64}):\s*$`)

var (
	poolHead = regex.New(`^\s*pool\s+alloc\s+free\s+read\s+write\s+read\s+write`)
	poolRow  = regex.New(`^\s*[\w./:-]{1,80}(?:\s+(?:[0-9.]{1,8}[BKMGTP]?|-)){6,20}\s*$`)
)

func (n *neighbors) line(s scanned) bool {
	if n.command != "" && prompted.MatchString(s.text) {
		n.command, n.records = "", 0
	}
	if n.pool || strings.Contains(s.text, "alloc") && poolHead.MatchString(s.text) {
		switch {
		case !n.pool, strings.Contains(s.text, "-----"):
			n.pool = true
			return true
		case len(s.text) < 400 && poolRow.MatchString(s.text):
			n.keep(Neighbor{Program: "zpool iostat", Line: s.number, Text: short(strings.TrimSpace(s.text), maxFirst)})
			return true
		}
		n.pool = strings.TrimSpace(s.text) == ""
	}
	if n.diskspd(s) {
		return true
	}
	if m := match(hdparmDevice, s.text, "/dev/"); m != nil {
		n.device = m[1]
		return false
	}
	if len(s.text) > 400 || !holds(s.text, "dd ", "+", "yte", "B/s", "octet", "байт", "字节", "バイト", "avg",
		"requests", "+++", " 99 ", "Disk ",
		"FSYNC", "READS", "SEEK", "reads:", "Output", "total", "MB/s", "NOPM", "tpm", "_elapsed",
		"usage", "DISK", "top - ") {
		return false
	}
	if ddCommand.MatchString(s.text) {
		n.command, n.records = s.text, 0
		return false
	}
	if m := match(ddRecords, s.text, "+"); m != nil {
		n.records, _ = whole(m[1])
		return n.command != ""
	}
	if bare := strings.Trim(s.text, " \t`*_"); len(bare) < len(s.text) { // inline code
		s.text = bare
	}
	m := ddBSD.FindStringSubmatch(s.text)
	if m != nil {
		m = []string{"", "", m[1]}
	} else if m = ddResult.FindStringSubmatch(s.text); n.command == "" && n.records == 0 && n.row != s.number {
		m = nil
	}
	if m != nil {
		x := Neighbor{Program: "dd", Line: s.number, Text: short(strings.TrimSpace(s.text), maxFirst)}
		seconds, ok := figure(m[2])
		if ok && seconds > 0 && n.records > 0 && holds(n.command, "oflag=dsync", "oflag=sync", "oflag=direct,dsync",
			"oflag=direct,sync", ",dsync", ",sync") {
			x.Flushed = math.Round(float64(n.records)/seconds*1000) / 1000
		}
		x.Cached = strings.Contains(n.command, "of=") && !strings.Contains(n.command, "of=/dev/") &&
			!holds(n.command, "sync", "direct")
		n.keep(x)
		n.records, n.row = 0, s.number // the command stays: a loop has several results
		return true
	}
	for _, l := range neighborLines {
		if l.re.MatchString(s.text) {
			text := strings.TrimSpace(s.text)
			if l.program == "hdparm" && n.device != "" {
				text = n.device + ": " + text
			}
			n.keep(Neighbor{Program: l.program, Line: s.number, Text: short(text, maxFirst)})
			return true
		}
	}
	return false
}

// mostOfOne lines of a program are kept; the rest would be a copy of it.
const mostOfOne = 8

func (n *neighbors) keep(x Neighbor) {
	if n.seen == nil {
		n.seen = map[string]int{}
	}
	if n.seen[x.Program]++; len(n.r.neighbors) < maxNeighbors && n.seen[x.Program] <= mostOfOne &&
		x.Flushed <= mostPerSecond {
		n.r.neighbors = append(n.r.neighbors, x)
	}
}

func (n *neighbors) end() { n.threads() }
