package pg

import (
	"strings"
	"testing"

	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// TestProduct: what servers of each product say of themselves, as they were seen in public logs and documents.
func TestProduct(t *testing.T) {
	const none = `{"columns":["postgres_pro","tantor","pangolin"],"rows":[["f","f","f"]]}`
	set := func(pairs ...string) (out string) {
		rows := []string{`["server_version_num","170005"]`}
		for i := 0; i < len(pairs); i += 2 {
			rows = append(rows, `["`+pairs[i]+`","`+pairs[i+1]+`"]`)
		}
		return `{"columns":["name","setting"],"rows":[` + strings.Join(rows, ",") + `]}`
	}
	for _, c := range []struct{ name, version, settings, functions, want, sign string }{
		{"the community's", "PostgreSQL 17.5 (Debian 17.5-1.pgdg120+1) on x86_64-pc-linux-gnu", set(), none, "", ""},
		{"a distribution", "PostgreSQL 15.4 - Percona Distribution on x86_64-pc-linux-gnu", set(), none, "", ""},
		{"EDB", "PostgreSQL 16.4 (EnterpriseDB Advanced Server 16.4.1) on x86_64-pc-linux-gnu, compiled by gcc", set(),
			none, "EDB Postgres Advanced Server 16.4.1", "version()"},
		{"Greenplum", "PostgreSQL 9.4.26 (Greenplum Database 6.23.0 build commit:5b5e432f35f9 Open Source) on x86_64",
			set(), none, "Greenplum 6.23.0", "version()"},
		{"WarehousePG", "PostgreSQL 12.12 (Greenplum Database) 19.0.0 build dev", set(), none, "Greenplum 19.0.0",
			"version()"},
		{"Cloudberry", "PostgreSQL 14.4 (Cloudberry Database 1.5.1 build 63) on x86_64", set(), none,
			"Apache Cloudberry 1.5.1", "version()"},
		{"YugabyteDB", "PostgreSQL 11.2-YB-2.15.1.0-b0 on x86_64-pc-linux-gnu", set(), none, "YugabyteDB 2.15.1.0",
			"version()"},
		{"1C's build", "PostgreSQL 18.1-2.1C, compiled by Visual C++ build 1944, 64-bit", set(), none,
			"PostgreSQL by 1C 18.1-2.1C", "version()"},
		{"Postgres Pro by its settings", "PostgreSQL 17.5 on x86_64-pc-linux-gnu, compiled by gcc",
			set("pgpro_version", "PostgresPro 17.5.1 on x86_64-pc-linux-gnu", "pgpro_edition", "enterprise"), none,
			"Postgres Pro enterprise 17.5.1", "pgpro_version"},
		{"the same, redacted", "PostgreSQL 17.5 on x86_64-pc-linux-gnu, compiled by gcc",
			set("pgpro_version", evidence.Redacted, "pgpro_edition", evidence.Redacted), none, "Postgres Pro",
			"pgpro_version"},
		{"Postgres Pro by its function", "PostgreSQL 15.6 on x86_64-pc-linux-gnu", set(),
			`{"columns":["postgres_pro","tantor","pangolin"],"rows":[["t","f","f"]]}`, "Postgres Pro",
			"pgpro_version()"},
		{"Tantor", "PostgreSQL 15.2 on x86_64-pc-linux-gnu", set(),
			`{"columns":["postgres_pro","tantor","pangolin"],"rows":[["f","t","f"]]}`, "Tantor Postgres",
			"tantor_version()"},
		{"Tantor by its settings, in an evidence without its functions", "PostgreSQL 17.5 on x86_64",
			set("enable_delayed_temp_file", "on", "enable_index_path_selectivity", "on"), "", "Tantor Postgres",
			"enable_delayed_temp_file"},
		{"Pangolin", "PostgreSQL 15.5 on x86_64-pc-linux-gnu", set("server_se_version", "06.02.01"), none,
			"Platform V Pangolin 06.02.01", "server_se_version"},
		{"a module of a product in another server", "PostgreSQL 17.5 on x86_64-pc-linux-gnu",
			set("ptrack.map_size", "0", "pgpro_stats.max", "5000", "plantuner.fix_empty_table", "on"), none, "", ""},
		{"a service with PostgreSQL's releases", "PostgreSQL 16.4 on x86_64-pc-linux-gnu",
			set("require_secure_transport", "on"), none, "", ""},
	} {
		a := evidence.New()
		add := func(name, data string) {
			if data == "" {
				return
			}
			if err := a.Add("pg/1/"+name+".json", []byte(data)); err != nil {
				t.Fatal(err)
			}
		}
		add("settings", c.settings)
		add("product", c.functions)
		add("access", `{"columns":["role","compiled"],"rows":[["postgres","`+c.version+`"]]}`)
		s := Read(a, "1")
		if got := s.Product.String(); got != c.want || s.Product.Sign != c.sign {
			t.Errorf("%s: %q by %q", c.name, got, s.Product.Sign)
		}
	}
}
