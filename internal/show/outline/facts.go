package outline

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// factsShown is how many facts one cause names. The rest is counted: --format json has all of them.
const factsShown = 3

// checksShown is how many checks one cause names.
const checksShown = 6

// answers are what a server was asked for, by the name of the document that holds the answer (pg/KEY/NAME.json).
var answers = map[string]say.Template{
	"access":           "rights of the role",
	"activity":         "sessions (pg_stat_activity)",
	"archiver":         "WAL archiving (pg_stat_archiver)",
	"buffercache":      "contents of shared buffers (pg_buffercache)",
	"checkpoints":      "checkpoint statistics",
	"control":          "control file (pg_control)",
	"databases":        "databases (pg_stat_database)",
	"decoding":         "logical decoding (pg_stat_replication_slots)",
	"deep_catalogs":    "system catalog sizes",
	"deep_databases":   "database sizes",
	"deep_duplicates":  "duplicate indexes",
	"deep_indexes":     "invalid indexes",
	"deep_onec":        "tables and types of 1C:Enterprise",
	"deep_sequences":   "sequences",
	"deep_tables":      "tables",
	"deep_tablespaces": "tablespace sizes",
	"deep_unanalyzed":  "tables without statistics",
	"deep_unused":      "unused indexes",
	"deep_upgrade":     "what pg_upgrade refuses in databases",
	"extensions":       "extensions",
	"file_settings":    "configuration files (pg_file_settings)",
	"hba":              "pg_hba.conf",
	"io":               "I/O statistics (pg_stat_io)",
	"libraries":        "loaded libraries",
	"onec":             "signs of 1C:Enterprise",
	"passwords":        "password types",
	"pg_controldata":   "settings of the primary (pg_controldata)",
	"prepared":         "prepared transactions",
	"product":          "functions of products made from PostgreSQL",
	"replicas":         "standbys (pg_stat_replication)",
	"role_settings":    "settings of roles and databases",
	"segment":          "shared memory segment",
	"sessions":         "sessions (pg_stat_activity)",
	"settings":         "settings",
	"shared":           "checksum failures in shared catalogs",
	"shmem":            "shared memory allocations",
	"slots":            "replication slots",
	"spills":           "temporary files by statement (pg_stat_statements)",
	"tablespaces":      "tablespaces",
	"upgrade":          "what an upgrade meets in the shared catalogs",
	"wal":              "WAL statistics (pg_stat_wal)",
	"waldir":           "WAL directory size",
}

// outputs are what the output of a program is read for, by its name in an evidence.
var outputs = map[string]say.Template{
	"cmd/dmsetup-status":         "state of mapped devices (dmsetup status)",
	"cmd/dmsetup-table-snapshot": "snapshots of mapped devices (dmsetup table)",
	"cmd/kernel-oom":             "OOM reports of the kernel log",
	"cmd/lsattr":                 "attributes of files (lsattr)",
	"cmd/smartctl-scterc":        "error recovery of disks (smartctl)",
	"cmd/tune2fs":                "filesystem features (tune2fs)",
	"cmd/zfs-get":                "properties of ZFS datasets (zfs get)",
	"cmd/apt-cache-policy":       "versions of the server's package (apt-cache policy)",
	"cmd/dnf-list":               "versions of the server's package (dnf list)",
}

var answerName = regex.New(`^pg/[^/]+/([a-z_]+)(?:\.json)?$`)

// fileTrees are the roots below which the name of a fact is a path.
var fileTrees = []string{"proc/", "sys/", "etc/", "run/", "var/", "usr/", "boot/", "dev/"}

// Fact is what a fact is called to a person: the path of a file, or what the server was asked for.
func (p Words) Fact(name string) string {
	if m := answerName.FindStringSubmatch(name); m != nil {
		if t, ok := answers[m[1]]; ok {
			return p.Word(say.M(t))
		}
	}
	if t, ok := outputs[name]; ok {
		return p.Word(say.M(t))
	}
	if unit, ok := strings.CutPrefix(name, "cmd/systemctl-show-"); ok {
		return p.Say("unit {unit} (systemctl show)", "unit", typeset.Clean(unit))
	}
	if slices.ContainsFunc(fileTrees, func(tree string) bool { return strings.HasPrefix(name, tree) }) {
		return "/" + typeset.Clean(name)
	}
	switch name {
	case "host.json":
		return p.Say("facts of the host")
	case "programs.json":
		return p.Say("programs on the host")
	}
	return gapwords.In(p.catalog, typeset.Clean(name))
}

// Facts names facts, each name once, and counts those beyond the first few.
func (p Words) Facts(names []string) []string {
	var out []string
	for _, n := range names {
		if w := p.Fact(n); !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if more := len(out) - factsShown; more > 1 { // one more is as short as its count
		out = append(out[:factsShown:factsShown], p.Many(more, "{n} more fact", "{n} more facts"))
	}
	return out
}
