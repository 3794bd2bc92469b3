package servers

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pgfettle/pgfettle/internal/act/planner"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/checks"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/test/live"
)

// names are all words of a rich cluster that identify its owner.
var richNames = []string{
	"quillfeather", "harriet", "zebedee", "marmalade", "payroll", "pg_tombola", "salaries", "ledger", "kumquat",
	"umlaut-ä", "odd \"one", "tamarind", "walrus", "archivist", "hunter2",
	"primary.example", "replicator", "10.66.7.8", "198.51.100.77", "fd12:aa::9", "172.31.9", "yodel", "wibble",
	"frobnicate", "hba_secret", "wigwam",
}

// TestRedactedEvidenceFindsTheSame holds on a rich cluster of each version that
// the redacted evidence has the findings and the planned values of the original,
// wherever the server listens, that no name is left in it, and that redacting it
// again changes nothing.
func TestRedactedEvidenceFindsTheSame(t *testing.T) {
	t.Parallel() // beside what waits
	on(t, live.Some(), func(t *testing.T, b scratch.Binaries) {
		i := start(t, b, map[string]string{
			"cluster_name": "quillfeather", "wal_level": "logical", "archive_mode": "on",
			"archive_command": "PGPASSWORD=hunter2 archivist %p", "primary_slot_name": "walrus_slot",
			"primary_conninfo":          "host=primary.example user=replicator password=hunter2",
			"synchronous_standby_names": `FIRST 1 (tamarind, "Odd kumquat")`, "synchronous_commit": "local",
			"log_line_prefix": "%m [%p] quillfeather %u@%d ",
			"log_directory":   "/var/log/marmalade", "log_filename": "marmalade-%a.log",
			"log_min_duration_statement": "0", "shared_preload_libraries": "pg_stat_statements, auto_explain",
			"fsync": "off", "work_mem": "1GB",
			"yodel.wibble": "frobnicate", "search_path": `"$user", marmalade, public`, "unix_socket_group": "",
			"autovacuum": "off", "ssl": "off", "temp_tablespaces": "", "max_wal_senders": "10",
		})
		hba := "local all all trust\nhost payroll harriet 172.31.9.0/24 trust\nhost all all 0.0.0.0/0 md5\nhost all " +
			"zebedee_admin fd12:aa::/64 ldap ldapserver=hba_secret.example ldapprefix=\"cn=\"\n" +
			"hostssl replication replicator 198.51.100.77/32 scram-sha-256\nhost hba_secret nonsense\nhost all all " +
			"127.0.0.1/32 password\n"
		if err := os.WriteFile(filepath.Join(i.DataDir, "pg_hba.conf"), []byte(hba), 0o600); err != nil {
			t.Fatal(err)
		}
		admin := connect(t, i.ConnString())
		space := filepath.Join(i.Folder, "wigwam")
		if err := os.Mkdir(space, 0o700); err != nil {
			t.Fatal(err)
		}
		if os.Geteuid() == 0 {
			if err := os.Chown(space, i.Account.UID, i.Account.GID); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{
			"create role harriet login password 'hunter2'", "create role zebedee_admin superuser login",
			"create role replicator replication login password 'hunter2'", `create role "umlaut-ä" login`,
			"create tablespace wigwam_space location '" + space + "'",
			"alter system set temp_tablespaces = 'wigwam_space, tamarind_space'",
			"create database payroll owner harriet", `create database "odd ""one"`, "create database pg_tombola",
			"alter database payroll set work_mem = '2GB'", "alter role harriet set synchronous_commit = off",
			"alter role zebedee_admin in database payroll set search_path = marmalade, ledger",
			"alter role harriet set random_page_cost = 1.25",
			"select pg_create_physical_replication_slot('walrus_slot', true)",
			"select pg_create_logical_replication_slot('kumquat_slot', 'pgoutput')",
			"alter system set listen_addresses = '10.66.7.8, primary.example'",
			"alter system set maintenance_work_mem = '0x10MB'", "create extension pg_stat_statements",
			"select pg_reload_conf()",
		} {
			sql(t, admin, text)
		}
		shop := connect(t, strings.Replace(i.ConnString(), "dbname=postgres", "dbname=payroll", 1))
		for _, text := range []string{
			"create schema ledger", `create table ledger.salaries ("umlaut-ä" int primary key, kumquat serial, c int)`,
			"insert into ledger.salaries select g, 2000000000, g from generate_series(1, 600000) g",
			"create index salaries_again on ledger.salaries (\"umlaut-ä\")",
			"create index salaries_unused on ledger.salaries (c)",
			"alter sequence ledger.salaries_kumquat_seq restart 2100000000",
			"select nextval('ledger.salaries_kumquat_seq')",
			"alter table ledger.salaries set (autovacuum_enabled = off)",
			"update ledger.salaries set c = c + 1 where \"umlaut-ä\" <= 200000",
		} {
			sql(t, shop, text)
		}
		sql(t, shop, "begin; create table kumquat_left (a int); select 1")
		a := evidenceOf(t, i, true)
		for _, listen := range []string{"", "127.0.0.1", "*", "localhost,::1", "10.66.7.8", "198.51.100.77,127.0.0.1",
			"fd12:aa::9", "primary.example"} {
			old, err := a.ReadFile("pg/1/settings.json")
			if err != nil {
				t.Fatal(err)
			}
			now := bytes.Replace(old, []byte(`["listen_addresses",""`),
				[]byte(fmt.Sprintf(`["listen_addresses",%q`, listen)), 1)
			if listen != "" && bytes.Equal(old, now) {
				t.Fatal("the server listens elsewhere")
			}
			one := again(t, a)
			if err := one.Add("pg/1/settings.json", now); err != nil {
				t.Fatal(err)
			}
			want, got := judged(t, one), judged(t, one.Redact())
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("listen_addresses = '%s' (-original +redacted):\n%s", listen, diff)
			}
			if len(want.Findings) < 8 || len(want.Changes) < 8 {
				t.Errorf("%d findings and %d changes: the cluster proves nothing", len(want.Findings),
					len(want.Changes))
			}
		}
		plain, redacted := textOf(t, a), textOf(t, a.Redact())
		// a host may be called what directories of every host are
		if h, err := a.Redact().ReadFile("proc/sys/kernel/hostname"); err == nil {
			if name, _ := os.Hostname(); strings.TrimSpace(string(h)) == name {
				t.Errorf("the host is still called %s", h)
			}
		}
		for _, n := range append(slices.Clone(richNames), filepath.Base(i.Folder)) {
			if strings.Contains(strings.ToLower(redacted), strings.ToLower(n)) {
				at := strings.Index(strings.ToLower(redacted), strings.ToLower(n))
				t.Errorf("%q is in the redacted evidence: …%s…", n, redacted[max(at-80, 0):min(at+80, len(redacted))])
			}
		}
		for _, n := range []string{"payroll", "salaries", "walrus", "kumquat", "harriet", "yodel", "tamarind",
			"quillfeather", "10.66.7.8", "wigwam"} {
			if !strings.Contains(plain, n) {
				t.Errorf("%q is not in the evidence: the test proves nothing of it", n)
			}
		}
		if strings.Contains(plain, "hunter2") {
			t.Error("the evidence itself holds a password")
		}
		if twice := textOf(t, a.Redact().Redact()); twice != redacted {
			t.Errorf("redacted twice:\n%s", cmp.Diff(redacted, twice))
		}
	})
}

// verdict is what judgment says, without the names.
type verdict struct{ Findings, Unknown, Changes []string }

func judged(t *testing.T, a *evidence.Archive) (v verdict) {
	t.Helper()
	o := options(rule.Mixed)
	p, s, err := planner.Make(t.Context(), nil, a, o)
	if err != nil {
		t.Fatal(err)
	}
	instance := func(label string) string {
		for n := range s.Instances {
			if label == s.Instances[n].Label() || label == s.Instances[n].Key {
				return fmt.Sprint("instance ", n)
			}
		}
		return "host"
	}
	r := check.Run(s, checks.All(), check.Options{Today: "2026-11-22"})
	for _, f := range r.Findings {
		// of a list each part is a subject
		v.Findings = append(v.Findings, fmt.Sprintf("%s %s %s, %d subjects", f.ID, f.Severity, instance(f.Instance),
			strings.Count(f.Seen.String(), ", ")+strings.Count(f.Seen.String(), "; ")))
	}
	for _, g := range r.Unknown {
		v.Unknown = append(v.Unknown, g.Reason)
	}
	for _, c := range p.Changes {
		v.Changes = append(v.Changes, fmt.Sprintf("%s %s: %s to %s", instance(c.Instance), c.Address.Family(),
			c.FromBase, c.ToBase))
	}
	slices.Sort(v.Findings)
	slices.Sort(v.Unknown)
	slices.Sort(v.Changes)
	return v
}

func textOf(t *testing.T, a *evidence.Archive) string {
	t.Helper()
	var b strings.Builder
	if _, err := a.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// again returns a copy of an archive.
func again(t *testing.T, a *evidence.Archive) *evidence.Archive {
	t.Helper()
	c, err := evidence.Parse([]byte(textOf(t, a)))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
