package servers

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	pgconf "github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
)

// configurationsOfEach is how many configurations each version is shown: three
// versions make 600, each of one to five files.
const configurationsOfEach = 200

// onlyServerKnows are the parameters whose values only a server can judge, and
// why. Of them we say nothing, and the server may say what it likes.
var onlyServerKnows = map[string]string{
	"client_encoding": "a list of encodings and conversions", "datestyle": "a language of its own",
	"debug_io_direct":       "what the platform can do",
	"createrole_self_grant": "a list of options", "restrict_nonsystem_relation_kind": "a list of options",
	"default_table_access_method": "a name in a catalog", "default_tablespace": "a name in a catalog",
	"temp_tablespaces":           "names in a catalog",
	"default_text_search_config": "a name in a catalog", "lc_messages": "a locale of the machine",
	"lc_monetary": "a locale of the machine",
	"lc_numeric":  "a locale of the machine", "lc_time": "a locale of the machine",
	"log_timezone": "a time zone of the machine",
	"timezone":     "a time zone of the machine", "timezone_abbreviations": "a file of the machine",
	"max_stack_depth":   "the stack limit of the process",
	"primary_slot_name": "letters that the server allows", "role": "a role", "session_authorization": "a role",
	"search_path":               "a list of identifiers",
	"synchronous_standby_names": "a language of its own", "synchronized_standby_slots": "a list of slots",
	"recovery_target_timeline": "a word or a number",
	"transaction_isolation":    "the transaction that asks", "transaction_read_only": "the transaction that asks",
	"transaction_deferrable":   "the transaction that asks",
	"wal_consistency_checking": "names of resource managers", "ssl": "how the server was built",
	"backtrace_functions": "letters that the server allows",
	"wal_sync_method":     "what the platform can do", "huge_page_size": "what the platform can do",
	"unix_socket_permissions": "shown as octal",
}

// TestFilesJudgedAsTheServerJudges: over random configurations, what we find
// wrong by file and line is what the server's pg_file_settings has an error for,
// and what we say counts is what it says is applied. Where a line or a
// file is wrong anywhere the server looks at no name, where a name is wrong it
// looks at no value. A
// parameter that needs a restart has an error there whenever its value is not
// the present one: of those only what we refuse is compared. One name is always
// spelled in one case: up to 15 the view takes work_mem and WORK_MEM for two.
func TestFilesJudgedAsTheServerJudges(t *testing.T) {
	on(t, []int{13, 15, 18}, func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, nil)
		c := dial(t, i)
		fresh := text(t, i.DataDir+"/postgresql.conf")
		const seed = 20261122 // any: it only has to be the same each time
		g := &confGen{r: rand.New(rand.NewPCG(seed, uint64(b.Version))), major: b.Version.Major(),
			lower: map[string]bool{}}
		for _, l := range pgconf.Parse(fresh) {
			g.lower[l.Name] = true
		}
		saw := map[string]int{}
		for n := range configurationsOfEach {
			files := g.files()
			for name, text := range files {
				if name == "postgresql.conf" {
					text = fresh + text
				}
				at := path.Join(i.DataDir, name)
				if err := os.MkdirAll(path.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			rows := ask(t, c,
				`select coalesce(sourcefile, ''), coalesce(sourceline, 0)::text, coalesce(name, ''), `+
					`coalesce(setting, ''), applied::text, coalesce(error, '')
				from pg_file_settings order by seqno`)
			r := pgconf.Resolve(os.DirFS("/"), i.DataDir+"/postgresql.conf", i.DataDir)
			report := conffile.Judge(r, i.DataDir+"/postgresql.conf", g.major, func(p string) string { return p },
				nil, nil)
			if !compareJudgement(t, saw, r, report, rows, g.major) {
				t.Fatalf("configuration %d: %q", n, files)
			}
			for name := range files {
				if err := os.Remove(path.Join(i.DataDir, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		t.Log(saw)
		// A comparison that never met a kind of line shows nothing about it.
		for _, kind := range []string{"taken", "refused value", "refused name", "not counting", "faulty file"} {
			if saw[kind] < 10 {
				t.Errorf("only %d lines of the kind %q", saw[kind], kind)
			}
		}
	})
}

// refusing are the kinds of findings for which the server has an error, by
// whether it finds them before it looks at any value.
var refusing = map[string]bool{
	conffile.Removed.ID: true, conffile.Renamed.ID: true, conffile.NotYet.ID: true, conffile.Unknown.ID: true,
	conffile.Fixed.ID: false, conffile.WrongValue.ID: false, conffile.WrongUnit.ID: false,
	conffile.OutOfRange.ID: false, conffile.BuildDecides.ID: false,
}

func compareJudgement(t *testing.T, saw map[string]int, r pgconf.Resolved, report conffile.Report, rows [][]string,
	major int) bool {
	t.Helper()
	type spot struct {
		file string
		line int
	}
	wrong, late := map[spot]conffile.Finding{}, map[spot]bool{}
	early := len(r.Faults) > 0
	for _, f := range report.Findings {
		at := spot{f.File, f.Line}
		if byName, ok := refusing[f.ID]; ok && (f.Severity == check.Critical || f.ID == conffile.BuildDecides.ID) {
			wrong[at] = f
			early = early || byName
		}
		if f.ID == conffile.Duplicate.ID || f.ID == conffile.Overridden.ID {
			late[at] = true
		}
	}
	good := true
	fail := func(format string, args ...any) {
		t.Errorf(format, args...)
		good = false
	}
	for n, row := range rows {
		line, _ := strconv.Atoi(row[1])
		at := spot{row[0], line}
		if row[2] == "" {
			saw["faulty file"]++
			if len(r.Faults) == 0 {
				fail("the server says %q at %v and we find nothing", row[5], at)
			}
			return good // it gives the file up
		}
		if n >= len(r.Settings) || r.Settings[n].File != at.file || r.Settings[n].Line != line ||
			!pgconf.Same(r.Settings[n].Name, row[2]) || r.Settings[n].Value != row[3] {
			fail("row %d is %v, we read %+v", n, row, r.Settings[min(n, len(r.Settings)-1)])
			return good
		}
		s := r.Settings[n]
		p, known := params.Find(major, s.Name)
		if onlyServerKnows[strings.ToLower(p.Name)] != "" && !early {
			continue
		}
		f, refused := wrong[at]
		byName := refused && refusing[f.ID]
		wantError := byName && len(r.Faults) == 0 || refused && !early
		applied := !early && !refused && s.Wins
		if !known && !s.Wins && !early && strings.Contains(s.Name, ".") {
			continue // applied as long as no earlier file has made the name known, overridden since
		}
		if known && p.Context == "postmaster" && !refused && s.Wins && !early {
			saw["needs a restart"]++
			continue
		}
		if (row[5] != "") != wantError {
			fail("%s = %q (%v): the server says %q, we say %+v", s.Name, s.Value, at, row[5], f.Seen)
		}
		if (row[4] == "true") != applied {
			fail("%s = %q (%v): applied %s, we say %v", s.Name, s.Value, at, row[4], applied)
		}
		if late[at] == s.Wins && !refused {
			fail("%s = %q (%v): counts %v, and a finding says otherwise", s.Name, s.Value, at, s.Wins)
		}
		switch {
		case byName:
			saw["refused name"]++
		case refused && !early:
			saw["refused value"]++
		case !s.Wins:
			saw["not counting"]++
		case applied:
			saw["taken"]++
		}
	}
	if len(r.Faults) == 0 && len(rows) != len(r.Settings) {
		fail("%d rows, we read %d settings", len(rows), len(r.Settings))
	}
	return good
}

// confGen draws configurations.
type confGen struct {
	r     *rand.Rand
	major int
	lower map[string]bool // names that the fresh file has in lower case
	upper map[string]bool // the case of a name in this configuration
}

func pick[T any](g *confGen, list ...T) T { return list[g.r.IntN(len(list))] }

// files draws a main file and those that it includes. One configuration in four
// may hold wrong names or broken lines, as they hide what the server thinks of values.
func (g *confGen) files() map[string]string {
	wild := g.r.IntN(4) == 0
	g.upper = map[string]bool{}
	out := map[string]string{"postgresql.conf": "\n" + g.lines(wild),
		pgconf.AutoFile: "# Do not edit this file manually!\n"}
	if g.r.IntN(3) == 0 {
		out[pgconf.AutoFile] += g.lines(false)
	}
	add := func(directive, arg, file, text string) {
		out["postgresql.conf"] += fmt.Sprintf("%s%s'%s'\n", directive, pick(g, " ", " = ", "\t"), arg) + g.lines(wild)
		if file != "" {
			out[file] = text
		}
	}
	if g.r.IntN(2) == 0 {
		add("include_dir", "conf.d", "conf.d/10.conf", g.lines(wild))
		out["conf.d/9.conf"], out["conf.d/.hidden.conf"], out["conf.d/x.conf.bak"] = g.lines(wild),
			"nonsense", "nonsense"
	}
	if g.r.IntN(2) == 0 {
		add("include", "sub/a.conf", "sub/a.conf", g.lines(wild)+"include_if_exists b.conf\n")
		if g.r.IntN(2) == 0 {
			out["sub/b.conf"] = g.lines(wild)
		}
	}
	if g.r.IntN(3) == 0 {
		add("include_if_exists", "gone.conf", "", "")
	}
	if wild && g.r.IntN(12) == 0 {
		add("include", "gone.conf", "", "")
	}
	return out
}

func (g *confGen) lines(wild bool) string {
	var b strings.Builder
	for range g.r.IntN(6) {
		switch {
		case wild && g.r.IntN(60) == 0:
			b.WriteString(pick(g, "work_mem = ", "= 4MB", "a b c", "jit = 'off", "jit = 1e5", "x.y.z = 1",
				"jit == on") + "\n")
			continue
		case g.r.IntN(10) == 0:
			b.WriteString(pick(g, "# jit = on", "", "   \t", "#"+strings.Repeat("long ", 3000)) + "\n")
			continue
		}
		name, value := g.setting(wild)
		if _, ok := g.upper[name]; !ok {
			g.upper[name] = g.r.IntN(4) == 0 && !g.lower[name]
		}
		if g.upper[name] {
			name = strings.ToUpper(name)
		}
		b.WriteString(pick(g, "", " ", "\t") + name + pick(g, " = ", "=", " ", "\t=\t") + g.spelled(value) +
			pick(g, "", "", " # comment", "\t#'") + "\n")
	}
	return b.String()
}

// few makes lines meet: without it no parameter would be set twice.
var few = []string{"work_mem", "jit", "wal_level", "random_page_cost", "max_connections", "log_destination",
	"client_min_messages", "x.a", "sort_mem"}

func (g *confGen) setting(wild bool) (name, value string) {
	all := params.All(g.major)
	switch k := g.r.IntN(20); {
	case k < 5:
		name = pick(g, few...)
	case wild && k < 9:
		name = pick(g, "checkpoint_segments", "wal_keep_segments", "stats_temp_directory", "io_method",
			"old_snapshot_threshold", "jit_", "wrk_mem", "io_min_workers",
			"force_parallel_mode", "ssl_ecdh_curve", "lc_collate", "max_fsm_pages", "transaction_timeout")
	case k < 10:
		name = pick(g, "default_with_oids", "seed", "ssl_renegotiation_limit", "is_superuser", "vacuum_mem",
			"plpgsql.check_asserts", "foo.bar", "block_size", "config_file")
	default:
		name = all[g.r.IntN(len(all))].Name
		if name == "default_text_search_config" {
			name = "jit" // of a name that is none the server makes an error of the query itself
		}
	}
	p, ok := params.Find(g.major, name)
	if !ok {
		return name, pick(g, "1", "on", "some text", "it's", `back\slash`, "")
	}
	return name, g.value(p)
}

func (g *confGen) value(p params.Param) string {
	if g.r.IntN(12) == 0 {
		return pick(g, "", "garbage", "0", "-1", "4kb", "on", "1 ", " 1", "nan", "inf", "1e400", "0x10", "010", "08",
			"+5", "1.5", ".5", "5.", "1e3", "tru", "o", "no", "OF", "99999999999999999999", "1 MB x", "0x1p3", "1e-400")
	}
	switch p.Type {
	case "bool":
		return pick(g, "on", "off", "true", "false", "yes", "no", "1", "0", "t", "F", "ye", "of", "ON", "2", "o")
	case "enum":
		words := append(slices.Clone(p.Enum), "true", "0", "debug", "info", "archive", "lz4", "zstd", "nothing",
			strings.ToUpper(p.Enum[0]), p.Enum[0]+" ")
		return pick(g, words...)
	case "integer", "real":
		lo, _ := strconv.ParseFloat(p.Min, 64)
		hi, _ := strconv.ParseFloat(p.Max, 64)
		n := pick(g, lo, hi, lo-1, hi+1, lo+1, lo+(hi-lo)*g.r.Float64()/1000, float64(g.r.IntN(100)), 0.5)
		s := strconv.FormatFloat(n, 'f', -1, 64)
		if len(s) > 40 {
			s = strconv.FormatFloat(n, 'g', -1, 64)
		}
		if g.r.IntN(2) == 0 {
			s += pick(g, "", " ") + pick(g, "B", "kB", "MB", "GB", "TB", "us", "ms", "s", "min", "h", "d",
				"KB", "m", "Min")
		}
		return s
	}
	return pick(g, "", "text", "a, b", "it's", `C:\x`, "stderr", "csvlog, stderr", "jsonlog", "receipt", "receipt,all",
		"yes", "on,all", "none", strings.Repeat("x", 300))
}

// spelled writes a value as a user might: bare where the grammar allows it, or quoted, with its quotes doubled or
// escaped.
func (g *confGen) spelled(v string) string {
	if l := pgconf.Parse("a = " + v); len(l) == 1 && l[0].Err == "" && l[0].Value == v && g.r.IntN(2) == 0 {
		return v
	}
	v = strings.ReplaceAll(v, `\`, `\\`)
	v = strings.ReplaceAll(v, "'", pick(g, "''", `\'`))
	if g.r.IntN(6) == 0 && v != "" && v[0] >= ' ' && v[0] != '\\' && v[0] != '\'' {
		v = fmt.Sprintf(`\%03o`, v[0]) + v[1:]
	}
	return "'" + v + "'"
}
