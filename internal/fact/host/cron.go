package host

import (
	"bytes"
	"fmt"
	"io/fs"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// CronLine is a line of the system's crontabs that speaks of kernel values.
type CronLine struct {
	File string `json:"file"` // absolute path
	Line int    `json:"line"`
	User string `json:"user"` // the field behind the times, which cron takes for the user
	Rest string `json:"rest"` // what follows it: the command, if the field is a user
}

const (
	crontab = "etc/crontab"
	cronDir = "etc/cron.d"
	// Systems have some ten files there, of a few lines each.
	maxCronFiles = 1024
	maxCronLines = 10_000
)

// ReadCron reads the lines of /etc/crontab and /etc/cron.d that name /proc/sys,
// /sys or sysctl. The crontabs of single users, whose lines have no field for
// the user, are elsewhere and not read.
func ReadCron(fsys fs.FS) known.Fact[[]CronLine] {
	main := evidence.Read(fsys, crontab, ParseCron)
	names, dir := folder(fsys, cronDir, maxCronFiles)
	if !main.Known() && (main.State() != known.Absent || !dir.Known()) {
		return main
	}
	if !dir.Known() && dir.State() != known.Absent {
		return known.Without[[]CronLine](dir.State(), dir.Gap())
	}
	paths := []string{}
	if main.Known() {
		paths = append(paths, crontab)
	}
	for _, n := range names {
		if !passedOver(n) {
			paths = append(paths, cronDir+"/"+n)
		}
	}
	out := []CronLine{}
	for _, p := range paths {
		f := evidence.Read(fsys, p, ParseCron)
		lines, ok := f.Get()
		if !ok {
			return known.Without[[]CronLine](f.State(), f.Gap())
		}
		for _, l := range lines {
			l.File = "/" + p
			out = append(out, l)
		}
	}
	return known.Is(out)
}

// passedOver reports whether every cron leaves a file of this name in /etc/cron.d alone.
func passedOver(name string) bool {
	for _, end := range []string{"~", ".rpmsave", ".rpmnew", ".rpmorig"} {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return strings.HasPrefix(name, ".")
}

// ParseCron parses a crontab of the system: times (five fields or an @word), user, command. It returns the lines that
// speak of kernel values, without File. Comments, assignments and lines that are none of this are skipped.
func ParseCron(b []byte) ([]CronLine, error) {
	out := []CronLine{}
	err := Lines(b, func(n int, line string) error {
		line, err := ParseText([]byte(line))
		if err != nil || line == "" || !strings.ContainsAny(line[:1], "0123456789*@-~") || !ofKernel(line) {
			return nil
		}
		times := 5
		if line[0] == '@' {
			times = 1
		}
		for range times {
			i := strings.IndexAny(line, " \t")
			if i < 0 {
				return nil
			}
			line = strings.TrimLeft(line[i:], " \t")
		}
		if len(out) == maxCronLines {
			return fmt.Errorf("more than %d lines on kernel values", maxCronLines)
		}
		user, rest := line, ""
		if i := strings.IndexAny(line, " \t"); i >= 0 {
			user, rest = line[:i], strings.TrimLeft(line[i:], " \t")
		}
		out = append(out, CronLine{Line: n, User: user, Rest: rest})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// KernelCron returns a crontab in which only the lines that ParseCron returns remain, each on its own line number: the
// commands of the others are private, and some contain passwords.
func KernelCron(b []byte) []byte {
	found, err := ParseCron(b)
	if err != nil {
		return nil
	}
	var out bytes.Buffer
	n, next := 0, 0
	for line := range bytes.Lines(b) {
		n++
		if next == len(found) {
			break
		}
		if found[next].Line == n {
			out.Write(bytes.TrimRight(line, "\r\n"))
			next++
		}
		out.WriteByte('\n')
	}
	return out.Bytes()
}

// ofKernel reports whether a command names sysctl, or a path in /proc/sys or /sys.
func ofKernel(s string) bool {
	if strings.Contains(s, "sysctl") {
		return true
	}
	for {
		before, after, ok := strings.Cut(s, "/sys/")
		if !ok {
			return false
		}
		if strings.HasSuffix(before, "/proc") || before == "" ||
			strings.ContainsAny(before[len(before)-1:], " \t\"'=>(`|") {
			return true
		}
		s = after
	}
}
