package params

import (
	"strings"
	"sync"
)

// Products made from PostgreSQL that are recognized in more than one way.
const (
	EDB         = "EDB Postgres Advanced Server"
	Greenplum   = "Greenplum"
	Pangolin    = "Platform V Pangolin"
	PostgresPro = "Postgres Pro"
	Tantor      = "Tantor Postgres"
	Yugabyte    = "YugabyteDB"

	aurora    = "Amazon Aurora or RDS"
	cloudSQL  = "Google Cloud SQL or AlloyDB"
	azure     = "Azure Database for PostgreSQL"
	neon      = "Neon"
	babelfish = "Babelfish"
)

// services run PostgreSQL with its own release numbers; all other forks have releases of their own.
var services = map[string]bool{aurora: true, cloudSQL: true, azure: true, neon: true, babelfish: true}

// OwnReleases reports whether a product that ForkOf names has releases of its own: dates and numbers of PostgreSQL's
// say nothing about it.
func OwnReleases(product string) bool { return product != "" && !services[product] }

// forks are the parameters of products that were made from PostgreSQL, by what their
// names begin with, and services whose parameters have a prefix with a dot. From the
// documents of each; a name is looked up here only where no version of PostgreSQL has it.
var forks = []struct{ product, prefixes, names string }{
	{Greenplum, "gp_ optimizer_ resource_cleanup_ runaway_detector_ vmem_process_ memory_spill_ gpfdist_ " +
		"stats_queue_ writable_external_table_", "optimizer statement_mem max_statement_mem max_resource_queues " +
		"max_resource_portals_per_transaction resource_scheduler resource_select_only max_appendonly_tables " +
		"explain_memory_verbosity check_gp_vmem verify_gpfdists_cert xid_stop_limit xid_warn_limit " +
		"password_hash_algorithm"},
	{EDB, "edb_ dbms_", "db_dialect qreplace_function " +
		"oracle_home odbc_lib_path timed_statistics default_with_rowids optimizer_mode enable_hints " +
		"nls_length_semantics " +
		"trace_hints chained_tx custom_cast_stmt datdialect utl_encode.uudecode_redwood utl_file.umask"},
	{aurora, "apg_ aurora_ rds.", ""},
	{cloudSQL, "cloudsql. alloydb. google_columnar_engine. google_", ""},
	{azure, "azure. pgms_ logfiles. metrics. intelligent_tuning connection_throttle.",
		"intelligent_tuning azure_storage.allow_network_access require_secure_transport"},
	{Yugabyte, "yb_ ysql_", ""},
	{neon, "neon. neon_", ""},
	{babelfish, "babelfishpg_tsql. babelfishpg_tds.", ""},
	{PostgresPro, "online_analyze. plantuner. pgpro_ ptrack. compress_ cfs_ mtm. multimaster.",
		"enable_temp_memory_catalog skip_temp_rel_lock joinsel_compound enable_compound_index_stats " +
			"session_cpu_weight session_ioread_weight session_iowrite_weight usage_tracking_interval " +
			"plan_cache_lru_memsize plan_cache_lru_size max_autonomous_transactions idle_pool_backend_timeout " +
			"connection_pool_workers session_schedule session_pool_size dedicated_users dedicated_databases"},
	{Tantor, "", "enable_delayed_temp_file default_statistics_target_temp_tables " +
		"enable_filter_predicates_reordering enable_index_path_selectivity"},
	{Pangolin, "server_se_", ""},
	{"openGauss", "pgxc_ enable_thread_pool thread_pool_ cstore_ gs_", "max_process_memory replication_type " +
		"enable_incremental_checkpoint bulk_write_ring_size enable_double_write"},
	{"PolarDB", "polar_", ""},
	{"Kingbase", "ora_ kdb_ kingbase_", ""},
}

// forkNames and forkPrefixes are the table taken apart, once.
var (
	forkNames = sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, f := range forks {
			for _, n := range strings.Fields(f.names) {
				m[n] = f.product
			}
		}
		return m
	})
	forkPrefixes = sync.OnceValue(func() [][2]string {
		var out [][2]string
		for _, f := range forks {
			for _, p := range strings.Fields(f.prefixes) {
				out = append(out, [2]string{p, f.product})
			}
		}
		return out
	})
)

// ForkOf returns the product made from PostgreSQL that has a parameter of this name;
// ok is false for a name that some version of PostgreSQL has, and for one of nobody's.
func ForkOf(name string) (product string, ok bool) {
	low := strings.ToLower(name)
	if Known(low) {
		return "", false
	}
	if p, ok := forkNames()[low]; ok {
		return p, true
	}
	for _, p := range forkPrefixes() {
		if strings.HasPrefix(low, p[0]) && len(low) > len(p[0]) {
			return p[1], true
		}
	}
	return "", false
}

// everyName holds the names of all versions, and of the modules that come with them.
var everyName = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for n := range index() {
		m[n] = true
	}
	for i := range gone {
		m[gone[i].Name] = true
	}
	for _, p := range unseen {
		m[p.Name] = true
	}
	for prefix := range modules {
		for _, n := range OfModule(prefix) {
			m[n] = true
		}
	}
	return m
})

// Known says whether some version of PostgreSQL has or had a parameter of this name,
// or one of the modules that come with it.
func Known(name string) bool { return everyName()[strings.ToLower(name)] }
