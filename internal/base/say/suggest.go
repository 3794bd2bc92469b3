package say

import (
	"sort"
	"strings"
)

// Similar returns up to three names that a person may have meant, nearest first.
func Similar(typed string, names []string) []string {
	typed = strings.ToLower(typed)
	type near struct {
		name string
		d    int
	}
	var list []near
	for _, n := range names {
		low := strings.ToLower(n)
		d := distance(typed, low)
		if _, bare, ok := strings.Cut(low, ":"); ok {
			d = min(d, distance(typed, bare)) // the address of a knob without its prefix
		}
		if len(typed) >= 3 && strings.Contains(low, typed) {
			d = min(d, 1) // part of a name is as good as one slip of the finger
		}
		// A third of the letters wrong is the most that still looks alike.
		if d <= max(len(typed)/3, 1) {
			list = append(list, near{n, d})
		}
	}
	sort.SliceStable(list, func(i, j int) bool {
		if list[i].d != list[j].d {
			return list[i].d < list[j].d
		}
		return len(list[i].name) < len(list[j].name) // less of it was omitted
	})
	var out []string
	for _, n := range list[:min(len(list), 3)] {
		out = append(out, n.name)
	}
	return out
}

// DidYouMean is the hint that names what the user may have meant; other is the hint if nothing is close.
func DidYouMean(typed string, names []string, other Message) Message {
	if s := Similar(typed, names); len(s) > 0 {
		return M("Did you mean {names}?", "names", OneOf(s))
	}
	return other
}

// distance is the number of letters to insert, delete, replace, or swap with
// their neighbour to make b from a (optimal string alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before, last []int
	now := make([]int, len(y)+1)
	for j := range now {
		now[j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, now = last, now, make([]int, len(y)+1)
		now[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			now[j] = min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				now[j] = min(now[j], before[j-2]+1)
			}
		}
	}
	return now[len(y)]
}
