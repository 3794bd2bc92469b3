package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// version is a release, or what comes before the first of its major version.
type version struct {
	major  int
	stage  int // of stages; that of a release is the last
	number int // minor release, or the number of the release candidate
}

// stages are in their order.
var stages = []string{"alpha", "beta", "rc", ""}

const released = 3

func (v version) String() string {
	if v.stage == released {
		return fmt.Sprintf("%d.%d", v.major, v.number)
	}
	return fmt.Sprintf("%d%s%d", v.major, stages[v.stage], v.number)
}

func (v version) after(o version) bool {
	return v.stage > o.stage || v.stage == o.stage && v.number > o.number
}

var (
	// 18.6.0 or 18.6.0-1 as the registry has it, 18.6-1 as Debian has it
	release = regexp.MustCompile(`^([0-9]+)\.([0-9]+)(\.[0-9]+)?([-+~][0-9].*)?$`)
	// 19~rc1-1 as Debian has it, 19.0.0-rc1 as the registry would
	early = regexp.MustCompile(`^([0-9]+)(?:\.0)*[~-](alpha|beta|rc)[.-]?([0-9]+)([-+~].*)?$`)
	// 19rc1 as the table has it
	preRelease = regexp.MustCompile(`(alpha|beta|rc)`)
)

// parse reads a version as a registry spells it; ok is false for what is none of PostgreSQL since 10.
func parse(text string) (v version, ok bool) {
	if m := early.FindStringSubmatch(text); m != nil {
		v = version{number(m[1]), slices.Index(stages, m[2]), number(m[3])}
	} else if m := release.FindStringSubmatch(text); m != nil {
		v = version{number(m[1]), released, number(m[2])}
	}
	return v, v.major >= 10
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // a few digits
	return n
}

// table makes the new table of the old one and of the versions that are offered: no line is lost, and the last days are
// kept where the old one has them.
func table(old string, offered []string, today time.Time) (string, error) {
	newest, last := map[int]version{}, map[int]string{}
	lines := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	if len(lines) < 3 || !strings.HasPrefix(lines[0], "# known on ") {
		return "", fmt.Errorf("%q is not the table", lines[0])
	}
	first := 0
	for _, line := range lines[2:] {
		f := strings.Split(line, "\t")
		if len(f) != 3 {
			return "", fmt.Errorf("%q has not three columns", line)
		}
		v, ok := parse(preRelease.ReplaceAllString(f[1], "~$1"))
		if !ok || strconv.Itoa(v.major) != f[0] {
			return "", fmt.Errorf("%q: %q is not its release", line, f[1])
		}
		newest[v.major], last[v.major] = v, f[2]
		if first == 0 {
			first = v.major
		}
	}
	for _, text := range offered {
		v, ok := parse(text)
		if have, there := newest[v.major]; ok && v.major >= first && (!there || v.after(have)) {
			newest[v.major] = v
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# known on %s\n%s\n", today.UTC().Format(time.DateOnly), lines[1])
	for _, major := range slices.Sorted(maps.Keys(newest)) {
		if last[major] == "" {
			last[major] = lastDay(major).Format(time.DateOnly)
		}
		fmt.Fprintf(&b, "%d\t%s\t%s\n", major, newest[major], last[major])
	}
	return b.String(), nil
}

// lastDay is the day of the last minor release by the policy: the second Thursday of November, five years after the
// first one. 13 came in 2020, and then one each year.
func lastDay(major int) time.Time {
	day := time.Date(2007+major+5, time.November, 1, 0, 0, 0, 0, time.UTC)
	for day.Weekday() != time.Thursday {
		day = day.AddDate(0, 0, 1)
	}
	return day.AddDate(0, 0, 7)
}
