package paste

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
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
	reTunerVersion = regex.New(`^You are using\b.{0,40}?\b(\d{1,2}\.\d{1,2}(?:\.\d{1,2})?)(?:\s|$)`)
)

func readTuner(w *window) (f found) {
	headed, marked := reTunerHead.MatchString(w.t(0)), 0
	if !headed && !reTunerLine.MatchString(w.t(0)) && !reTunerPart.MatchString(w.t(0)) {
		return
	}
	f.body = []string{}
	for i := range w.lines {
		t := w.t(i)
		if m := reTunerLine.FindStringSubmatch(t); m != nil {
			marked++
			f.tuned(m[1])
		} else if w.lines[i].is == blank || w.lines[i].is == elided {
			continue
		} else if !reTunerPart.MatchString(t) && !reTunerSaid.MatchString(t) && !reTunerHead.MatchString(t) {
			break
		}
		f.n = i + 1
	}
	if marked == 0 || len(f.facts) == 0 || !headed && marked < 2 {
		return found{}
	}
	if !headed {
		f.sure = Likely
	}
	return f
}

// tuned adds what one line says. Its sizes have two digits behind the point.
func (f *found) tuned(t string) {
	size := func(name, of, s string) {
		if a, ok := sized(strings.Replace(strings.ToUpper(s), "B", "iB", 1)); ok {
			f.add(a.fact(name, of))
		}
	}
	if m := reTunerMemory.FindStringSubmatch(t); m != nil {
		size("memory.total", "", m[1])
	} else if m := reTunerSized.FindStringSubmatch(t); m != nil {
		if isParam(m[1]) {
			size("setting", m[1], m[2])
		}
	} else if m := reTunerSysctl.FindStringSubmatch(t); m != nil {
		f.add(word("sysctl", m[1], m[2]))
	} else if m := reTunerVersion.FindStringSubmatch(t); m != nil {
		f.add(word("server.version", "", m[1]))
	} else if m := reTunerSwitch.FindStringSubmatch(t); m != nil && isParam(m[1]) && plausible(m[1], m[2]) {
		f.add(setting(m[1], m[2], ""))
	} else if m := reTunerSetting.FindStringSubmatch(t); m != nil && isParam(m[1]) && plausible(m[1], m[2]) {
		f.add(setting(m[1], m[2], ""))
	}
}
