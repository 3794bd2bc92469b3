package conftext

import (
	"strconv"
	"strings"
)

// Of two lists of a text that have this many names in common, and at least this part of the shorter one, neither
// replaces the other: they are for two servers, or are the same server's at two times.
const (
	commonNames = 3
	commonPart  = 2
)

// alternatives gives each of several lists that stand in fences of their own, or below headings with different
// memory, a server of its own if they set the same names: a README has one list for 16 GB and one for 64 GB.
func alternatives(lines []line, list []Setting) []Setting {
	at := make([]string, len(lines)+1) // the list that each line is of
	now, head, fenced := "", "", false
	for _, l := range lines {
		t := strings.TrimSpace(l.text)
		switch {
		case fence.MatchString(t):
			if fenced = !fenced; fenced {
				now = strconv.Itoa(l.n)
			} else {
				now = head
			}
		case !fenced && heads(t):
			if m := ramProse.FindString(t); m != "" {
				head = m
				now = head
			}
		}
		at[l.n] = now
	}
	names := map[string]map[string]bool{}
	var order []string
	for _, s := range list {
		k := at[min(s.Line, len(lines))]
		if names[k] == nil {
			names[k] = map[string]bool{}
			order = append(order, k)
		}
		names[k][s.Name] = true
	}
	if !shares(order, names) {
		return list
	}
	out := make([]Setting, 0, len(list))
	for _, s := range list {
		if s.Server == "" {
			s.Server = at[min(s.Line, len(lines))]
		}
		out = append(out, s)
	}
	return out
}

// shares says whether two of the lists have most of their names in common.
func shares(order []string, names map[string]map[string]bool) bool {
	for i, a := range order {
		for _, b := range order[:i] {
			common := 0
			for n := range names[a] {
				if names[b][n] {
					common++
				}
			}
			if common >= commonNames && commonPart*common >= min(len(names[a]), len(names[b])) {
				return true
			}
		}
	}
	return false
}

// heads says whether a line outside of fences could be the heading of a list.
func heads(t string) bool {
	return t != "" && len(t) <= shownLine && !strings.Contains(t, "=") &&
		(t[0] == '#' || t[0] == '*' || t[0] == '-' || strings.HasSuffix(t, ":") || strings.HasSuffix(t, "："))
}
