package servers

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/policy"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/document"
	"github.com/pgfettle/pgfettle/internal/show/export"
	"github.com/pgfettle/pgfettle/test/debianpg"
	"github.com/pgfettle/pgfettle/test/live"
	"github.com/pgfettle/pgfettle/test/template"
	"github.com/pgfettle/pgfettle/test/tier"
)

// planted is an obstacle, in the order in which pg_upgrade looks for them.
type planted struct {
	ids      []string // what the report calls it; one of them
	from, to int      // source versions; to 0: all
	database string   // "" is postgres
	plant    []string
	mend     []string
	said     string // of pg_upgrade's message; "": it does not check this, and fails later or not at all
}

var obstacles = []planted{
	{ids: []string{"closed_database"}, plant: []string{"create database closed allow_connections false"},
		mend: []string{"alter database closed allow_connections true"}, said: "must allow connections"},
	{ids: []string{"encoding"}, plant: []string{"create database mule encoding 'MULE_INTERNAL' template template0"},
		mend: []string{"drop database mule"}, said: "no longer supported"},
	{ids: []string{"name"}, plant: []string{"create role \"a\nb\"", "create database \"c\rd\""},
		mend: []string{"drop role \"a\nb\"", "drop database \"c\rd\""}, said: "with invalid characters"},
	{ids: []string{"prepared"}, database: "shop", plant: []string{"begin", "create table prep (a int)",
		"prepare transaction 'p'"}, mend: []string{"rollback prepared 'p'"}, said: "contains prepared transactions"},
	{ids: []string{"type"}, database: "shop", plant: []string{"create type comp as (x regprocedure)",
		"create domain dom as regconfig", "create type within as (x regproc[])",
		"create table types (a regproc, b comp[], c dom, d pg_class, e within[], fine regclass)"},
		mend: []string{"drop table types"}, said: "Data type checks failed"},
	{ids: []string{"conversion"}, to: 13, database: "shop",
		plant: []string{"create conversion myconv for 'LATIN1' to 'UTF8' from iso8859_1_to_utf8"},
		mend:  []string{"drop conversion myconv"}, said: "user-defined encoding conversions"},
	{ids: []string{"postfix"}, to: 13, database: "shop", plant: []string{
		"create function post(int8) returns int8 language sql as 'select $1'",
		"create operator !! (leftarg = int8, procedure = post)"},
		mend: []string{"drop operator !! (int8, none)"}, said: "user-defined postfix operators"},
	{ids: []string{"polymorphic"}, to: 13, database: "shop",
		plant: []string{"create aggregate agg (anyelement) (sfunc = array_append, stype = anyarray, initcond = '{}')"},
		mend:  []string{"drop aggregate agg (anyelement)"}, said: "internal\npolymorphic functions"},
	{ids: []string{"notnull"}, to: 17, database: "shop", plant: []string{"create table par (a int)",
		"create table chi () inherits (par)", "alter table only par alter a set not null"},
		mend: []string{"alter table chi alter a set not null"}, said: "inconsistent NOT NULL"},
	{ids: []string{"gist"}, database: "shop", plant: []string{"create extension btree_gist",
		"create table nets (i inet, c cidr)", "create index gi on nets using gist (i)",
		"create index fine on nets using gist (i inet_ops)"},
		mend: []string{"drop index gi"}, said: "gist_inet_ops"},
	{ids: []string{"extension_removed", "library_missing"}, to: 16, database: "shop",
		plant: []string{"create extension adminpack"}, mend: []string{"drop extension adminpack"},
		said: "loadable libraries that are missing"},
	// pg_upgrade fails at these only when it restores them.
	{ids: []string{"role_setting_value"}, database: "shop",
		plant: []string{"alter database shop set standard_conforming_strings = off"},
		mend:  []string{"alter database shop reset standard_conforming_strings"}},
	{ids: []string{"function_setting_removed"}, database: "shop",
		plant: []string{"create function own() returns int language sql set escape_string_warning = off as 'select 1'",
			"create type t1 as enum ('a')",
			"create function own(t1[], int) returns int language sql set escape_string_warning = off as 'select 1'"},
		// as it is told, for functions of one name
		mend: []string{`alter routine "public"."own"() reset escape_string_warning`,
			`alter routine "public"."own"(t1[], integer) reset escape_string_warning`}},
}

// TestUpgradeObstacles plants what pg_upgrade refuses: each obstacle that the real pg_upgrade --check of 19 reports was
// reported before, and once all that was reported is mended, it reports none.
func TestUpgradeObstacles(t *testing.T) {
	to, err := debianpg.Binaries(t.Context(), 19)
	if err != nil {
		tier.Missing(t, "servers", "pg_upgrade of 19: %v", err)
	}
	t.Setenv("PATH", to.Dir+":"+os.Getenv("PATH")) // where the new version is looked for
	live.On(t, []int{13, 15, 17, 18}, func(t *testing.T, b scratch.Binaries) {
		i := live.Start(t, b, map[string]string{"max_prepared_transactions": "2", "fsync": "off"})
		in(t, i, "postgres", "create database shop")
		var list []planted
		for _, o := range obstacles {
			if o.to == 0 || b.Version.Major() <= o.to {
				list = append(list, o)
				in(t, i, databaseOf(o), o.plant...)
			}
		}
		old := withControlData(t, i, "in production")
		fresh := newCluster(t, to, i.Account, "--no-data-checksums")
		if b.Version.Major() >= 18 {
			fresh = newCluster(t, to, i.Account, "")
		}
		for _, o := range list {
			told := toldOf(t, i)
			if !slices.ContainsFunc(o.ids, func(id string) bool { return slices.Contains(told, id) }) {
				t.Errorf("%v is not told: %v", o.ids, told)
			}
			if o.said != "" {
				if said := fresh.check(t, i, old); !strings.Contains(said, o.said) {
					t.Errorf("%v: pg_upgrade says otherwise:\n%s", o.ids, said)
				}
			}
			in(t, i, databaseOf(o), o.mend...)
		}
		if said := fresh.check(t, i, old); !strings.Contains(said, "*Clusters are compatible*") {
			t.Errorf("all that was told is mended, and pg_upgrade reports:\n%s", said)
		}
		told := toldOf(t, i)
		told = slices.DeleteFunc(told, func(id string) bool { return id == "checksums" }) // that initdb was told of
		if len(told) > 0 {
			t.Errorf("nothing is left, and %v is told", told)
		}
	})
}

// handmade are settings by hand of each class, those of versions from and up to a major one.
var handmade = []struct {
	from, to    int // 0: no bound
	name, value string
}{
	{0, 0, "work_mem", "24MB"}, {0, 0, "random_page_cost", "1.3"}, {0, 0, "enable_seqscan", "on"},
	{0, 0, "search_path", `"$user", public, "Odd Name"`}, {0, 0, "log_line_prefix", "%m it's [%p] "},
	{0, 0, "log_min_duration_statement", "1500"}, {0, 0, "shared_preload_libraries", "pg_stat_statements"},
	{0, 0, "pg_stat_statements.max", "2000"}, {0, 0, "my.own", "a \\ b"}, {0, 0, "archive_command", "cp %p /tmp/%f"},
	{0, 0, "max_replication_slots", "30"}, {0, 0, "max_locks_per_transaction", "200"},
	{0, 0, "log_autovacuum_min_duration", "1000"}, {0, 0, "log_connections", "on"},
	{0, 0, "effective_io_concurrency", "200"}, {0, 0, "standard_conforming_strings", "off"},
	{0, 0, "escape_string_warning", "off"}, {0, 0, "application_name", "mine"},
	{0, 13, "operator_precedence_warning", "on"}, {0, 13, "vacuum_cleanup_index_scale_factor", "0.2"},
	{0, 14, "stats_temp_directory", "pg_stat_tmp"}, {0, 15, "force_parallel_mode", "regress"},
	{0, 15, "promote_trigger_file", "/tmp/promote"}, {0, 15, "vacuum_defer_cleanup_age", "100"},
	{0, 16, "old_snapshot_threshold", "1h"}, {0, 16, "trace_recovery_messages", "debug1"},
	{0, 17, "ssl_ecdh_curve", "prime256v1"}, {18, 18, "io_workers", "1"}, {18, 18, "ssl_groups", "prime256v1"},
}

// TestOldWordsOfClientCert: 13 itself shows words of clientcert that 14 refuses as those that both take.
func TestOldWordsOfClientCert(t *testing.T) {
	live.On(t, []int{13, 15}, func(t *testing.T, b scratch.Binaries) {
		i := live.Start(t, b, nil)
		text := "local all all trust\n# clientcert=0\nhostssl all all 10.0.0.0/8 md5 clientcert=1\n" +
			"hostssl all all 10.0.0.0/8 md5 clientcert=\"no-verify\" # caf\xe9\n" +
			"hostssl all all 10.0.0.0/8 md5 clientcert=verify-full\n"
		if err := os.WriteFile(filepath.Join(i.DataDir, "pg_hba.conf"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		rules, ok := live.Read(t, live.EvidenceOf(t, i, false)).Instances[0].Server.HBA.Get()
		var got []string
		for _, r := range rules {
			got = append(got, r.ClientCert)
		}
		want := []string{"", "1", "no-verify", "verify-full"}
		if b.Version.Major() > 13 {
			want = make([]string, 4)
		}
		if !ok || !slices.Equal(got, want) {
			t.Errorf("%v %q, want %q", ok, got, want)
		}
	})
}

// TestOAuthWithoutValidator: a line of pg_hba.conf with oauth, with which no server starts if oauth_validator_libraries
// is empty, is among the broken ones.
func TestOAuthWithoutValidator(t *testing.T) {
	live.On(t, []int{18}, func(t *testing.T, b scratch.Binaries) {
		i := live.Start(t, b, nil)
		text := "local all all trust\nhost all all 10.0.0.0/8 oauth issuer=\"https://x.example\" scope=\"a\"\n"
		if err := os.WriteFile(filepath.Join(i.DataDir, "pg_hba.conf"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := live.Read(t, live.EvidenceOf(t, i, false))
		r := check.Run(s, checks.All(), check.Options{Only: []string{"hba_errors"}})
		if len(r.Findings) != 1 || !strings.Contains(r.Findings[0].Seen.String(), "oauth_validator_libraries") {
			t.Errorf("%+v", r.Findings)
		}
	})
}

// TestUpgradedServerStarts upgrades servers with settings by hand, as the steps say, and starts what comes of it with
// the planned configuration: each setting by hand is in force in the new server, or named with a reason.
func TestUpgradedServerStarts(t *testing.T) {
	to, err := debianpg.Binaries(t.Context(), 19)
	if err != nil {
		tier.Missing(t, "servers", "pg_upgrade of 19: %v", err)
	}
	t.Setenv("PATH", to.Dir+":"+os.Getenv("PATH")) // where the new version is looked for
	live.On(t, []int{13, 15, 17, 18}, func(t *testing.T, b scratch.Binaries) {
		set := map[string]string{"fsync": "off"}
		for _, h := range handmade {
			if v := b.Version.Major(); v >= h.from && (h.to == 0 || v <= h.to) {
				set[h.name] = h.value
			}
		}
		i := live.Start(t, b, set)
		in(t, i, "postgres", "create database shop", "create role app", "alter role app set work_mem = '100MB'")
		in(t, i, "shop", "create table t as select g as a from generate_series(1, 1000) g", "analyze t")
		config, text := newConfiguration(t, i)
		in(t, i, "postgres", "checkpoint")
		old := withControlData(t, i, "shut down")
		option := "--no-data-checksums"
		if b.Version.Major() >= 18 {
			option = ""
		}
		fresh := newCluster(t, to, i.Account, option)
		if err := i.Stop(); err != nil {
			t.Fatal(err)
		}
		if said := fresh.upgrade(t, old, i, "--copy"); !strings.Contains(said, "Upgrade Complete") {
			t.Fatal(said)
		}
		file := filepath.Join(fresh.data, "upgrade.conf")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		include := "include 'upgrade.conf'\nlisten_addresses = ''\nunix_socket_directories = '" + fresh.dir + "'\n"
		main, err := os.OpenFile(filepath.Join(fresh.data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = main.WriteString(include)
			err = errors.Join(err, main.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		out, err := fresh.run(to.Tool("pg_ctl"), "-D", fresh.data, "-w", "-l", fresh.dir+"/log", "start")
		if err != nil {
			log, _ := os.ReadFile(fresh.dir + "/log")
			t.Fatalf("%v: %s\n%s\n%s", err, out, log, text)
		}
		defer fresh.run(to.Tool("pg_ctl"), "-D", fresh.data, "-w", "-m", "fast", "stop")
		fresh.holds(t, config, set)
		out, err = fresh.sql(config, "select count(*) from t")
		if err != nil || out != "1000" {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// newConfiguration is what plan --upgrade-to 19 makes of a server, and its file.
func newConfiguration(t *testing.T, i *scratch.Instance) (upgrade.Configuration, string) {
	t.Helper()
	h := &app.Host{Target: &target.Local{}}
	s, err := h.Open(t.Context(), app.Request{Target: i.DataDir})
	if err != nil {
		t.Fatal(err)
	}
	o, err := app.PlanWith(&policy.Policy{}, rule.Options{Profile: rule.Mixed}, true)
	if err != nil {
		t.Fatal(err)
	}
	u, err := s.PlanUpgrade(t.Context(), o, 19)
	if err != nil {
		t.Fatal(err)
	}
	c := u.Configurations[0]
	if c.Trial.By == "" || len(c.Trial.Complaints) > 0 {
		t.Errorf("trial: %+v", c.Trial)
	}
	var text strings.Builder
	d := document.Plan{Plan: u.Plan, Upgrades: u.Configurations}
	if err := export.Conf(&text, d, u.Snapshot, c.Key); err != nil {
		t.Fatal(err)
	}
	return c, text.String()
}

// holds checks that each setting by hand is in force in the new server, or was named with a reason.
func (c cluster) holds(t *testing.T, config upgrade.Configuration, set map[string]string) {
	t.Helper()
	told := map[string]bool{}
	for _, p := range config.Parameters {
		told[p.Name] = true
		want := p.New
		if p.Planned != nil {
			want = p.Planned.Value
		}
		switch {
		case p.Fate == upgrade.Dropped && p.Reason.IsZero():
			t.Errorf("%s is dropped without a reason", p.Name)
		case p.Fate == upgrade.Dropped, p.Name == "listen_addresses", p.Name == "unix_socket_directories":
		default:
			if got, err := c.sql(config, "show "+p.NewName); err != nil || !strings.EqualFold(got, want) {
				t.Errorf("%s = %s (%s): the new server has %s = %q instead of %q: %v", p.Name, p.Value, p.Fate,
					p.NewName, got, want, err)
			}
		}
	}
	for name := range set {
		if !told[name] {
			t.Errorf("%s was set by hand and is lost", name)
		}
	}
}

// sql is what psql prints of a query in the new server.
func (c cluster) sql(config upgrade.Configuration, query string) (string, error) {
	port := "5432"
	for _, p := range config.Parameters {
		if p.Name == "port" {
			port = p.New
		}
	}
	out, err := c.run(c.binaries.Tool("psql"), "-X", "-h", c.dir, "-p", port, "-U", "postgres", "-d",
		"dbname=shop application_name=", "-Atc", query)
	return strings.TrimSuffix(out, "\n"), err
}

// TestNewClusterOfTheSteps: pg_upgrade before 16 requires of the new cluster the encoding and the locale of the old
// one, and the command of the steps makes it so.
func TestNewClusterOfTheSteps(t *testing.T) {
	to, err := scratch.At(t.Context(), "/usr/lib/postgresql/15/bin")
	if err != nil {
		tier.Missing(t, "servers", "pg_upgrade of 15: %v", err)
	}
	live.On(t, []int{13, 14}, func(t *testing.T, b scratch.Binaries) {
		i, err := template.New(t.Context(), b, scratch.Options{InitDB: []string{"--encoding=SQL_ASCII",
			"--lc-ctype=C.UTF-8", "--wal-segsize=32", "--data-checksums"}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = i.Remove() })
		if err := i.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		s := live.Read(t, live.EvidenceOf(t, i, false))
		command := ""
		for _, step := range upgrade.Judge(s, &s.Instances[0], 15).Steps {
			if step.ID == "initdb" {
				command = step.Commands[0].Text
			}
		}
		_, options, _ := strings.Cut(command, "-D NEW_DATA_DIRECTORY ")
		const want = "-U postgres -E SQL_ASCII --lc-collate=C --lc-ctype=C.UTF-8 --wal-segsize=32 --data-checksums"
		if options != want {
			t.Errorf("%s: %s", command, options)
		}
		old := withControlData(t, i, "in production")
		alike := newCluster(t, to, i.Account, strings.Fields(options)...)
		if said := alike.check(t, i, old); !strings.Contains(said, "*Clusters are compatible*") {
			t.Errorf("made as the steps say, and pg_upgrade reports:\n%s", said)
		}
		other := newCluster(t, to, i.Account, "--wal-segsize=32", "--data-checksums")
		if said := other.check(t, i, old); !strings.Contains(said, "ncoding") {
			t.Errorf("pg_upgrade takes any encoding:\n%s", said)
		}
	})
}

func databaseOf(o planted) string {
	if o.database == "" {
		return "postgres"
	}
	return o.database
}

// toldOf are the ids of what stops an upgrade to 19.
func toldOf(t *testing.T, i *scratch.Instance) (ids []string) {
	t.Helper()
	a, err := collect.Run(t.Context(), &target.Local{}, collect.Request{Kind: collect.DataDir, Value: i.DataDir,
		Deep: true, Alone: true, Servers: true})
	if err != nil {
		t.Fatal(err)
	}
	s := live.Read(t, a)
	for _, it := range upgrade.Judge(s, &s.Instances[0], 19).Stops {
		ids = append(ids, it.ID)
	}
	return ids
}

// withControlData makes a directory with the programs of an instance, and in place of pg_controldata, which the fetched
// servers lack, a script with what the server itself says of its control file, in a state.
func withControlData(t *testing.T, i *scratch.Instance, state string) string {
	t.Helper()
	dir := t.TempDir()
	open(t, dir)
	for _, tool := range []string{"postgres", "pg_ctl", "initdb"} {
		if err := os.Symlink(i.Binaries.Tool(tool), filepath.Join(dir, tool)); err != nil {
			t.Fatal(err)
		}
	}
	c := to(t, i, "postgres")
	defer c.Close(t.Context())
	text := live.Ask(t, c, `select format(E'pg_control version number: %s\nCatalog version number: %s\n'
		'Database cluster state: `+state+`\nLatest checkpoint''s TimeLineID: %s\n'
		'Latest checkpoint''s NextXID: %s\nLatest checkpoint''s NextOID: %s\nLatest checkpoint''s NextMultiXactId: %s\n'
		'Latest checkpoint''s NextMultiOffset: %s\nLatest checkpoint''s oldestXID: %s\n'
		'Latest checkpoint''s oldestMultiXid: %s\nLatest checkpoint''s REDO WAL file: %s\n'
		'Maximum data alignment: %s\nDatabase block size: %s\nBlocks per segment of large relation: %s\n'
		'WAL block size: %s\nBytes per WAL segment: %s\nMaximum length of identifiers: %s\n'
		'Maximum columns in an index: %s\nMaximum size of a TOAST chunk: %s\nSize of a large-object chunk: %s\n'
		'Date/time type storage: 64-bit integers\nFloat8 argument passing: by value\nData page checksum version: %s\n'
		'Default char data signedness: signed\nFirst log segment after reset: %s\n',
		s.pg_control_version, s.catalog_version_no, c.timeline_id, c.next_xid, c.next_oid, c.next_multixact_id,
		c.next_multi_offset, c.oldest_xid, c.oldest_multi_xid, c.redo_wal_file, i.max_data_alignment,
		i.database_block_size,
		i.blocks_per_segment, i.wal_block_size, i.bytes_per_wal_segment, i.max_identifier_length, i.max_index_columns,
		i.max_toast_chunk_size, i.large_object_chunk_size, i.data_page_checksum_version,
		pg_walfile_name('1/0'))
		from pg_control_system() s, pg_control_checkpoint() c, pg_control_init() i`)[0][0]
	script := "#!/bin/sh\ncat <<'END'\n" + text + "END\n"
	for _, tool := range []string{"pg_controldata", "pg_resetwal"} {
		if err := os.WriteFile(filepath.Join(dir, tool), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// cluster is a new one, with the account that it belongs to.
type cluster struct {
	binaries  scratch.Binaries
	account   scratch.Account
	dir, data string
}

func newCluster(t *testing.T, b scratch.Binaries, acc scratch.Account, options ...string) cluster {
	t.Helper()
	dir, err := os.MkdirTemp(os.Getenv("PGFETTLE_TEST_TMPDIR"), "upg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if acc.Switch {
		if err := os.Chown(dir, acc.UID, acc.GID); err != nil {
			t.Fatal(err)
		}
	}
	c := cluster{b, acc, dir, dir + "/data"}
	args := []string{"-D", c.data, "-U", "postgres", "-A", "trust", "--no-sync", "--locale=C", "--encoding=UTF8"}
	args = append(args, slices.DeleteFunc(options, func(o string) bool { return o == "" })...)
	if out, err := c.run(b.Tool("initdb"), args...); err != nil {
		t.Fatalf("initdb: %v: %s", err, out)
	}
	return c
}

// run runs a program as the account, in the directory of the cluster.
func (c cluster) run(program string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = c.dir, []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=" + c.dir}
	if c.account.Switch {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(c.account.UID),
			Gid: uint32(c.account.GID)}}
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	return out.String(), err
}

// check is what pg_upgrade --check says of a running server.
func (c cluster) check(t *testing.T, i *scratch.Instance, old string) string {
	t.Helper()
	return c.upgrade(t, old, i, "--check")
}

func (c cluster) upgrade(t *testing.T, old string, i *scratch.Instance, mode string) string {
	t.Helper()
	out, err := c.run(c.binaries.Tool("pg_upgrade"), "-b", old, "-B", c.binaries.Dir, "-d", i.DataDir, "-D", c.data,
		"-U", "postgres", "-p", fmt.Sprint(i.Port), "-P", "50432", "-s", c.dir, mode)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out
}

// open lets the account of servers enter a directory.
func open(t *testing.T, dir string) {
	t.Helper()
	for d := dir; d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}
