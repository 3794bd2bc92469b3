package conftext

import (
	"fmt"
	"strings"
	"testing"
)

// TestRead: forms as their programs write them, and what is read of each.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		form       Form
		want       string // NAME=VALUE@LINE
	}{
		{"plain", "shared_buffers = 1GB\r\nwork_mem = 4MB\r\n", Plain, ""},
		{"one slip", "shared_buffers = 1GB\nwork_mem = 4 MB\nfsync = on\nport = 5432\njit = off\n", Plain, ""},
		{"prose and typographic quotes",
			"Hi all,\n\nthese are my settings:\n\nlisten_addresses = ‘*’\nwork_mem = “64MB”\n" +
				"shared_buffers: 8GB (25% of RAM)\nThanks!\n", Pasted,
			"listen_addresses=*@5 work_mem=64MB@6 shared_buffers=8GB@7"},
		{"several on a line", "we run with:\nwork_mem=64MB, maintenance_work_mem = 1GB\nand it is slow\n", Pasted,
			"work_mem=64MB@2 maintenance_work_mem=1GB@2"},
		{"no-break spaces and a mark",
			"\ufeffMy config:\n\nwork_mem\u00a0=\u00a064MB\n\nWhat is wrong with it?\n", Pasted,
			"work_mem=64MB@3"},
		{"grep", "postgresql.conf:12:shared_buffers = 1GB\npostgresql.conf:40:#work_mem = 4MB\n" +
			"postgresql.conf:44:fsync = off\n", Pasted, "shared_buffers=1GB@1 fsync=off@3"},
		{"echo",
			"echo \"wal_level = replica\" >> $PGDATA/postgresql.conf\necho 'fsync = off' >> postgresql.conf\n", Pasted,
			"wal_level=replica@1 fsync=off@2"},
		{"quoted twice",
			"> > work_mem = 64MB\n> > fsync = off\n> what?\n> really\n", Pasted, "work_mem=64MB@1 fsync=off@2"},
		{"alter system list", "ALTER SYSTEM SET shared_preload_libraries = 'a', 'b';\nALTER SYSTEM RESET work_mem;\n" +
			"/* ALTER SYSTEM SET fsync = off; */\nALTER SYSTEM SET search_path TO public;\n", AlterSystem,
			"shared_preload_libraries=a, b@1 search_path=public@4"},
		{"command line",
			"postgres -D /data -c work_mem=64MB --shared-buffers=1GB -c 'log_line_prefix=%t '\n", CommandLine,
			"work_mem=64MB@1 shared_buffers=1GB@1 log_line_prefix=%t @1"},
		{"pg_ctl", "pg_ctl -D /data -o \"-c fsync=off -c port=5433\" start\n", CommandLine, "fsync=off@1 port=5433@1"},
		{"compose with defaults",
			"services:\n  db:\n    image: postgres:16\n    command:\n      - postgres\n      - -c\n" +
				"      - work_mem=${WORK_MEM:-64MB}\n      - -c\n      - shared_buffers=${SB}\n", Compose,
			"work_mem=64MB@7 shared_buffers=${SB}@9"},
		{"compose list with the file", "services:\n  db:\n    image: postgres:16\n    command:\n      - " +
			"\"postgres\"\n" +
			"      - \"-c\"\n      - \"config_file=/etc/pg.conf\"\n      - \"-c\"\n      - " +
			"\"work_mem=64MB\"\n", Compose,
			"work_mem=64MB@9"},
		{"what Patroni starts", "/usr/bin/postgres -D /d --config-file=/d/postgresql.conf\n --port=5433\n " +
			"--wal_level=replica\n",
			CommandLine, "port=5433@2 wal_level=replica@3"},
		{"args of a manifest",
			"apiVersion: apps/v1\nkind: StatefulSet\nspec:\n  containers:\n  - image: postgres:15\n" +
				"    args: [\"-c\", \"max_connections=300\", \"-c\", \"fsync=off\"]\n", Manifest,
			"max_connections=300@6 fsync=off@6"},
		{"RDS in JSON", "{\n  \"Parameters\": [\n    {\n      \"ParameterName\": \"work_mem\",\n" +
			"      \"ParameterValue\": \"65536\",\n      \"Source\": \"user\"\n    },\n    {\n" +
			"      \"ParameterName\": \"rds.force_ssl\",\n      \"ParameterValue\": \"1\"\n    }\n  ]\n}\n", JSON,
			"work_mem=65536@4 rds.force_ssl=1@9"},
		{"Azure",
			"resource \"azurerm_postgresql_flexible_server_configuration\" \"x\" {\n  name      = \"work_mem\"\n" +
				"  server_id = azurerm_x.y.id\n  value     = \"65536\"\n}\n", Terraform, "work_mem=65536@2"},
		{"gcloud", "gcloud sql instances patch db --database-flags=max_connections=200,work_mem=65536\n", List,
			"max_connections=200@1 work_mem=65536@1"},
		{"Puppet", "postgresql::server::config_entry { 'work_mem':\n  value => '64MB',\n}\n", List, "work_mem=64MB@1"},
		{"Omnibus", "postgresql['shared_buffers'] = \"256MB\"\npostgresql['max_connections'] = 200\n" +
			"gitlab_rails['db_host'] = '10.0.0.1'\n", Program, "shared_buffers=256MB@1 max_connections=200@2"},
		{"parameters of a table are none of the server",
			"ALTER SYSTEM SET work_mem = '8MB';\nALTER TABLE log SET (\n  autovacuum_vacuum_scale_factor = 0.02,\n" +
				"  autovacuum_enabled = on\n);\n", AlterSystem, "work_mem=8MB@1"},
		{"nor in a file with lines of a configuration",
			"-- put into postgresql.conf:\nmax_wal_size = 4GB\nwork_mem = 8MB\n\nCREATE TABLE q (id int) WITH (\n" +
				"    autovacuum_vacuum_threshold = 10,\n    fillfactor = 70\n);\n" +
				"ALTER INDEX i SET (\n fillfactor = 50,\n",
			Pasted, "max_wal_size=4GB@2 work_mem=8MB@3"},
		{"a table and a fence below it",
			"Tuned so:\n\n| Setting | Before | After |\n|---|---|---|\n| work_mem | 4MB | 16MB |\n" +
				"| max_wal_size | 1GB | 8GB |\n| shared_buffers | 128MB | 2GB |\n\nand besides\n\n```ini\n" +
				"checkpoint_timeout = 15min\nwork_mem = 16MB\nwal_compression = on\njit = off\n```\n", Pasted,
			"max_wal_size=8GB@6 shared_buffers=2GB@7 checkpoint_timeout=15min@12 work_mem=16MB@13 " +
				"wal_compression=on@14 jit=off@15"},
		{"NixOS",
			"services.postgresql = {\n  logLinePrefix = \"%m [%p] \";\n  settings = {\n    port = lib.mkForce 5433;\n" +
				"    work_mem = mkDefault \"8MB\";\n    shared_buffers = \"1GB\";\n  };\n};\n", NixOS,
			"log_line_prefix=%m [%p] @2 port=5433@4 work_mem=8MB@5 shared_buffers=1GB@6"},
		{"SHOW ALL", "          name          | setting |            description\n" +
			"------------------------+---------+-----------------------------------\n" +
			" fsync                  | off     | Forces synchronization of updates to disk.\n" +
			" server_version         | 15.3    | Shows the server version.\n" +
			" work_mem               | 4MB     | Sets the maximum memory to be used.\n(3 rows)\n", ShowAll,
			"fsync=off@3 server_version=15.3@4 work_mem=4MB@5"},
		{"pg_settings as CSV", "name,setting,unit,source\nwork_mem,4096,kB,default\nfsync,off,,configuration file\n",
			PgSettings, "work_mem=4096@2 fsync=off@3"},
		{"Markdown", "| Parameter | Value |\n|---|---|\n| `work_mem` | 64MB |\n| `fsync` | off |\n", PgSettings,
			"work_mem=64MB@3 fsync=off@4"},
		{"expanded", "-[ RECORD 1 ]---\nname    | work_mem\nsetting | 4096\nunit    | kB\n-[ RECORD 2 ]---\n" +
			"name    | fsync\nsetting | off\nunit    | \n", PgSettings, "work_mem=4096@2 fsync=off@6"},
		{"SHOW", " work_mem \n----------\n 4MB\n(1 row)\n\n", PgSettings, "work_mem=4MB@1"},
		{"recovery.conf", "standby_mode = on\nprimary_conninfo = 'host=a'\n", Recovery, ""},
		{"Patroni in the DCS", "ttl: 30\nloop_wait: 10\npostgresql:\n  use_pg_rewind: true\n  parameters:\n" +
			"    max_conections: 200\n    fsync: off\n", Patroni, "max_conections=200@6 fsync=off@7"},
		{"pgbouncer", "[databases]\nx = host=y\n[pgbouncer]\nmax_client_conn = 10\n", PgBouncer, ""},
		{"pgpool", "backend_hostname0 = 'a'\nbackend_port0 = 5432\nnum_init_children = 32\nmax_pool = 4\n", Pgpool, ""},
		{"nothing", "hello\nworld of texts\n", Plain, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := Read(c.text)
			var got []string
			for _, s := range x.Settings {
				got = append(got, fmt.Sprintf("%s=%s@%d", s.Name, s.Value, s.Line))
			}
			if x.Form != c.form || strings.Join(got, " ") != c.want {
				t.Errorf("%s: %s\nwant %s: %s", x.Form, strings.Join(got, " "), c.form, c.want)
			}
		})
	}
}

// TestNamed: what texts say of the server and the machine.
func TestNamed(t *testing.T) {
	for _, c := range [][2]string{
		{"# DB Version: 16\n# Total Memory (RAM): 64 GB\n# CPUs num: 16\n# Data Storage: ssd\nwork_mem = 4MB\n",
			"16 68719476736 16 ssd"},
		{"data_directory = '/var/lib/postgresql/14/main'\n# since PostgreSQL 9.6\n", "14 0 0 "},
		{"image: postgres:15.4-alpine\nversion: \"3.8\"\ncommand: postgres -c fsync=off\n", "15.4 0 0 "},
		{"family = \"aurora-postgresql13\"\n", "13 0 0 "},
		{"see https://www.postgresql.org/docs/9.6/static/\nHello, work_mem = 4MB\nis it right?\n", " 0 0 "},
		{"EngineVersion: '16.3'\nParameters:\n  work_mem: 65536\n  max_connections: 200\n", "16.3 0 0 "},
		{"| Setting | Value |\n|---|---|\n| Version | 13.9 |\n| work_mem | 4MB |\n" +
			"| data_directory | /srv/postgresql/13/x |\n",
			"13.9 0 0 "},
		{"docker run -d --name pg \\\n  --memory=4g --cpus 3 \\\n" +
			"  postgres:17 -c shared_buffers=1GB -c work_mem=8MB\n" +
			"docker run -m 1g redis\n", "17 4294967296 3 "},
		{"# PostgreSQL-Version: 14\n# Memory: 64GB\nwork_mem = 4MB\nfsync = on\nwe use this\n", "14 68719476736 0 "},
		{"+----------------+---------+\n| name | setting |\n+----------------+---------+\n| work_mem | 4096 |\n" +
			"| server_version | 15.6 |\n| fsync | on |\n", "15.6 0 0 "},
		{"16GB RAM or 32GB RAM?\nI have:\nwork_mem = 4MB\nthanks\n", " 0 0 "},
	} {
		text, want := c[0], c[1]
		n := Read(text).Named
		if got := fmt.Sprintf("%s %d %d %s", n.Version, n.RAM, n.CPUs, n.Storage); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestKernelBelow: a file of the kernel below the server's makes no faults of the server's grammar.
func TestKernelBelow(t *testing.T) {
	const conf = "work_mem = 4MB\nfsync = on\nport = 5432\njit = off\nshared_buffers = 1GB\nmax_wal_size = 2GB\n"
	for _, kernel := range []string{"vi /etc/sysctl.conf\nfs.aio-max-nr = 1048576\n", "kernel.sem = 4096 1 2 3\n"} {
		if x := Read(conf + kernel); x.Form != Pasted || len(x.Settings) != 6 {
			t.Errorf("%s: %+v", kernel, x)
		}
	}
}

// TestMeant: why a line is refused that looks right.
func TestMeant(t *testing.T) {
	for text, want := range map[string]string{
		"work_mem = ‘4MB’":      "typographic quotation marks",
		"work_mem\u00a0= 4MB":   "a no-break space",
		"\ufeffwork_mem = 4MB":  "a byte order mark",
		"<<<<<<< HEAD":          "an unfinished merge",
		"work_mem = 4 MB # x":   "",
		"work_mem\u200b = 64MB": "a zero-width space",
	} {
		if _, why := Meant(text); !strings.Contains(why, want) || want == "" && why != "" {
			t.Errorf("%q: %q", text, why)
		}
	}
}

// FuzzRead: any text is read, within its lines.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"work_mem = 4MB\n", "> a = b\n", "services:\n  x:\n    command: postgres -c a=b\n",
		"ALTER SYSTEM SET a = 'b';\n", "{\"parameters\": {\"work_mem\": \"4MB\"}}", "a | b\n--+--\nwork_mem | 4MB\n",
		"- name: work_mem\n  value: 4MB\n", "x = <<EOF\nwork_mem = 4MB\nEOF\n", "gpconfig -c a -v b\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		x := Read(text)
		lines := strings.Count(text, "\n") + 1
		for _, s := range x.Settings {
			if s.Line < 1 || s.Line > lines || s.Name == "" {
				t.Fatalf("%+v of %d lines", s, lines)
			}
		}
		if x.Unread.Lines > lines || x.Unread.First > lines {
			t.Fatalf("%+v of %d lines", x.Unread, lines)
		}
		Meant(text)
	})
}

// BenchmarkRead reads a pasted file of some 4,000 lines.
func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("Some prose that says nothing of it\n> work_mem = 4MB # a remark\nx: y\n", 1400)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Read(text)
	}
}

// TestRules: lines of pg_hba.conf among the settings, and what only looks like one.
func TestRules(t *testing.T) {
	const text = "listen_addresses = '*'\nwork_mem = 4MB\nand pg_hba.conf:\nhost all all 10.0.0.0/8 md5\n" +
		"  - host replication \"rep\" 10.1.0.0 255.255.0.0 trust # for now\n# host all all 0.0.0.0/0 trust\n" +
		"host all the databases of the company on it\nlocal all postgres peer map=m\n"
	var got []string
	for _, r := range Read(text).Rules {
		got = append(got, fmt.Sprintf("%d %s", r.Line, strings.Join(r.Fields, " ")))
	}
	want := "4 host all all 10.0.0.0/8 md5; 5 host replication rep 10.1.0.0 255.255.0.0 trust; 8 local all postgres " +
		"peer map=m"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("%s", s)
	}
}

// TestHugeLimit: a container has a limit of huge pages beside that of its memory.
func TestHugeLimit(t *testing.T) {
	const text = "resources:\n  limits:\n    cpu: 4\n    memory: 16Gi\n    hugepages-2Mi: 4Gi\n\nparameters:\n" +
		"  huge_pages: on\n  shared_buffers: 3GB\n"
	if n := Read(text).Named; n.RAM != 16<<30 || n.Huge != 4<<30 || n.HugePage != 2<<20 {
		t.Errorf("%+v", n)
	}
}
