package params

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestPreviewIsTheLastVersionAndItsNews: of a version that is known from its sources alone, only what it has otherwise
// than the one before is in its table.
func TestPreviewIsTheLastVersionAndItsNews(t *testing.T) {
	const head = "name\ttype\tunit\tcontext\tmin\tmax\tenum\tboot\treset\tfrom\tto\n"
	news, err := parse(head + "jit\tbool\t\tuser\t\t\t\ton\t\t20\t20\nio_workers\tgone\t\t\t\t\t\t\t\t20\t20\n")
	if err != nil {
		t.Fatal(err)
	}
	last, err := parse(readFrom + "18.6 19rc1\n" + head + "io_workers\tinteger\t\tsighup\t1\t32\t\t3\t\t18\t19\n" +
		"jit\tbool\t\tuser\t\t\t\toff\t\t19\t19\nold\tbool\t\tuser\t\t\t\ton\t\t13\t18\n" +
		"work_mem\tinteger\tkB\tuser\t64\t2147483647\t\t4096\t\t13\t19\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range previewed(news, last) {
		got = append(got, f.Name+"="+f.Boot)
	}
	if want := []string{"jit=on", "work_mem=4096"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if previewed(nil, last) != nil {
		t.Error("nothing is known of the version, and it is covered")
	}
}

// TestOf19 holds what its release notes and its documentation say.
func TestOf19(t *testing.T) {
	for name, want := range map[string]string{
		"jit": "off", "log_lock_waits": "on", "max_locks_per_transaction": "128", "default_toast_compression": "lz4",
		"io_min_workers": "2", "io_max_workers": "8",
		"work_mem": "4096", // as in 18
	} {
		if p, ok := Lookup(19, name); !ok || p.Boot != want {
			t.Errorf("%s: %v %+v", name, ok, p)
		}
	}
	for _, name := range []string{"io_workers", "escape_string_warning", "stats_temp_directory"} {
		if _, ok := Lookup(19, name); ok {
			t.Errorf("19 has %s", name)
		}
	}
	p, _ := Find(19, "standard_conforming_strings")
	if p.Accepts(19, "off") == nil || p.Accepts(19, "on") != nil || p.Accepts(18, "off") != nil {
		t.Error("standard_conforming_strings is off only before 19")
	}
	if !Covers(19) || Covers(21) || Covers(12) {
		t.Error("19 is covered; 21 and 12 are not")
	}
	changed := Changed(19)
	for _, name := range []string{"jit", "io_workers", "io_min_workers", "effective_wal_level"} {
		if !slices.Contains(changed, name) {
			t.Errorf("%s is not among what changed: %v", name, changed)
		}
	}
	if slices.Contains(changed, "work_mem") {
		t.Error("work_mem did not change")
	}
}

// TestCandidate: facts that a release candidate gave are called so.
func TestCandidate(t *testing.T) {
	for _, m := range Majors() {
		version := Candidate(m)
		if want := strings.Contains(strings.Join(servers(), " "), strconv.Itoa(m)+"rc"); want != (version != "") {
			t.Errorf("%d: %q, read from %v", m, version, servers())
		}
	}
}

// TestAccepts holds what is hard to read in C: the expectations were seen on
// servers of 13, 15 and 18.
func TestAccepts(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        Fault // 0: taken
	}{
		{"work_mem", "08", WrongUnit}, {"work_mem", "010", OutOfRange}, {"work_mem", "0x40", 0}, {"work_mem", "1e3", 0},
		{"work_mem", " +4MB ", 0}, {"work_mem", "1.5 MB ", 0},
		{"work_mem", "4kb", WrongUnit}, {"work_mem", "", NotNumber}, {"work_mem", "inf", NotNumber},
		{"work_mem", "4 MB x", WrongUnit}, {"work_mem", "99999999999999999999", OutOfRange},
		{"autovacuum_work_mem", ".5", 0}, {"statement_timeout", "-0.4", 0}, {"statement_timeout", "-1", OutOfRange},
		{"deadlock_timeout", "1us", OutOfRange}, {"deadlock_timeout", "1e3us", 0},
		{"random_page_cost", "0x2", 0}, {"random_page_cost", "nan", NotNumber},
		{"random_page_cost", "1e400", NotNumber}, {"random_page_cost", "1e-400", NotNumber},
		{"random_page_cost", "4s", WrongUnit},
		{"jit", "tr", 0}, {"jit", "o", NotBool}, {"jit", "OF", 0}, {"jit", " on", NotBool}, {"jit", "", NotBool},
		{"wal_level", "hot_standby", 0}, {"client_min_messages", "info", 0}, {"client_min_messages", "panic", NotWord},
		{"syslog_facility", "LOCAL0", 0},
		{"wal_compression", "lz4", BuildDecides}, {"wal_compression", "yes", 0},
		{"io_method", "io_uring", BuildDecides}, {"log_connections", "on", 0}, {"log_connections", "t", NotWord},
		{"log_connections", "all, receipt", 0}, {"log_destination", "", 0}, {"log_destination", "stderr,frob", NotWord},
		{"transaction_buffers", "17", Forbidden}, {"vacuum_buffer_usage_limit", "64", Forbidden},
		{"effective_cache_size", "1B", OutOfRange}, {"log_rotation_size", "1B", 0}, {"DateStyle", "anything", 0},
	} {
		p, ok := Find(18, strings.ToUpper(c.name))
		if !ok {
			t.Fatalf("18 has no %s", c.name)
		}
		got := Fault(0)
		if r := p.Accepts(18, c.value); r != nil {
			got = r.Fault
			if r.Text.IsZero() {
				t.Errorf("%s = %q: no words", c.name, c.value)
			}
		}
		if got != c.want {
			t.Errorf("%s = %q: fault %d, want %d", c.name, c.value, got, c.want)
		}
	}
}

// TestOldNames holds that every name that ended has words, is in no later
// version unless taken for another, and leads to a parameter that exists.
func TestOldNames(t *testing.T) {
	for _, g := range gone {
		if g.How == "" || !strings.HasSuffix(string(g.How), ".") && !strings.HasSuffix(string(g.How),
			";") || g.Last == "" {
			t.Errorf("%+v", g)
		}
		for _, m := range Covered() {
			if _, ok := Lookup(m, g.Name); ok && m > g.Major || !ok && m == g.Major {
				t.Errorf("%s ended with %s, and %d has it: %v", g.Name, g.Last, m, ok)
			}
			if _, ok := Lookup(m, g.To); g.To != "" && m > g.Major && !ok {
				t.Errorf("%s leads to %s, which %d does not have", g.Name, g.To, m)
			}
		}
	}
}
