package pg

import (
	"strings"
	"testing"
)

func names(qs []Query) map[string]Query {
	out := map[string]Query{}
	for _, q := range qs {
		out[q.Name] = q
	}
	return out
}

func TestQueriesByMajor(t *testing.T) {
	for major, want := range map[int]map[string]int{
		13: {"databases": 13, "checkpoints": 13, "shmem": 13, "wal": 0, "io": 0},
		14: {"databases": 14, "checkpoints": 13, "shmem": 13, "wal": 14, "io": 0},
		15: {"databases": 15, "checkpoints": 13, "shmem": 15, "wal": 14, "io": 0},
		16: {"databases": 15, "checkpoints": 13, "shmem": 15, "wal": 14, "io": 16},
		17: {"databases": 15, "checkpoints": 17, "shmem": 15, "wal": 14, "io": 16},
		18: {"databases": 15, "checkpoints": 18, "shmem": 15, "wal": 14, "io": 16},
		19: {"databases": 15, "checkpoints": 18, "shmem": 15, "wal": 14, "io": 16},
	} {
		got := names(Queries(major, false))
		for name, from := range want {
			if got[name].MinMajor != from {
				t.Errorf("%d: %s is that of %d, want %d", major, name, got[name].MinMajor, from)
			}
		}
	}
}

// What grows with the number of tables is asked only when it is asked for.
func TestDeepOnlyWhenAsked(t *testing.T) {
	for _, q := range Queries(18, false) {
		// Its function makes the text of a query, and brings none out.
		low := strings.ReplaceAll(strings.ToLower(q.SQL), "query_to_xml(", "")
		for _, dear := range []string{"pg_class", "pg_attribute", "pg_stat_all_", "pg_stat_user_", "pg_database_size",
			"_relation_size", "pg_tablespace_size"} {
			if strings.Contains(low, dear) {
				t.Errorf("%s reads %s, which grows with the number of tables", q.Name, dear)
			}
		}
	}
	deep := names(Queries(18, true))
	if _, ok := deep["deep_tables"]; !ok {
		t.Error("deep_tables is not asked with deep")
	}
}

// Every name is either asked or accounted for, once.
func TestUnaskedCompletesQueries(t *testing.T) {
	all := len(names(allQueries()))
	for major := 13; major <= 19; major++ {
		for _, deep := range []bool{false, true} {
			asked, unasked := Queries(major, deep), Unasked(major, deep)
			both := names(append(append([]Query{}, asked...), unasked...))
			if len(asked)+len(unasked) != all || len(both) != all {
				t.Errorf("%d, deep %v: %d asked and %d not, of %d", major, deep, len(asked), len(unasked), all)
			}
		}
	}
	for _, q := range Unasked(13, true) {
		if q.MinMajor <= 13 {
			t.Errorf("%s is not asked of 13 although it is for %d", q.Name, q.MinMajor)
		}
	}
}

// The statistics of 13 and 14 are read from a file in each transaction.
func TestStatisticsTogetherBefore15(t *testing.T) {
	for major, want := range map[int]int{13: 3, 14: 5, 15: 0, 18: 0} {
		n := 0
		for _, q := range Queries(major, false) {
			if q.Together != "" {
				n++
			}
		}
		if n != want {
			t.Errorf("%d: %d queries are asked together, want %d", major, n, want)
		}
	}
}

// No file may bring a query text, a conninfo, a password or a client's address
// out of the server.
func TestNothingSecretIsSelected(t *testing.T) {
	for _, q := range allQueries() {
		// Its function makes the text of a query, and brings none out.
		low := strings.ReplaceAll(strings.ToLower(q.SQL), "query_to_xml(", "")
		for _, word := range []string{" query", ".query", "client_addr", "client_hostname", "rolpassword", "pg_authid",
			"pg_shadow", "subconninfo", "umoptions", "gid"} {
			if q.Name == "passwords" && (word == "rolpassword" || word == "pg_authid") {
				continue // TestOfPasswordsOnlyTheKindIsSelected
			}
			if strings.Contains(low, word) {
				t.Errorf("%s_%d.sql selects %q", q.Name, q.MinMajor, word)
			}
		}
		if strings.HasSuffix(q.Name, "settings") && !strings.Contains(low, "'(hidden)'") {
			t.Errorf("%s_%d.sql shows settings and hides none", q.Name, q.MinMajor)
		}
	}
}

// The one query that touches passwords compares them and does nothing else:
// what it selects of them is one of four words.
func TestOfPasswordsOnlyTheKindIsSelected(t *testing.T) {
	for _, q := range allQueries() {
		if q.Name != "passwords" {
			continue
		}
		low := strings.ToLower(q.SQL)
		for _, allowed := range []string{"when rolpassword is null then 'none'",
			"when rolpassword like 'scram-sha-256$%' then 'scram-sha-256'",
			"when rolpassword ~ '^md5[0-9a-f]{32}$' then 'md5'"} {
			if !strings.Contains(low, allowed) {
				t.Errorf("passwords_%d.sql has no %q", q.MinMajor, allowed)
			}
			low = strings.Replace(low, allowed, "", 1)
		}
		if strings.Contains(low, "password") || strings.Contains(low, "*") &&
			strings.Count(low, "*") != strings.Count(low, "count(*)") {
			t.Errorf("passwords_%d.sql selects more than the kind: %s", q.MinMajor, low)
		}
	}
}

func TestParseQuery(t *testing.T) {
	q, err := parseQuery("role_settings_13.sql",
		"-- Reads a. Needs: b.\n-- Reveal: connect as a superuser\n-- Together: x\nselect 1\n")
	if err != nil || q != (Query{Name: "role_settings", SQL: "select 1", Reveal: "connect as a superuser", MinMajor: 13,
		Together: "x"}) {
		t.Errorf("%+v %v", q, err)
	}
	for name, text := range map[string]string{"settings.sql": "select 1", "settings_x.sql": "select 1",
		"settings_13.txt": "select 1",
		"_13.sql":         "select 1", "settings_13.sql": "-- only a comment"} {
		if q, err := parseQuery(name, text); err == nil {
			t.Errorf("%s was taken: %+v", name, q)
		}
	}
}

// The head of a file says what is read and which right it needs; a right beyond
// any role's is told to the user too.
func TestHeadsTellRights(t *testing.T) {
	entries, err := sqlFiles.ReadDir("sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, _ := sqlFiles.ReadFile("sql/" + e.Name())
		first, _, _ := strings.Cut(string(b), "\n")
		if !strings.HasPrefix(first, "-- Reads ") || !strings.Contains(first, " Needs: ") {
			t.Errorf("%s: the first line is %q", e.Name(), first)
		}
		_, needs, _ := strings.Cut(first, " Needs: ")
		if !strings.HasPrefix(needs, "any role") && !strings.Contains(string(b), "\n-- Reveal: ") {
			t.Errorf("%s needs %q and does not say what reveals it", e.Name(), needs)
		}
	}
}

// TestTimesAreCut: a cast to bigint rounds, and a time that is rounded may lie in
// the future; it has to be cut.
func TestTimesAreCut(t *testing.T) {
	const call = "extract(epoch from"
	seen := 0
	for major := 13; major <= 18; major++ {
		for _, q := range Queries(major, true) {
			for text := strings.ToLower(q.SQL); ; seen++ {
				_, rest, ok := strings.Cut(text, call)
				if !ok {
					break
				}
				end := 0
				for depth := 1; depth > 0 && end < len(rest); end++ {
					switch rest[end] {
					case '(':
						depth++
					case ')':
						depth--
					}
				}
				if strings.HasPrefix(rest[end:], "::bigint") {
					t.Errorf("%s of %d rounds: %s%s::bigint", q.Name, q.MinMajor, call, rest[:end])
				}
				text = rest
			}
		}
	}
	if seen == 0 {
		t.Error("no query asks for a time")
	}
}
