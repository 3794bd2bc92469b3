package host

import (
	"errors"
	"strconv"
)

// ProcessStat is what /proc/PID/stat reports about a process.
type ProcessStat struct {
	PID, Parent  int
	Name         string
	Minor, Major int64 // faults
	Ticks        int64 // user and system, in clock ticks
}

// ParseProcessStat reads /proc/PID/stat. The name may hold blanks and brackets.
func ParseProcessStat(b []byte) (ProcessStat, error) {
	var p ProcessStat
	l, err := ParseStatLine(b)
	if err != nil {
		return p, err
	}
	pid, err := strconv.Atoi(l.ID)
	if err != nil || pid <= 0 {
		return p, errors.New("no process id")
	}
	p.PID, p.Name = pid, l.Name
	if l.Len() < StatSystemTicks {
		return p, errors.New("too few fields")
	}
	if p.Parent, err = strconv.Atoi(l.Field(StatParent)); err != nil {
		return p, errors.New("no parent")
	}
	var user, system int64
	for _, x := range []struct {
		field int
		to    *int64
	}{{StatMinorFaults, &p.Minor}, {StatMajorFaults, &p.Major}, {StatUserTicks, &user}, {StatSystemTicks, &system}} {
		if *x.to, err = counter(l.Field(x.field)); err != nil {
			return p, err
		}
	}
	p.Ticks = user + system
	return p, nil
}
