package checks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/test/golden"
	"pgregory.net/rapid"
)

// TestRedactionFindsTheSame holds for every case of every check that its snapshot, when the facts with names and texts
// in them have gone through a redacted archive, has the same findings: ids, severities, instance, how many, and how
// many numbers and names each contains.
func TestRedactionFindsTheSame(t *testing.T) {
	files, err := filepath.Glob("*/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	through, fired := map[string]int{}, 0
	for _, file := range files {
		for _, one := range golden.ReadCases(t, file).List {
			s, _, err := build(one.Lines)
			if err != nil {
				t.Fatal(err)
			}
			fired += sameFindings(t, filepath.Base(file)+": "+one.Name, s, through)
		}
	}
	if fired < len(files) {
		t.Errorf("%d findings of %d checks: the cases prove nothing", fired, len(files))
	}
	for _, fact := range []string{"settings", "file_settings", "role_settings", "hba", "libraries", "access",
		"databases", "tablespaces", "slots", "replicas", "passwords", "extensions",
		"prepared", "decoding", "tables", "indexes", "unused", "duplicates", "sequences", "catalogs", "unanalyzed",
		"visits", "mounts", "places", "spaces", "sysctl_conf", "programs", "data_directory"} {
		if through[fact] < len(files) {
			t.Errorf("%s went through redaction in %d cases only", fact, through[fact])
		}
	}
}

// TestRedactionOfAnyNames does the same with names, addresses and texts drawn at
// random into the facts that checks compare.
func TestRedactionOfAnyNames(t *testing.T) {
	word := rapid.OneOf(rapid.StringMatching(`[a-z][a-z_]{0,7}[0-9]{0,2}`),
		rapid.SampledFrom([]string{"db1", "role2", "name3", "app4", "host1", "Acme", "odd \"one", "naïve", "a.b",
			"127", "all", "public", "pg_x", "FIRST", "none", "5"}))
	address := rapid.SampledFrom([]string{"*", "localhost", "127.0.0.1", "127.7.7.7", "::1", "::", "0.0.0.0",
		"10.9.8.7", "172.20.1.1", "192.168.3.4", "169.254.1.1", "100.64.3.3", "203.0.113.5", "8.8.4.4", "fe80::1",
		"fd12::5", "2a01:4f8::7", "::ffff:10.1.2.3", "db.acme.example", "127.acme", ""})
	rapid.Check(t, func(t *rapid.T) {
		s := wellKept()
		in := &s.Instances[0]
		set, _ := in.Server.Settings.Get()
		put := func(name, v string) {
			p := set[name]
			p.Name, p.Value, p.Type, p.Source = name, v, "string", "configuration file"
			set[name] = p
		}
		list := func(of *rapid.Generator[string], what string) string {
			return strings.Join(rapid.SliceOfN(of, 0, 4).Draw(t, what),
				rapid.SampledFrom([]string{",", ", "}).Draw(t, "between"))
		}
		put("listen_addresses", list(address, "listen"))
		put("ssl", rapid.SampledFrom([]string{"on", "off"}).Draw(t, "ssl"))
		quoted := rapid.Map(word, func(s string) string { // as the server wants what is no plain word
			if strings.Trim(s, "abcdefghijklmnopqrstuvwxyz_") == "" {
				return s
			}
			return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
		})
		names := list(rapid.OneOf(quoted, rapid.Just("*"), rapid.Just(`"*"`), rapid.Just(`"a*b"`)), "standbys")
		put("synchronous_standby_names",
			fmt.Sprintf(rapid.SampledFrom([]string{"%s", "FIRST 1 (%s)", "any 2 (%s)", "3 (%s)", " 2(%s)"}).Draw(t,
				"form"), names))
		spaces := []pg.Tablespace{{Name: "pg_default", OID: 1663}}
		for i, n := range rapid.SliceOfNDistinct(word, 0, 3, rapid.ID[string]).Draw(t, "tablespaces") {
			spaces = append(spaces, pg.Tablespace{Name: n, OID: int64(20000 + i), Location: "/" + n})
		}
		in.Server.Tablespaces = known.Is(spaces)
		some := []string{"pg_default", "x"}
		for _, t := range spaces {
			some = append(some, t.Name, strconv.Quote(t.Name))
		}
		put("temp_tablespaces", list(rapid.SampledFrom(some), "temp"))
		put("log_line_prefix",
			list(rapid.OneOf(word, rapid.SampledFrom([]string{"%m", "%p", "%-5p", "%%m", "%", "[%c]"})), "prefix"))
		put("log_destination", list(rapid.SampledFrom([]string{"stderr", "csvlog", "syslog"}), "destination"))
		put("lc_messages", rapid.SampledFrom([]string{"C", "de_DE.UTF-8", "en_US.utf8", "",
			"German_Germany.1252"}).Draw(t, "messages"))
		put("shared_preload_libraries",
			list(rapid.OneOf(word, rapid.SampledFrom([]string{"pg_stat_statements", "$libdir/pg_stat_statements",
				"/opt/x/pg_stat_statements.so", "auto_explain"})), "libraries"))
		put("archive_command", rapid.SampledFrom([]string{"", "cp %p /x", "true", "(disabled)"}).Draw(t, "archive"))
		put("archive_library", rapid.SampledFrom([]string{"", "basic_archive", "own"}).Draw(t, "library"))
		put("cluster_name", word.Draw(t, "cluster"))
		in.Server.Replicas = known.Is([]pg.Replica{{Name: word.Draw(t, "replica"), State: "streaming",
			Sync: rapid.SampledFrom([]string{"async", "sync", "quorum"}).Draw(t, "sync")}})
		var rules []pg.HBARule
		for i := range rapid.IntRange(0, 4).Draw(t, "rules") {
			rules = append(rules, pg.HBARule{Line: int64(i + 1),
				Type: rapid.SampledFrom([]string{"local", "host", "hostssl"}).Draw(t, "type"),
				Method: rapid.SampledFrom([]string{"trust", "md5", "reject", "ldap", "scram-sha-256"}).Draw(t,
					"method"),
				Reach:    rapid.SampledFrom([]string{"socket", "loopback", "network", "anywhere"}).Draw(t, "reach"),
				AllUsers: rapid.Bool().Draw(t, "all"), Superusers: rapid.Bool().Draw(t, "super"),
				File: "/" + word.Draw(t, "file") + "/pg_hba.conf"})
		}
		in.Server.HBA = known.Is(rules)
		var roles []pg.RoleSetting
		for range rapid.IntRange(0, 3).Draw(t, "overrides") {
			v := rapid.SampledFrom([][2]string{{"work_mem", "9GB"}, {"work_mem", "0x10MB"},
				{"synchronous_commit", "FALSE"}, {"synchronous_commit", "of"}, {"zero_damaged_pages", "t"},
				{"random_page_cost", "1.10"}, {"search_path", "x, y"}, {"acme.tenant", "x"}}).Draw(t, "override")
			roles = append(roles, pg.RoleSetting{Database: word.Draw(t, "db"),
				Role: rapid.OneOf(word, rapid.Just("")).Draw(t, "role"), Name: v[0], Value: v[1]})
		}
		in.Server.RoleSettings = known.Is(roles)
		files := []pg.FileSetting{}
		for i := range rapid.IntRange(0, 3).Draw(t, "lines") {
			v := rapid.SampledFrom([][2]string{{"work_mem", "much"}, {"work_mem", "64M"}, {"max_connections", "300"},
				{"max_connections", " 0x10 "}, {"port", "none"}, {"fsync", "maybe"}, {"huge_pages", "ON"},
				{"acme_thing", "x"}, {"", ""}, {"listen_addresses", "10.1.1.1"},
				{"synchronous_standby_names", "((("}}).Draw(t, "line")
			files = append(files, pg.FileSetting{Seq: int64(i + 1), Line: int64(i + 1), Name: v[0], Value: v[1],
				Applied: rapid.Bool().Draw(t, "applied"),
				Error: rapid.SampledFrom([]string{"", "setting could not be applied",
					"syntax error near \"x\""}).Draw(t, "error"),
				File: "/etc/" + word.Draw(t, "conf") + ".conf"})
		}
		in.Server.FileSettings = known.Is(files)
		sameFindings(t, "drawn", s, map[string]int{})
	})
}

type fataler interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}

// sameFindings judges a snapshot twice: with the facts that hold names as they
// are read from an archive, and from that archive redacted. It returns the number
// of findings, and counts which facts went through.
func sameFindings(t fataler, what string, s *snapshot.Snapshot, through map[string]int) int {
	t.Helper()
	for i := range s.Instances {
		set, _ := s.Instances[i].Server.Settings.Get()
		for name, v := range set { // the server always reports the type, the cases do not
			for _, major := range slices.Backward(params.Majors()) {
				if p, ok := params.Lookup(major, name); ok && v.Type == "" {
					v.Type, v.Enum, v.Context = p.Type, slices.Clone(p.Enum), cmp.Or(v.Context, p.Context)
					// some depend on how the server was built
					if v.Type == "enum" && !slices.Contains(v.Enum, v.Value) {
						v.Enum = append(v.Enum, v.Value)
					}
					set[name] = v
				}
			}
		}
	}
	a := archiveOf(t, s)
	plain, err := snapshot.Read(a)
	if err != nil {
		t.Fatal(what, err)
	}
	redacted, err := snapshot.Read(a.Redact())
	if err != nil {
		t.Fatal(what, err)
	}
	before, after := clone(s), clone(s)
	graft(before, after, s, plain, redacted, through)
	o := check.Options{Today: "2026-11-21"}
	want, got := check.Run(before, All(), o), check.Run(after, All(), o)
	if d := difference(want.Findings, got.Findings); d != "" {
		t.Errorf("%s: %s", what, d)
	}
	if len(want.Unknown) != len(got.Unknown) {
		t.Errorf("%s: %d unknown, and %d when redacted: %v, %v", what, len(want.Unknown), len(got.Unknown),
			want.Unknown, got.Unknown)
	}
	return len(want.Findings)
}

func difference(want, got []check.Finding) string {
	kind := func(fs []check.Finding) (out []string) {
		for _, f := range fs {
			out = append(out, fmt.Sprintf("%s %s of %d instances, %d subjects", f.ID, f.Severity,
				min(len(f.Instance), 1), strings.Count(f.Seen.String(), ", ")+strings.Count(f.Seen.String(), "; ")))
		}
		slices.Sort(out)
		return out
	}
	a, b := kind(want), kind(got)
	if slices.Equal(a, b) {
		return ""
	}
	var seen []string
	for _, f := range append(slices.Clone(want), got...) {
		seen = append(seen, f.ID+": "+f.Seen.String())
	}
	return fmt.Sprintf("found\n%s\nand when redacted\n%s\n%s", strings.Join(a, "\n"), strings.Join(b, "\n"),
		strings.Join(seen, "\n"))
}

// clone copies as deep as graft writes.
func clone(s *snapshot.Snapshot) *snapshot.Snapshot {
	out := *s
	out.Instances = slices.Clone(s.Instances)
	return &out
}

// TestRedactionKeepsScanners: checks know programs that wait for every open() by
// their names, which redaction has to know for public ones.
func TestRedactionKeepsScanners(t *testing.T) {
	s := wellKept()
	var all []host.Program
	for name := range host.ScannerNames {
		all = append(all, host.Program{Name: name, Processes: 1})
	}
	s.Host.Programs = known.Is(all)
	r, err := snapshot.Read(archiveOf(t, s).Redact())
	if err != nil {
		t.Fatal(err)
	}
	got, _ := r.Host.Programs.Get()
	for i, p := range got {
		if p.Name != all[i].Name {
			t.Errorf("%s became %s", all[i].Name, p.Name)
		}
	}
	if len(got) != len(all) || len(got) == 0 {
		t.Errorf("%d of %d programs", len(got), len(all))
	}
}

// graft puts facts that were read from archives into copies of a snapshot, if the plain archive gave the fact that was
// written into it.
func graft(before, after, s, plain, redacted *snapshot.Snapshot, through map[string]int) {
	one := func(name string, of func(*snapshot.Snapshot) any) {
		b, err := json.Marshal(of(s))
		if err != nil || !strings.HasPrefix(string(b), `{"is"`) {
			return
		}
		reflect.ValueOf(of(before)).Elem().Set(reflect.ValueOf(of(plain)).Elem())
		reflect.ValueOf(of(after)).Elem().Set(reflect.ValueOf(of(redacted)).Elem())
		if p, err := json.Marshal(of(plain)); err == nil && string(b) == string(p) {
			through[name]++
			// what was never collected has other reasons
		} else if err == nil && strings.HasPrefix(string(p), `{"is"`) && name == "databases" {
			through[name]++
		}
	}
	srv := func(s *snapshot.Snapshot) *pg.Server { return &s.Instances[0].Server }
	if len(s.Instances) != 1 {
		return
	}
	one("settings", func(s *snapshot.Snapshot) any { return &srv(s).Settings })
	one("file_settings", func(s *snapshot.Snapshot) any { return &srv(s).FileSettings })
	one("role_settings", func(s *snapshot.Snapshot) any { return &srv(s).RoleSettings })
	one("hba", func(s *snapshot.Snapshot) any { return &srv(s).HBA })
	one("libraries", func(s *snapshot.Snapshot) any { return &srv(s).Libraries })
	one("access", func(s *snapshot.Snapshot) any { return &srv(s).Access })
	one("databases", func(s *snapshot.Snapshot) any { return &srv(s).Databases })
	one("tablespaces", func(s *snapshot.Snapshot) any { return &srv(s).Tablespaces })
	one("slots", func(s *snapshot.Snapshot) any { return &srv(s).Slots })
	one("replicas", func(s *snapshot.Snapshot) any { return &srv(s).Replicas })
	one("passwords", func(s *snapshot.Snapshot) any { return &srv(s).Passwords })
	one("extensions", func(s *snapshot.Snapshot) any { return &srv(s).Extensions })
	one("prepared", func(s *snapshot.Snapshot) any { return &srv(s).Prepared })
	one("decoding", func(s *snapshot.Snapshot) any { return &srv(s).Decoding })
	one("tables", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Tables })
	one("indexes", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Indexes })
	one("unused", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Unused })
	one("duplicates", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Duplicates })
	one("sequences", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Sequences })
	one("catalogs", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Catalogs })
	one("unanalyzed", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Unanalyzed })
	one("visits", func(s *snapshot.Snapshot) any { return &srv(s).Deep.Visits })
	one("mounts", func(s *snapshot.Snapshot) any { return &s.Host.Mounts })
	one("places", func(s *snapshot.Snapshot) any { return &s.Instances[0].Places })
	one("spaces", func(s *snapshot.Snapshot) any { return &s.Host.Spaces })
	one("datasets", func(s *snapshot.Snapshot) any { return &s.Host.Datasets })
	one("file_flags", func(s *snapshot.Snapshot) any { return &s.Host.FileFlags })
	one("sysctl_conf", func(s *snapshot.Snapshot) any { return &s.Host.SysctlConf })
	one("programs", func(s *snapshot.Snapshot) any { return &s.Host.Programs })
	one("data_directory", func(s *snapshot.Snapshot) any { return &s.Instances[0].DataDirectory })
	one("stats_directory", func(s *snapshot.Snapshot) any { return &s.Instances[0].StatsDir })
	one("manager", func(s *snapshot.Snapshot) any { return &s.Instances[0].Manager })
}

// archiveOf writes the facts of a snapshot that hold names or texts as a
// collector would have found them.
func archiveOf(t fataler, s *snapshot.Snapshot) *evidence.Archive {
	a := evidence.New()
	add := func(name, data string) {
		if err := a.Add(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	doc := func(name string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		add(name, string(b))
	}
	doc("evidence.json", map[string]any{"tool": "test", "taken_at": s.TakenAt, "host_seen": s.HostSeen, "root": s.Root})
	var instances []map[string]any
	for i := range s.Instances {
		in := &s.Instances[i]
		one := map[string]any{"key": in.Key}
		for name, f := range map[string]known.Fact[string]{"data_directory": in.DataDirectory,
			"stats_directory": in.StatsDir, "manager": in.Manager} {
			if v, ok := f.Get(); ok {
				one[name] = v
			} else if g := f.Gap(); g.Reason != "" {
				a.AddMissing(evidence.Missing{Name: "pg/" + in.Key + "/" + name, State: f.State(), Reason: g.Reason,
					Reveal: g.Reveal})
			}
		}
		instances = append(instances, one)
		answersOf(t, a, in)
		if p, ok := in.Places.Get(); ok {
			doc("pg/"+in.Key+"/places.json", p)
		}
	}
	doc("instances.json", instances)
	if m, ok := s.Host.Mounts.Get(); ok {
		var b strings.Builder
		esc := strings.NewReplacer(" ", `\040`)
		for i, m := range m {
			fmt.Fprintf(&b, "%d 1 %s %s %s %s - %s %s rw\n", 20+i, m.Device, esc.Replace(m.Root), esc.Replace(m.Point),
				strings.Join(m.Options, ","), m.FSType, esc.Replace(m.Source))
			_ = i
		}
		add("proc/self/mountinfo", strings.ReplaceAll(b.String(), " rw\n", " "+"\n"))
	}
	if sp, ok := s.Host.Spaces.Get(); ok {
		doc("statfs.json", sp)
	}
	if d, ok := s.Host.Datasets.Get(); ok {
		var b strings.Builder
		for _, d := range d {
			if d.RecordSize > 0 {
				fmt.Fprintf(&b, "%s\trecordsize\t%d\n", d.Name, d.RecordSize)
			}
			fmt.Fprintf(&b, "%s\tsync\t%s\n", d.Name, d.Sync)
		}
		add(host.Datasets, b.String())
	}
	if f, ok := s.Host.FileFlags.Get(); ok {
		var b strings.Builder
		for _, f := range f {
			fmt.Fprintf(&b, "%s %s\n", f.Flags, f.Path)
		}
		add(host.LsAttr, b.String())
	}
	if sets, ok := s.Host.SysctlConf.Get(); ok {
		text := map[string][]string{}
		for _, c := range sets {
			for len(text[c.File]) < c.Line {
				text[c.File] = append(text[c.File], "")
			}
			text[c.File][c.Line-1] = c.Name + " = " + c.Value
		}
		for file, lines := range text {
			add(strings.TrimPrefix(file, "/"), strings.Join(lines, "\n")+"\n")
		}
	}
	if p, ok := s.Host.Programs.Get(); ok {
		list := []map[string]any{}
		for _, p := range p {
			one := map[string]any{"name": p.Name, "processes": p.Processes, "rss": p.RSS, "cpu_time": p.CPUTime,
				"since": p.Since}
			if v, ok := p.Private.Get(); ok {
				one["private"] = v
			}
			list = append(list, one)
		}
		doc("programs.json", list)
	}
	return a
}

// answersOf writes the answers of a server, by the names of their columns.
func answersOf(t fataler, a *evidence.Archive, in *snapshot.Instance) {
	srv := &in.Server
	write := func(name string, rows []map[string]any) {
		var columns []string
		for _, r := range rows {
			for c := range r {
				if !slices.Contains(columns, c) {
					columns = append(columns, c)
				}
			}
		}
		slices.Sort(columns)
		ans := struct {
			Columns []string    `json:"columns"`
			Rows    [][]*string `json:"rows"`
		}{append([]string{}, columns...), [][]*string{}}
		for _, r := range rows {
			vals := make([]*string, len(columns))
			for i, c := range columns {
				v, ok := r[c]
				if !ok || v == nil {
					continue
				}
				text := fmt.Sprint(v)
				if b, isBool := v.(bool); isBool {
					text = map[bool]string{true: "t", false: "f"}[b]
				}
				vals[i] = &text
			}
			ans.Rows = append(ans.Rows, vals)
		}
		b, err := json.Marshal(ans)
		if err != nil || a.Add("pg/"+in.Key+"/"+name+".json", b) != nil {
			t.Fatal("an answer", err)
		}
	}
	opt := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	answer(write, "settings", srv.Settings, func(set pg.Settings) (rows []map[string]any) {
		for _, s := range set {
			rows = append(rows, map[string]any{"name": s.Name, "setting": s.Value, "unit": opt(s.Unit),
				"vartype": s.Type, "context": opt(s.Context), "source": opt(s.Source), "min_val": opt(s.Min),
				"max_val":  opt(s.Max),
				"enumvals": opt(strings.ReplaceAll("{"+strings.Join(s.Enum, ",")+"}", "{}", "")),
				"boot_val": opt(s.Boot), "sourcefile": opt(s.File), "sourceline": s.Line,
				"pending_restart": s.PendingRestart})
		}
		slices.SortFunc(rows, func(a, b map[string]any) int {
			return strings.Compare(a["name"].(string), b["name"].(string))
		})
		return rows
	})
	each(write, "file_settings", srv.FileSettings, func(f pg.FileSetting) map[string]any {
		return map[string]any{"sourcefile": f.File, "sourceline": f.Line, "seqno": f.Seq, "name": opt(f.Name),
			"setting": f.Value, "applied": f.Applied, "error": opt(f.Error)}
	})
	each(write, "role_settings", srv.RoleSettings, func(r pg.RoleSetting) map[string]any {
		return map[string]any{"datname": opt(r.Database), "rolname": opt(r.Role), "name": r.Name, "setting": r.Value}
	})
	each(write, "hba", srv.HBA, func(r pg.HBARule) map[string]any {
		return map[string]any{"sourcefile": opt(r.File), "line": r.Line, "type": opt(r.Type), "method": opt(r.Method),
			"reach": r.Reach, "replication": r.Replication, "all_users": r.AllUsers, "superusers": r.Superusers,
			"broken": r.Broken, "error": opt(r.Error)}
	})
	each(write, "libraries", srv.Libraries, func(l pg.Library) map[string]any {
		m := map[string]any{"parameter": l.Parameter, "library": l.Name, "in_force": l.InForce, "in_files": l.InFiles}
		if v, ok := l.Installed.Get(); ok {
			m["installed"] = v
		}
		return m
	})
	answer(write, "access", srv.Access, func(x pg.Access) []map[string]any {
		return []map[string]any{{"role": x.Role, "superuser": x.Superuser, "monitor": x.Monitor, "database": x.Database,
			"started_at": x.StartedAt, "now": x.Now, "reload_at": x.ReloadAt, "pid": x.PID,
			"backend_start": x.BackendAt, "compiled": opt(x.Compiled)}}
	})
	each(write, "databases", srv.Databases, func(d pg.Database) map[string]any {
		m := map[string]any{"datname": d.Name, "datistemplate": d.Template, "datallowconn": d.AllowConn,
			"datconnlimit": d.ConnLimit, "xid_age": d.XIDAge, "mxid_age": d.MXIDAge, "numbackends": d.Backends,
			"xact_commit": d.Commits, "xact_rollback": d.Rollbacks, "blks_read": d.BlocksRead, "blks_hit": d.BlocksHit,
			"temp_files": d.TempFiles, "temp_bytes": int64(d.TempBytes), "tup_updated": d.Updated,
			"tup_deleted": d.Deleted,
			"deadlocks":   d.Deadlocks, "conflicts": d.Conflicts, "checksum_failures": d.ChecksumFails,
			"stats_reset": d.StatsReset, "sessions_fatal": d.SessionsFatal, "sessions_killed": d.SessionsKilled,
			"sessions_abandoned": d.SessionsAbandoned, "collation_mismatch": d.CollationMismatch}
		if v, ok := d.Sessions.Get(); ok {
			m["sessions"] = v
		}
		if v, ok := d.ActiveTime.Get(); ok {
			m["active_time"] = v
		}
		return m
	})
	each(write, "tablespaces", srv.Tablespaces, func(x pg.Tablespace) map[string]any {
		m := map[string]any{"oid": x.OID, "spcname": x.Name, "location": x.Location}
		if len(x.Options) > 0 {
			m["spcoptions"] = "{" + strings.Join(x.Options, ",") + "}"
		}
		return m
	})
	each(write, "slots", srv.Slots, func(x pg.Slot) map[string]any {
		m := map[string]any{"slot_name": x.Name, "slot_type": x.Kind, "active": x.Active, "temporary": x.Temporary,
			"wal_status": opt(x.WALStatus), "xmin_age": x.XminAge}
		if v, ok := x.Retained.Get(); ok {
			m["retained"] = int64(v)
		}
		return m
	})
	each(write, "replicas", srv.Replicas, func(x pg.Replica) map[string]any {
		m := map[string]any{"application_name": x.Name, "state": opt(x.State), "sync_state": opt(x.Sync),
			"xmin_age": x.XminAge}
		if v, ok := x.Lag.Get(); ok {
			m["lag"] = int64(v)
		}
		return m
	})
	each(write, "passwords", srv.Passwords, func(x pg.PasswordKind) map[string]any {
		return map[string]any{"kind": x.Kind, "superuser": x.Superuser, "roles": x.Roles, "expired": x.Expired,
			"rolname": x.Example}
	})
	each(write, "extensions", srv.Extensions, func(x pg.Extension) map[string]any {
		return map[string]any{"extname": x.Name, "extversion": x.Version, "default_version": opt(x.Default)}
	})
	each(write, "prepared", srv.Prepared, func(x pg.PreparedXact) map[string]any {
		return map[string]any{"database": x.Database, "age": x.Age, "xid_age": x.XIDAge}
	})
	each(write, "decoding", srv.Decoding, func(x pg.Decoding) map[string]any {
		return map[string]any{"slot_name": x.Slot, "spill_txns": x.Transactions, "spill_count": x.Spills,
			"spill_bytes": int64(x.Spilled), "total_bytes": int64(x.Decoded), "stats_reset": x.StatsReset}
	})
	index := func(x pg.Index) map[string]any {
		return map[string]any{pg.DatabaseColumn: opt(x.Database), "nspname": x.Schema, "relname": x.Table,
			"indexrelname": x.Name, "relpages": x.Pages}
	}
	each(write, "deep_indexes", srv.Deep.Indexes, index)
	each(write, "deep_unused", srv.Deep.Unused, index)
	each(write, "deep_duplicates", srv.Deep.Duplicates, func(x pg.Duplicate) map[string]any {
		m := index(x.Index)
		m["kept"] = x.Kept
		return m
	})
	each(write, "deep_tables", srv.Deep.Tables, func(x pg.Table) map[string]any {
		m := map[string]any{pg.DatabaseColumn: opt(x.Database), "nspname": x.Schema, "relname": x.Name,
			"relpages": x.Pages, "reltuples": x.Rows, "live": x.Live, "dead": x.Dead, "changed": x.Changed,
			"seq_scans": x.SeqScans,
			"seq_rows":  x.SeqRows, "last_vacuum": x.LastVacuum, "last_analyze": x.LastAnalyze, "xid_age": x.XIDAge,
			"vacuuming": x.Vacuuming}
		if x.AutovacuumOff {
			m["av_enabled"] = false
		}
		if x.Threshold >= 0 {
			m["av_threshold"] = x.Threshold
		}
		if x.Scale >= 0 {
			m["av_scale"] = x.Scale
		}
		return m
	})
	each(write, "deep_sequences", srv.Deep.Sequences, func(x pg.Sequence) map[string]any {
		return map[string]any{pg.DatabaseColumn: opt(x.Database), "nspname": x.Schema, "relname": x.Name,
			"owner_table": opt(x.Table), "owner_column": opt(x.Column), "last": x.Last, "most": x.Most}
	})
	each(write, "deep_catalogs", srv.Deep.Catalogs, func(x pg.Catalog) map[string]any {
		return map[string]any{pg.DatabaseColumn: opt(x.Database), "relname": x.Name, "size": int64(x.Size),
			"reltuples": x.Rows, "live": x.Live, "dead": x.Dead, "inserted": x.Inserted}
	})
	each(write, "deep_unanalyzed", srv.Deep.Unanalyzed, func(x pg.Unanalyzed) map[string]any {
		return map[string]any{pg.DatabaseColumn: opt(x.Database), "nspname": x.Schema, "relname": x.Name,
			"partitioned": x.Partitioned, "rows": x.Rows}
	})
	each(write, "deep_visits", srv.Deep.Visits, func(x pg.Visit) map[string]any {
		return map[string]any{pg.DatabaseColumn: opt(x.Database), "query": opt(x.Query), "reason": opt(x.Reason),
			"reveal": opt(x.Reveal)}
	})
}

func answer[T any](write func(string, []map[string]any), name string, f known.Fact[T], rows func(T) []map[string]any) {
	if v, ok := f.Get(); ok {
		write(name, rows(v))
	}
}

func each[T any](write func(string, []map[string]any), name string, f known.Fact[[]T], row func(T) map[string]any) {
	answer(write, name, f, func(list []T) (out []map[string]any) {
		for _, x := range list {
			out = append(out, row(x))
		}
		return out
	})
}
