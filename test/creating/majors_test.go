package creating

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
	"github.com/pgfettle/pgfettle/test/cell"
	"github.com/pgfettle/pgfettle/test/live"
)

var profiles = []string{"web", "oltp", "dw", "mixed", "desktop", "1c"}

// profilesOf are those that a version is held to: all of them come up each day, each with two versions, and each with
// every version where PGFETTLE_TEST_MAJORS=all.
func profilesOf(major int) []string {
	if os.Getenv("PGFETTLE_TEST_MAJORS") == "all" {
		return profiles
	}
	n := len(profiles)
	return []string{profiles[2*major%n], profiles[(2*major+1)%n]}
}

// ofTheVersion are findings about programs that were installed before, and not about how the instance was made.
var ofTheVersion = []string{"end_of_life", "prerelease", "minor_behind"}

// TestCreatesOnEachMajor: root makes an instance for another account. It can be connected to, every setting of the plan
// is in force, a check finds nothing to warn of, and when it is taken back every file is as before.
func TestCreatesOnEachMajor(t *testing.T) {
	live.OnAtOnce(t, live.Majors, func(t *testing.T, b scratch.Binaries) {
		turns <- struct{}{}
		defer func() { <-turns }()
		s := newSite(t, b)
		for n, profile := range profilesOf(b.Version.Major()) {
			p := s.create("--profile", profile)
			if got := s.ask(p, "SHOW server_version_num"); got != strconv.Itoa(int(b.Version)) {
				t.Errorf("%s: version %s", b, got)
			}
			s.inForce(p)
			s.initialized(p)
			s.wellConfigured(p)
			if n == 0 {
				s.pgfettle(0, "undo", "--yes")
			} else {
				s.pgfettle(0, "create", "--drop", strconv.Itoa(b.Version.Major())+"/"+instance, "--yes")
			}
			s.gone()
		}
	})
}

// turns bounds how many sites there are at once: each has a server and the plans of one.
var turns = make(chan struct{}, 2)

// inForce verifies each setting of the plan.
func (s *site) inForce(p *creation.Plan) {
	s.t.Helper()
	if len(p.Settings) < 10 {
		s.t.Errorf("only %d settings are planned", len(p.Settings))
	}
	var names []string
	for _, set := range p.Settings {
		names = append(names, set.Name)
	}
	got := strings.Split(s.ask(p, "SELECT current_setting(n) FROM unnest('{"+strings.Join(names, ",")+"}'::text[]) "+
		"WITH ORDINALITY AS u (n, i) ORDER BY i"), "\n")
	if len(got) != len(names) {
		s.t.Fatalf("%d settings are in force: %q", len(got), got)
	}
	for n, set := range p.Settings {
		if got[n] != set.Value {
			s.t.Errorf("%s: %s is %q, and %q was planned", p.Profile, set.Name, got[n], set.Value)
		}
	}
	if got := s.ask(p, "SELECT count(*) FROM pg_file_settings WHERE error IS NOT NULL OR NOT applied AND sourcefile "+
		"LIKE '%50-pgfettle.conf'"); got != "0" {
		s.t.Errorf("%s lines of the configuration were not applied", got)
	}
}

// initialized verifies what only initdb can set.
func (s *site) initialized(p *creation.Plan) {
	s.t.Helper()
	segment := strconv.Itoa(int(p.Segment))
	for sql, want := range map[string]string{
		"SHOW server_encoding": "UTF8",
		"SHOW data_checksums":  "on",
		"SELECT datcollate || datctype FROM pg_database WHERE datname = 'template1' AND encoding <> 6":      "",
		"SELECT setting FROM pg_settings WHERE name = 'wal_segment_size'":                                   segment,
		"SELECT count(*) FROM pg_hba_file_rules WHERE auth_method IN ('trust', 'md5') OR error IS NOT NULL": "0",
	} {
		if got := s.ask(p, sql); got != want {
			s.t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

// wellConfigured holds an instance to our own checks.
func (s *site) wellConfigured(p *creation.Plan) {
	s.t.Helper()
	r := s.run(nil, nil, cell.Binary(s.t), "check", p.Data, "--format", "json")
	var report struct {
		Findings []struct{ ID, Severity, Instance, Seen string }
	}
	if err := json.Unmarshal([]byte(r.Stdout), &report); err != nil {
		s.t.Fatalf("%v: %s", err, r)
	}
	for _, f := range report.Findings {
		if f.Instance != p.Data || f.Severity != "warning" && f.Severity != "critical" ||
			slices.Contains(ofTheVersion, f.ID) {
			continue
		}
		s.t.Errorf("%s, %s: %s %s: %s", p.Profile, filepath.Base(p.Data), f.Severity, f.ID, f.Seen)
	}
	if !strings.Contains(r.Stdout, p.Data) {
		s.t.Errorf("the check says nothing of %s: %s", p.Data, r)
	}
}
