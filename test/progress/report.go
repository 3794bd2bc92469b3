package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pgfettle/pgfettle/test/tier"
)

const module = "github.com/pgfettle/pgfettle/"

// event is one line of go test -json; see go doc test2json.
type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64 // seconds
	FailedBuild                               string
}

// place is a package that is being tested.
type place struct {
	began  time.Time
	output map[string]*strings.Builder // of each test; "" of the package
	at     map[string]time.Time        // tests that run, and since when
	failed []string                    // tests, the innermost first
}

type took struct {
	name    string
	seconds float64
}

// report is what was seen so far.
type report struct {
	interrupted atomic.Bool // by a signal

	lock    sync.Mutex
	w       io.Writer
	now     func() time.Time
	require string // the tiers that must not be skipped
	began   time.Time
	places  map[string]*place
	ended   []took // packages
	tests   []took // those that are no subtests
	builds  map[string]*strings.Builder
	passed  int
	failed  int
	cached  int
	skipped map[string][]string // by the reason
}

func newReport(w io.Writer, now func() time.Time, require string) *report {
	return &report{w: w, now: now, require: require, began: now(),
		places: map[string]*place{}, builds: map[string]*strings.Builder{}, skipped: map[string][]string{}}
}

// read follows the events to their end. A line that is no event is passed on.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				r.say(strings.TrimRight(string(line), "\n"))
			} else {
				r.take(e)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) say(line string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	fmt.Fprintln(r.w, line)
}

func (r *report) take(e event) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if e.ImportPath != "" { // of a build
		b := r.builds[e.ImportPath]
		if b == nil {
			b = &strings.Builder{}
			r.builds[e.ImportPath] = b
		}
		b.WriteString(e.Output)
		return
	}
	p := r.places[e.Package]
	if p == nil {
		p = &place{began: r.now(), output: map[string]*strings.Builder{}, at: map[string]time.Time{}}
		r.places[e.Package] = p
	}
	switch e.Action {
	case "run":
		p.at[e.Test] = r.now()
	case "output":
		if p.output[e.Test] == nil {
			p.output[e.Test] = &strings.Builder{}
		}
		p.output[e.Test].WriteString(e.Output)
	case "pass", "fail", "skip":
		delete(p.at, e.Test)
		if e.Test == "" {
			r.packageEnds(e, p)
			return
		}
		r.testEnds(e, p)
	}
}

func (r *report) testEnds(e event, p *place) {
	if !strings.Contains(e.Test, "/") {
		r.tests = append(r.tests, took{short(e.Package) + " " + e.Test, e.Elapsed})
	}
	switch e.Action {
	case "pass":
		r.passed++
		delete(p.output, e.Test) // of gigabytes of logs what failed is kept
	case "fail":
		r.failed++
		p.failed = append(p.failed, e.Test)
	case "skip":
		why := reason(p.output[e.Test])
		r.skipped[why] = append(r.skipped[why], short(e.Package)+" "+e.Test)
		delete(p.output, e.Test)
	}
}

func (r *report) packageEnds(e event, p *place) {
	delete(r.places, e.Package)
	name := short(e.Package)
	switch e.Action {
	case "skip": // no tests
		return
	case "pass":
		cached := ""
		if b := p.output[""]; b != nil && strings.Contains(b.String(), "\t(cached)") {
			cached = "  cached"
			r.cached++
		}
		fmt.Fprintf(r.w, "ok    %7s  %s%s\n", seconds(e.Elapsed), name, cached)
	case "fail":
		fmt.Fprintf(r.w, "FAIL  %7s  %s\n", seconds(e.Elapsed), name)
		if b := r.builds[e.FailedBuild]; b != nil {
			fmt.Fprint(r.w, b.String())
		}
		if len(p.failed) == 0 {
			r.failed++ // of the package itself: it did not build, or did not end
		}
		// The output of a test that was cut off is the only clue to the reason.
		for _, test := range append(p.failed, slices.Sorted(maps.Keys(p.at))...) {
			if b := p.output[test]; b != nil {
				fmt.Fprint(r.w, b.String())
			}
		}
		if b := p.output[""]; b != nil {
			fmt.Fprint(r.w, b.String())
		}
	}
	r.ended = append(r.ended, took{name, e.Elapsed})
}

// running reports what is running.
func (r *report) running() {
	r.lock.Lock()
	defer r.lock.Unlock()
	var now []string
	oldest := func(a, b string) int { return r.places[a].began.Compare(r.places[b].began) }
	for _, name := range slices.SortedFunc(maps.Keys(r.places), oldest) {
		p := r.places[name]
		text := short(name) + " " + seconds(r.now().Sub(p.began).Seconds())
		if test, since := p.oldest(); test != "" {
			text += fmt.Sprintf(" (%s %s)", test, seconds(r.now().Sub(since).Seconds()))
		}
		now = append(now, text)
	}
	if len(now) > 0 {
		fmt.Fprintf(r.w, "... %s: %s\n", seconds(r.now().Sub(r.began).Seconds()), strings.Join(now, ", "))
	}
}

// oldest is the test that has run for the longest, the innermost of its subtests.
func (p *place) oldest() (name string, since time.Time) {
	for _, test := range slices.Sorted(maps.Keys(p.at)) {
		at := p.at[test]
		inner := name != "" && strings.HasPrefix(test, name+"/")
		if name == "" || inner || at.Before(since) {
			name, since = test, at
		}
	}
	return name, since
}

// end reports the whole, and whether all is well. A go test that failed without a failed test counts as one: its own
// output has said why.
func (r *report) end(well bool) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	skips := 0
	if len(r.skipped) > 0 {
		fmt.Fprintln(r.w, "\nskipped:")
	}
	for _, why := range slices.Sorted(maps.Keys(r.skipped)) {
		tests := r.skipped[why]
		skips += len(tests)
		fmt.Fprintf(r.w, "  %s: %s", why, tests[0])
		if len(tests) > 1 {
			fmt.Fprintf(r.w, " and %d more", len(tests)-1)
		}
		fmt.Fprintln(r.w)
		text, gate := strings.CutPrefix(why, tier.Word)
		if name, _, ok := strings.Cut(text, ": "); gate && ok && tier.Required(r.require, name) {
			fmt.Fprintf(r.w, "  FAIL: the tier %s is required\n", name)
			r.failed++
		}
	}
	r.longest("packages", r.ended)
	r.longest("tests", r.tests)
	if r.failed == 0 && !well {
		r.failed++
	}
	fmt.Fprintf(r.w, "\n%d packages (%d cached) in %s\n", len(r.ended), r.cached,
		seconds(r.now().Sub(r.began).Seconds()))
	fmt.Fprintf(r.w, "%d passed, %d failed, %d skipped\n", r.passed, r.failed, skips)
	return r.failed == 0
}

// longest reports what takes most of the time, if it was long enough to notice.
func (r *report) longest(what string, all []took) {
	const most, notable = 15, 10.0 // seconds
	slow := slices.DeleteFunc(slices.Clone(all), func(t took) bool { return t.seconds < notable })
	if len(slow) == 0 {
		return
	}
	slices.SortStableFunc(slow, func(a, b took) int { return int(1000*b.seconds) - int(1000*a.seconds) })
	fmt.Fprintf(r.w, "\nthe longest %s:\n", what)
	for _, t := range slow[:min(most, len(slow))] {
		fmt.Fprintf(r.w, "  %7s  %s\n", seconds(t.seconds), t.name)
	}
}

// reason is what a test that was skipped said last.
func reason(out *strings.Builder) string {
	why := "no reason"
	if out == nil {
		return why
	}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, rest, ok := strings.Cut(line, ".go:"); ok { // file_test.go:12: why
			if _, text, ok := strings.Cut(rest, ": "); ok {
				line = text
			}
		}
		why = line
	}
	return why
}

func short(pkg string) string { return strings.TrimPrefix(pkg, module) }

func seconds(s float64) string {
	if s < 60 {
		return fmt.Sprintf("%.1fs", s)
	}
	return fmt.Sprintf("%dm%02ds", int(s)/60, int(s)%60)
}
