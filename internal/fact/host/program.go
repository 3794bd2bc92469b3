package host

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Program is what runs on the host under one name, apart from the servers: all processes of that name together.
type Program struct {
	Name      string     `json:"name"` // comm, of which the kernel keeps 15 bytes
	Processes int        `json:"processes"`
	RSS       unit.Bytes `json:"rss"` // sum of resident memory; what they share counts once for each
	// the same without what is shared or of files; only of the large ones
	Private known.Fact[unit.Bytes] `json:"private"`
	CPUTime float64                `json:"cpu_time"` // seconds of CPU time of those that run now
	Since   float64                `json:"since"`    // seconds from the boot to the start of the oldest of them
	// of ScannerNames: it lets others wait before they may open or read a file
	Intercept known.Fact[bool] `json:"intercept"`
}

// programsFile is written by the collector.
const programsFile = "programs.json"

// ScannerNames are the names of programs that scan files when they are opened. clamd is not among them: alone it scans
// what it is handed. Names that other programs share, such as pmd of Cortex, are omitted.
var ScannerNames = map[string]string{
	"clamonacc":       "ClamAV",
	"savd":            "Sophos Anti-Virus",
	"savscand":        "Sophos Anti-Virus",
	"soapd":           "Sophos Protection",
	"sophos_threat_d": "Sophos Protection",
	"wdavdaemon":      "Microsoft Defender",
	"falcon-sensor":   "CrowdStrike Falcon",
	"falcon-sensor-b": "CrowdStrike Falcon",
	"kesl":            "Kaspersky Endpoint Security",
	"esets_daemon":    "ESET",
	"oaeventd":        "ESET",
	"ds_am":           "Trend Micro Deep Security",
	"ds_agent":        "Trend Micro Deep Security",
	"drweb-spider":    "Dr.Web SpIDer Guard",
	"mfetpd":          "Trellix Endpoint Security",
	"s1-agent":        "SentinelOne",
	"rtvscand":        "Symantec AntiVirus",
	"sisamddaemon":    "Symantec Endpoint Protection",
	"elastic-endpoin": "Elastic Defend",
	"bdsecd":          "Bitdefender",
	"cbdaemon":        "Carbon Black",
	"fsoasd":          "WithSecure",
	"cbagentd":        "Carbon Black",
}

// ClockPrograms are the names of programs that synchronize the clock; true if they may do so without marking it as
// synchronized in the kernel. chronyd marks it only with rtcsync in its configuration, one of the two ntpd (OpenNTPD)
// and the agents of hypervisors do not at all.
var ClockPrograms = map[string]bool{
	"chronyd": true, "ntpd": true, "vmtoolsd": true, "VBoxService": true, "prltoolsd": true,
	"systemd-timesyn": false, "ptp4l": true, "phc2sys": true,
}

// IsKept reports whether a collector keeps a program of this name however small it is: that it runs is the fact.
func IsKept(name string) bool {
	_, clock := ClockPrograms[name]
	return clock || ScannerNames[name] != ""
}

// Bounds of programs.json: a collector keeps the largest twenty and the known
// names, and each scanner has some ten marks.
const (
	maxPrograms = 256
	maxMarks    = 4096
)

// program is an entry of programs.json.
type program struct {
	Name      string    `json:"name"`
	Processes int       `json:"processes"`
	RSS       int64     `json:"rss"`     // bytes
	Private   *int64    `json:"private"` // bytes
	Ticks     int64     `json:"ticks"`   // of CPU time, hundredths of a second
	Start     int64     `json:"start"`   // of the oldest, hundredths of a second after the boot
	Marks     *[]string `json:"marks"`   // lines of /proc/PID/fdinfo that begin with fanotify
}

// userHz is the unit of times in /proc, on every architecture that PostgreSQL
// is packaged for.
const userHz = 100

// ReadPrograms reads programs.json: what else runs on the host, the largest first.
func ReadPrograms(fsys fs.FS) known.Fact[[]Program] {
	return evidence.Read(fsys, programsFile, ParsePrograms)
}

// ParsePrograms parses programs.json. Negative numbers, names that no process
// can have, and more entries than a collector writes are errors.
func ParsePrograms(b []byte) ([]Program, error) {
	var list []program
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, err
	}
	if len(list) > maxPrograms {
		return nil, fmt.Errorf("more than %d programs", maxPrograms)
	}
	out := make([]Program, 0, len(list))
	for i, p := range list {
		if p.Name == "" || len(p.Name) > 64 || p.Processes < 1 || p.RSS < 0 || p.Ticks < 0 || p.Start < 0 ||
			p.Private != nil && (*p.Private < 0 || *p.Private > p.RSS) {
			return nil, fmt.Errorf("program %d is none", i+1)
		}
		q := Program{Name: plainName(p.Name), Processes: p.Processes, RSS: unit.Bytes(p.RSS),
			CPUTime: float64(p.Ticks) / userHz, Since: float64(p.Start) / userHz}
		at := programsFile + ": " + q.Name
		q.Private = known.None[unit.Bytes](known.Gap{Fact: at + ": private",
			Reason: "it was not looked at: it is small, or has very many processes"})
		if p.Private != nil {
			q.Private = known.Is(unit.Bytes(*p.Private))
		}
		q.Intercept = known.None[bool](known.Gap{Fact: at + ": intercept", Reason: "it is no scanner"})
		switch {
		case ScannerNames[q.Name] == "":
		case p.Marks == nil:
			q.Intercept = known.Barred[bool](known.Gap{Fact: at + ": intercept",
				Reason: "its open files are closed to us", Reveal: "run pgfettle as root"})
		case len(*p.Marks) > maxMarks:
			return nil, fmt.Errorf("more than %d marks", maxMarks)
		default:
			q.Intercept = known.Is(slices.ContainsFunc(*p.Marks, intercepts))
		}
		out = append(out, q)
	}
	return out, nil
}

// permissionEvents are FAN_OPEN_PERM, FAN_ACCESS_PERM and FAN_OPEN_EXEC_PERM (include/uapi/linux/fanotify.h): the
// process that opens or reads waits for an answer.
const permissionEvents = 0x10000 | 0x20000 | 0x40000

// intercepts reports whether a line of fdinfo is a mark with permission events: "fanotify mnt_id:1d mflags:0 mask:10001
// ignored_mask:0".
func intercepts(line string) bool {
	for f := range strings.FieldsSeq(line) {
		if hex, ok := strings.CutPrefix(f, "mask:"); ok {
			mask, err := strconv.ParseUint(hex, 16, 64)
			return err == nil && mask&permissionEvents != 0
		}
	}
	return false
}

// plainName puts a question mark in place of what no terminal should see: a process gives itself any name.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
