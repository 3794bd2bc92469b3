package servers

import (
	"slices"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/test/live"
)

// notLoadable are modules that a session cannot load, and why: what they define
// is compared where a build has them.
var notLoadable = []string{"sepgsql" /* wants SELinux */, "plperl", "pltcl",
	"pltclu" /* want libraries of their languages */}

// of19 are in the table for files that are written for 19 already.
var of19 = []string{"auto_explain.log_extension_options", "auto_explain.log_io"}

// TestModulesDefineWhatWeKnow loads each module that comes with the server, and
// what it adds to pg_settings is what the table has: nothing that it lacks on any
// version, and everything that some version has.
func TestModulesDefineWhatWeKnow(t *testing.T) {
	seen, loaded := map[string]bool{}, map[string]bool{}
	live.Each(t, func(t *testing.T, b scratch.Binaries) {
		// Some define theirs only where they are loaded at the start.
		i := start(t, b, map[string]string{"shared_preload_libraries": "pg_stat_statements, pg_prewarm"})
		c := dial(t, i)
		for _, m := range params.Modules() {
			if slices.Contains(notLoadable, m) {
				continue
			}
			if res := c.Exec(t.Context(), "load '"+m+"'"); res.Close() != nil {
				continue // this version does not have it, or this build
			}
			loaded[m] = true
			for _, row := range ask(t, c, "select name from pg_settings where name like $1", m+".%") {
				name := strings.ToLower(row[0])
				seen[name] = true
				if !slices.Contains(params.OfModule(m), name) {
					t.Errorf("%s is not in the table", name)
				}
			}
		}
	})
	for m := range loaded {
		for _, name := range params.OfModule(m) {
			if !seen[name] && !slices.Contains(of19, name) {
				t.Errorf("%s is in the table and in no server", name)
			}
		}
	}
	// A comparison with nothing shows nothing.
	for _, m := range []string{"auto_explain", "pg_stat_statements", "plpgsql", "pg_trgm", "pg_prewarm"} {
		if !loaded[m] {
			t.Errorf("%s could be loaded on no version", m)
		}
	}
}
