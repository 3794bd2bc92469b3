package say

import (
	"strings"
	"testing"
)

func TestSimilar(t *testing.T) {
	names := []string{"swappiness", "pg:work_mem", "pg:maintenance_work_mem", "pg:shared_buffers", "check", "plan"}
	for typed, want := range map[string]string{
		"swapiness":     "swappiness",
		"chekc":         "check",
		"work_mem":      "pg:work_mem pg:maintenance_work_mem", // part of a name
		"pg:shared_buf": "pg:shared_buffers",
		"PLAN":          "plan",
		"zzzzz":         "",
		"":              "",
	} {
		if got := strings.Join(Similar(typed, names), " "); got != want {
			t.Errorf("Similar(%q) = %q, want %q", typed, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"plan", "paln", 1}, {"kitten", "sitting", 3}, {"é", "e", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
