package conftext

import (
	"fmt"
	"strings"
	"testing"
)

// listOf are the settings of a text with their lines.
func listOf(t Text) string {
	var list []string
	for _, s := range t.Settings {
		list = append(list, fmt.Sprintf("%s=%s@%d", s.Name, s.Value, s.Line))
	}
	return strings.Join(list, " ")
}

// TestMachines holds what a text says of the server and the machine beside its settings: in sentences, by the type of
// an instance of a cloud, by limits of a container.
func TestMachines(t *testing.T) {
	const fence = "\n\n```\nshared_buffers = 1GB\nwork_mem = 4MB\n```\n"
	for text, want := range map[string]string{
		"The server has 32 GB of RAM and 8 CPUs, PostgreSQL 16.2:" + fence:                             "16.2 32GB 8",
		"We run PostgreSQL 14 on a machine with 64GB RAM." + fence:                                     "14 64GB 0",
		"Сервер с 16 ГБ оперативной памяти, PostgreSQL 15" + fence:                                     "15 16GB 0",
		"a comparison: 16 GB RAM against 64 GB RAM" + fence:                                            " 0GB 0",
		"Type: db.r6g.large\ninstance_class = \"db.r6g.large\"" + fence:                                " 16GB 2",
		"Parameters:\n  max_connections: 500\n  work_mem: 8MB\nDBInstanceClass: db.m5.xlarge\n":        " 16GB 4",
		"services:\n  db:\n    image: postgres:17.1\n    command: postgres -c work_mem=8MB\n":          "17.1 0GB 0",
		"# DB Version: 16\n# OS Type: linux\n# Total Memory (RAM): 24 GB\n# CPUs num: 6\nfsync = on\n": "16 24GB 6",
	} {
		n := Read(text).Named
		if got := fmt.Sprintf("%s %dGB %d", n.Version, n.RAM>>30, n.CPUs); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}

// TestManaged holds which services are known by the words of their own, and that prose about them is none.
func TestManaged(t *testing.T) {
	for text, want := range map[string]string{
		"Engine: postgres\nDBInstanceClass: db.t3.small\nParameters:\n  work_mem: 8MB\n" +
			"  max_connections: 90\n": "Amazon RDS",
		"resource \"google_sql_database_instance\" \"x\" {\n  settings {\n    database_flags {\n" +
			"      name  = \"work_mem\"\n      value = \"8192\"\n    }\n  }\n}\n": "Cloud SQL",
		"resource \"azurerm_postgresql_flexible_server_configuration\" \"x\" {\n  name  = \"work_mem\"\n" +
			"  value = \"8192\"\n}\n": "Azure Database for PostgreSQL",
		"It was slower on Amazon RDS, so we moved:\n\nwork_mem = 8MB\nfsync = on\n": "",
		"work_mem = 8MB\n": "",
	} {
		if got := Read(text).Named.Managed; got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// TestPoolersAndVariables holds that the map of a pooler is none of the server, and what the variables of Patroni's
// image stand for.
func TestPoolersAndVariables(t *testing.T) {
	for text, want := range map[string]string{
		"pgbouncer:\n  log_connections: 0\n  max_client_conn: 900\n  default_pool_size: 30\npostgresql:\n" +
			"  max_connections: 150\n  shared_buffers: 3GB\n": "max_connections=150@6 shared_buffers=3GB@7",
		"PATRONI_POSTGRESQL_PARAMETERS_WORK_MEM: 12MB\nPATRONI_POSTGRESQL_PARAMETERS_MAX_CONNECTIONS: ${N:-120}\n" +
			"PATRONI_SUPERUSER_USERNAME: postgres\n": "work_mem=12MB@1 max_connections=120@2",
		"Config: `work_mem: 12MB`, `shared_buffers = 2GB`\n": "work_mem=12MB@1 shared_buffers=2GB@1",
		"Raise `work_mem = 64MB` where sorts spill.\n":       "",
	} {
		if got := listOf(Read(text)); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}

// TestSizesInRows holds that the rows of a table with parameters at the heads of its columns are servers of their own.
func TestSizesInRows(t *testing.T) {
	got := Read("| Size | shared_buffers | work_mem |\n|---|---|---|\n| small | 1GB | 8MB |\n" +
		"| **large** | 4GB | 32MB |\n")
	if listOf(got) != "shared_buffers=1GB@3 work_mem=8MB@3 shared_buffers=4GB@4 work_mem=32MB@4" ||
		got.Settings[0].Server != "small" || got.Settings[3].Server != "large" {
		t.Errorf("%+v", got.Settings)
	}
}

// TestQuotedStatements holds that statements between quotes, as the cells of a CSV are, stay statements.
func TestQuotedStatements(t *testing.T) {
	text := Read("\"ALTER SYSTEM SET max_connections = '180';\"\n\"ALTER SYSTEM SET work_mem = '32MB';\"\n")
	if text.Form == Program || len(text.Settings) != 2 {
		t.Errorf("%s: %+v", text.Form, text.Settings)
	}
}

// TestMachineOverLines holds what lines of their own tell beside the memory, and disks that a remark tells.
func TestMachineOverLines(t *testing.T) {
	const set = "\nshared_buffers = 2GB\nwork_mem = 8MB\n"
	for text, want := range map[string]string{
		"Primary:\n  vCPU: 6\n  RAM: 24GB\n  Storage: 2TB SSD (gp3)\n" + set: "24GB 6 ssd",
		"- Cores: 6\n- RAM: 24 GB\n- Disks: HDD\n" + set:                     "24GB 6 hdd",
		"vCPU: 6\nRAM: 24GB\nvCPU: 12\n" + set:                               "24GB 0 ",
		"The server:" + set + "random_page_cost = 1.1  # SSD\n":              "0GB 0 ssd",
		"The server:" + set + "random_page_cost = 1.1  # SSD, 4 for HDD\n":   "0GB 0 ",
		"The server:" + set + "effective_io_concurrency = 200  # if SSD\n":   "0GB 0 ",
	} {
		n := Read(text).Named
		if got := fmt.Sprintf("%dGB %d %s", n.RAM>>30, n.CPUs, n.Storage); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}

// TestArgumentsAndEchoes holds the first argument of a call, and what a batch file writes.
func TestArgumentsAndEchoes(t *testing.T) {
	for text, want := range map[string]string{
		"  this.withCommand(\"--max_connections=700\", " +
			"\"--shared_buffers=96MB\");\n": "max_connections=700@1 shared_buffers=96MB@1",
		"(\n  echo # mine\n  echo port = 5433\n  echo work_mem = 3MB\n  echo wal_buffers = 8MB\n) > " +
			"postgresql.conf\n": "port=5433@3 work_mem=3MB@4 wal_buffers=8MB@5",
	} {
		if got := listOf(Read(text)); got != want {
			t.Errorf("%q: %s, not %s", text, got, want)
		}
	}
}
