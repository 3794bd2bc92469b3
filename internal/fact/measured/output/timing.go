package output

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/measured"
)

var (
	timingSeconds = regex.New(`\bTesting timing overhead for ([0-9]{1,6}) seconds?`)
	timingSource  = regex.New(`^\s*(?:System clock source|Fast clock source|Clock source): (.+)$`)
	timingDirect  = regex.New(`^\s*TSC clock source will be used by default`)
	// «Per loop time including overhead: 35.96 ns», «Время одного цикла, включая издержки: 35,96 нс»
	timingLoop = regex.New(
		`^\s*[^:：]{4,90}[:：]\s*([0-9]{1,12}[.,][0-9]{1,3})\s*(?:ns|nsec|нс|ნწმ|纳秒)\s*\.?\s*$`)
	timingWords = regex.New(
		`(?i)\b(?:per|average) loop time including overhead:\s*([0-9][0-9.,]{0,14})\s*ns\b`)
	timingHead = regex.New(`^\s*(<=?)\s?(us|usec|ns|µs|мкс|noi|მკწმ|微秒)(?:[\s:]|$)`)
	timingStep = regex.New(
		`^\s*([0-9]{1,18})\s+([0-9]{1,3}(?:[.,][0-9]+)?)%?` +
			`(?:\s+[0-9]{1,3}(?:[.,][0-9]+)?%?)?\s+([0-9][0-9,]{0,22})\s*$`)
	// «Time warp: -847 ms», «Décalage de temps : -847 us», «Сдвиг времени: -847 мкс»
	timingWarp = regex.New(
		`^\s*([^:：]{2,60}[:：]\s*-[0-9]{1,12}\s*(?:ms|us|µs|ns|мс|мкс|нс|მწმ|მკწმ|毫秒|微秒))\s*$`)
	timingBackward = regex.New(`(?i)detected clock going backwards in time`)
	// 9.2: «   2:  72.1%   2990371» had the count before the share
	timingOld = regex.New(`^\s*([0-9]{1,18}):\s+([0-9]{1,18})\s+[0-9.,]+%\s*$`)
)

const (
	maxClocks = 8
	maxSteps  = 70
)

// timing reads pg_test_timing of 9.2 to 19, in each of its languages.
type timing struct {
	r         *reader
	out       *Output
	source    string
	scale     int64
	inclusive bool
	counting  bool
	lone      int
	second    int // the number that stood alone in the line before that
}

func (t *timing) begin(line int) {
	if t.out == nil || t.source == "" && t.out.filled() {
		t.end()
		t.out = t.r.open(TestTiming, line)
		t.out.Timing = &measured.Timing{Clocks: []measured.Clock{}}
	}
}

func (t *timing) line(s scanned) bool {
	lone, second := t.lone, t.second
	t.lone, t.second = 0, lone
	if len(s.text) < 160 {
		t.lone = loneNumber(s.text)
	}
	if !t.counting && !holds(s.text, "Testing", "source", "TSC", ":", "：", "<") {
		return false
	}
	if m := timingSeconds.FindStringSubmatch(s.text); m != nil {
		t.begin(s.number)
		n, _ := whole(m[1])
		t.out.Timing.Seconds = int(n)
		t.counting = false
		return true
	}
	if m := timingSource.FindStringSubmatch(s.text); m != nil {
		// The first clock of a run is the system's; the others belong to the same.
		if t.out != nil && strings.Contains(s.text, "System") && len(t.out.Timing.Clocks) > 0 {
			t.end()
		}
		t.begin(s.number)
		t.source = short(strings.TrimSpace(m[1]), 64)
		return true
	}
	if timingDirect.MatchString(s.text) && t.out != nil {
		t.out.Timing.TSC = true
		return true
	}
	if timingBackward.MatchString(s.text) {
		t.begin(s.number)
		t.out.Timing.Backward = short(strings.TrimSpace(s.text), maxFirst)
		return true
	}
	if m := match(timingWarp, s.text, "-"); m != nil {
		if t.out == nil || t.out.Timing.Backward == "" {
			if lone = max(lone, second); lone == 0 || lone > 3600 {
				return false // of another program
			}
			t.begin(s.number)
			if t.out.Timing.Seconds == 0 {
				t.out.Timing.Seconds = lone // the line above, in another language
			}
		}
		t.out.Timing.Backward = short(m[1], maxFirst)
		return true
	}
	if v, ok := timingLoopOf(s.text); ok {
		return t.loop(s, v, lone)
	}
	if m := timingHead.FindStringSubmatch(s.text); m != nil && t.out != nil && len(t.out.Timing.Clocks) > 0 {
		t.counting, t.inclusive, t.scale = true, m[1] == "<=", 1000
		if m[2] == "ns" {
			t.scale = 1
		}
		return true
	}
	if !t.counting || t.out == nil {
		return false
	}
	return t.step(s)
}

// timingLoopOf reads the mean of a loop, in nanoseconds.
func timingLoopOf(s string) (float64, bool) {
	if len(s) > 300 {
		return 0, false
	}
	m := timingWords.FindStringSubmatch(s)
	if m == nil {
		m = timingLoop.FindStringSubmatch(s)
	}
	if m == nil {
		return 0, false
	}
	v, ok := figure(m[1])
	return v, ok && v > 0 && v < 1e9
}

func (t *timing) loop(s scanned, nanos float64, lone int) bool {
	if t.out != nil && t.source == "" && len(t.out.Timing.Clocks) > 0 {
		t.end() // another run
	}
	t.begin(s.number)
	if len(t.out.Timing.Clocks) == maxClocks {
		return true
	}
	if t.out.Timing.Seconds == 0 && lone > 0 && lone <= 3600 {
		t.out.Timing.Seconds = lone // the line above, in another language
	}
	t.out.Timing.Clocks = append(t.out.Timing.Clocks, measured.Clock{Name: t.source, LoopNanos: nanos,
		Steps: []measured.Step{}})
	t.counting, t.scale, t.inclusive = false, 1000, false
	return true
}

// step reads a row of the histogram.
func (t *timing) step(s scanned) bool {
	c := &t.out.Timing.Clocks[len(t.out.Timing.Clocks)-1]
	var bound, count string
	if m := timingStep.FindStringSubmatch(s.text); m != nil {
		bound, count = m[1], strings.ReplaceAll(m[3], ",", "")
	} else if m := timingOld.FindStringSubmatch(s.text); m != nil {
		bound, count = m[1], m[2]
	} else {
		t.counting = strings.TrimSpace(s.text) == "" && len(c.Steps) == 0
		return false
	}
	b, ok1 := whole(bound)
	n, ok2 := whole(count)
	if !ok1 || !ok2 || len(c.Steps) == maxSteps || b > 1<<50/t.scale {
		return false
	}
	below := b * t.scale
	if t.inclusive {
		below++
	}
	if k := len(c.Steps); k > 0 && c.Steps[k-1].Below >= below && !strings.Contains(s.text, ":") { // 9.2 goes down
		t.counting = false // bounds grow: another table
		return false
	}
	c.Steps = append(c.Steps, measured.Step{Below: below, Count: n})
	return true
}

func (t *timing) end() {
	if t.out != nil && len(t.out.Timing.Clocks) > 0 && t.out.Timing.Backward == "" {
		t.out.Cut = len(t.out.Timing.Clocks[len(t.out.Timing.Clocks)-1].Steps) == 0
	}
	t.out, t.source, t.counting = nil, "", false
}
