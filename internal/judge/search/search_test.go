package search_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/judge/search"
)

var pages = []search.Page{
	{Name: "deadlocks_many", Titles: []string{"Frequent deadlocks", "Частые взаимоблокировки"},
		Texts: []string{"Two sessions lock the same rows in another order."}},
	{Name: "sysctl:vm.swappiness", Titles: []string{"Swap tendency"}, Texts: []string{"Under pressure, idle sessions " +
		"are swapped out."}},
	{Name: "pg:work_mem", Titles: []string{"Memory per sort"},
		Texts: []string{"Each session can use it several times."}},
}

func names(found []*search.Page) (out []string) {
	for _, p := range found {
		out = append(out, p.Name)
	}
	return out
}

// TestFind: by another form of a word, a part of a name, all of the words, a phrase; a name is meant whole.
func TestFind(t *testing.T) {
	ix := search.New(pages)
	for query, want := range map[string][]string{
		"deadlock":             {"deadlocks_many"},
		"взаимоблокировка":     {"deadlocks_many"},
		"swappiness":           {"sysctl:vm.swappiness"},
		"sessions":             {"deadlocks_many", "pg:work_mem", "sysctl:vm.swappiness"},
		"idle session":         {"sysctl:vm.swappiness"},
		"sessions that lock":   {"deadlocks_many"},
		"work_me":              nil,
		"":                     nil,
		"the":                  {"deadlocks_many"}, // a word that every sentence has, and no other
		strings.Repeat("x", 9): nil,
	} {
		if got := names(ix.Find(query, 5)); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", query, got, want)
		}
	}
	if got := ix.Find("sessions", 2); len(got) != 2 {
		t.Errorf("%q are more than two", names(got))
	}
}
