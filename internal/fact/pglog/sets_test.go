package pglog

import (
	"slices"
	"testing"
)

// TestSets: what the 1C platform and drivers send at their connections, and what sets nothing for the session.
func TestSets(t *testing.T) {
	for sql, want := range map[string][]Set{
		"SET client_min_messages=error":                   {{"client_min_messages", "error"}},
		"SET lc_messages to 'en_US.UTF-8';":               {{"lc_messages", "en_US.UTF-8"}},
		"SET enable_mergejoin = off;":                     {{"enable_mergejoin", "off"}},
		"set client_encoding = 'utf8'":                    {{"client_encoding", "utf8"}},
		"SET SESSION work_mem TO '64MB'":                  {{"work_mem", "64MB"}},
		"set Enable_SeqScan=off;set jit = off; select 1":  {{"enable_seqscan", "off"}, {"jit", "off"}},
		"SET search_path = a, \"b;c\"; SET x.y = 'it;s'":  {{"search_path", "a, \"b;c\""}, {"x.y", "it;s"}},
		"SET LOCAL work_mem = '1GB'":                      nil,
		"SET TRANSACTION ISOLATION LEVEL READ COMMITTED":  nil,
		"SET SESSION CHARACTERISTICS AS TRANSACTION READ": nil,
		"SET ROLE app":        nil,
		"SET TIME ZONE 'UTC'": nil,
		"UPDATE t SET a = 1":  nil,
		"settle = 1":          nil,
		"SET ":                nil,
		"SET work_mem =":      nil,
		"":                    nil,
	} {
		if got := Sets([]byte(sql)); !slices.Equal(got, want) {
			t.Errorf("%q: %v", sql, got)
		}
	}
}

// TestPlanSettings reads the last line of plans of auto_explain.
func TestPlanSettings(t *testing.T) {
	for text, want := range map[string][]Set{
		"duration: 1.2 ms  plan:\nQuery Text: select 1\nResult  (cost=0.00..0.01 rows=1 width=4)\n" +
			"Settings: enable_mergejoin = 'off', cpu_operator_cost = '0.001'": {{"enable_mergejoin", "off"},
			{"cpu_operator_cost", "0.001"}},
		"duration: 1.2 ms  plan:\nQuery Text: select 1\n\tSettings: work_mem = '64MB'\n\tQuery Identifier: 5": {
			{"work_mem", "64MB"}},
		"duration: 1.2 ms  plan:\nSettings: search_path = '\"a b\", public', jit = 'o": {
			{"search_path", "\"a b\", public"}},
		"duration: 1.2 ms  statement: select 1": nil,
	} {
		e := Entry{Message: []byte(text)}
		if got := e.PlanSettings(); !slices.Equal(got, want) {
			t.Errorf("%q: %v", text, got)
		}
	}
}
