package database

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/paste/setting"
)

// The report of postgresqltuner: a line for each thing that it looked at, with a mark before it.
var (
	reTunerHead = regex.New(`^postgresqltuner(?:\.pl)? version \d`)
	reTunerLine = regex.New(`^\[(?:OK|INFO|WARN|BAD|UNKNOWN|URGENT|HIGH|MEDIUM|LOW)\]\s+(\S.*)$`)
	reTunerPart = regex.New(`^(?:={3,}|-{3,})\s+\S.*\S\s+(?:={3,}|-{3,})$`)
	// what it says besides, and the sum that it sets in
	reTunerSaid    = regex.New(`^(?:Checking if OS|Connecting to |Use of uninitialized|[+=]\s|shared_buffers \()`)
	reTunerMemory  = regex.New(`^OS total memory: (\d[\d.]* [kKMGTP]?B)$`)
	reTunerSized   = regex.New(`^(?:[Cc]onfigured )?([a-z_]+) ?[:=] ?(\d[\d.]* [kKMGTP]?B)$`)
	reTunerSetting = regex.New(`^([a-z_]+)(?:: ?|=)(-?[\w.]+)$`)
	reTunerSwitch  = regex.New(`^([a-z_]+) is (on|off)$`)
	reTunerSysctl  = regex.New(`^sysctl ((?:vm|kernel)\.\w+)=(-?\d+)$`)
	// of the sum: what the numbers are is said before the bracket
	reTunerSum     = regex.New(`^\+ (max_connections|autovacuum_max_workers) \* [\w *]+\((\d{1,7}) \* `)
	reTunerVersion = regex.New(`^You are using\b.{0,40}?\b(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?:\s|$)`)
)

// ReadTuner reads the report of postgresqltuner.
func ReadTuner(w *part.Window) (f part.Found) {
	headed, marked := reTunerHead.MatchString(w.Text(0)), 0
	if !headed && !reTunerLine.MatchString(w.Text(0)) && !reTunerPart.MatchString(w.Text(0)) {
		return
	}
	f.Body = []string{}
	for i := range w.Lines {
		t := w.Text(i)
		if m := reTunerLine.FindStringSubmatch(t); m != nil {
			marked++
			tuned(&f, m[1])
		} else if w.Lines[i].Is == part.Blank || w.Lines[i].Is == part.Elided {
			continue
		} else if !reTunerPart.MatchString(t) && !reTunerSaid.MatchString(t) && !reTunerHead.MatchString(t) {
			break
		} else if m := reTunerSum.FindStringSubmatch(t); m != nil {
			told := func(x part.Fact) bool { return x.Of == m[1] }
			if !slices.ContainsFunc(f.Facts, told) {
				f.Add(setting.Of(m[1], m[2], ""))
			}
		}
		f.N = i + 1
	}
	if marked == 0 || len(f.Facts) == 0 || !headed && marked < 2 {
		return part.Found{}
	}
	if !headed {
		f.Sure = part.Likely
	}
	return f
}

// tuned adds what one line says. Its sizes have two digits behind the point.
func tuned(f *part.Found, t string) {
	size := func(name, of, s string) {
		if a, ok := amount.Sized(strings.Replace(strings.ToUpper(s), "B", "iB", 1)); ok {
			f.Add(a.Fact(name, of))
		}
	}
	if m := reTunerMemory.FindStringSubmatch(t); m != nil {
		size("memory.total", "", m[1])
	} else if m := reTunerSized.FindStringSubmatch(t); m != nil {
		if setting.Known(m[1]) {
			size("setting", m[1], m[2])
		}
	} else if m := reTunerSysctl.FindStringSubmatch(t); m != nil {
		f.Add(part.Word("sysctl", m[1], m[2]))
	} else if m := reTunerVersion.FindStringSubmatch(t); m != nil {
		f.Add(part.Word("server.version", "", m[1]))
	} else if m := reTunerSwitch.FindStringSubmatch(t); m != nil && setting.Known(m[1]) &&
		setting.Plausible(m[1], m[2]) {
		f.Add(setting.Of(m[1], m[2], ""))
	} else if m := reTunerSetting.FindStringSubmatch(t); m != nil && setting.Known(m[1]) &&
		setting.Plausible(m[1], m[2]) {
		f.Add(setting.Of(m[1], m[2], ""))
	}
}
