package prompt

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
)

// Files that a person edits, and what a program shows of a file that was given to it.
var edited = []part.Kind{part.PostgresConf, part.PgHBA, part.SysctlConf, part.Sysctl, part.Unit, part.Tuned, part.Fstab,
	part.PamLimits, part.Grub, part.Inspect, part.Version, part.Container, part.Stated, part.OSRelease}

// logged are what a command says that starts a server or a unit.
var logged = []part.Kind{part.ServerLog, part.Journal, part.KernelLog}

// prints are the programs that print nothing else than some kinds. A program that is not here may print anything:
// a script, cat, ssh, psql.
var prints = map[string][]part.Kind{
	"free": {part.Free}, "uptime": {part.Uptime, part.Top}, "w": {part.Uptime, part.Top}, "dd": {part.Dd},
	"hdparm": {part.Hdparm}, "lscpu": {part.Lscpu, part.CPUInfo}, "lsblk": {part.Lsblk}, "df": {part.Df},
	"du": {part.Du}, "vmstat": {part.Vmstat, part.VmstatSums}, "iostat": {part.Iostat, part.Sar},
	"mpstat": {part.Sar}, "sar": {part.Sar}, "uname": {part.Uname}, "nproc": {part.Answer},
	"numactl": {part.Numactl}, "numastat": {part.Numactl},
	"pg_controldata": {part.PgControldata}, "pg_lsclusters": {part.Clusters}, "patronictl": {part.PatroniList,
		part.PostgresConf, part.Version}, "postgres": {part.Version, part.Show, part.Answer, part.ServerLog},
	"initdb": logged, "pg_ctl": append(slices.Clone(logged), part.PgCtl, part.Version), "pg_ctlcluster": logged,
	"pgbench":       append(slices.Clone(logged), part.Pgbench, part.Explain),
	"pg_basebackup": {}, "pg_dump": {}, "pg_restore": {}, "pg_rewind": {}, "createdb": {}, "createuser": {},
	"systemctl": append(slices.Clone(logged), part.SystemctlStatus, part.Unit), "service": append(
		slices.Clone(logged), part.SystemctlStatus),
	"chown": {}, "chmod": {}, "mkdir": {}, "rm": {}, "mv": {}, "cp": {}, "ln": {}, "touch": {}, "cd": {}, "export": {},
	"kill": {}, "ls": {}, "useradd": {}, "passwd": {}, "su": {}, "exit": {}, "clear": {}, "sleep": {}, HereEnd: {},
	"vi": edited, "vim": edited, "nano": edited, "emacs": edited, "sudoedit": edited, "visudo": edited,
}

// May says whether a command may have printed what was recognized.
func May(command string, kind part.Kind) bool {
	for _, c := range parted(Inner(command)) {
		c = Inner(c)
		if at := strings.IndexByte(c, '|'); at >= 0 && strings.Contains(c[at:], "tee") {
			return true
		}
		first, _, _ := strings.Cut(c, " ")
		kinds, ok := prints[first[strings.LastIndexByte(first, '/')+1:]]
		if first == "echo" && !strings.ContainsAny(c, "$`") {
			ok = true
		}
		if !ok || slices.Contains(kinds, kind) {
			return true
		}
	}
	return command == ""
}

// Prints says whether a command is of a program that prints what was recognized, and little else.
func Prints(command string, kind part.Kind) bool {
	first, _, _ := strings.Cut(Inner(command), " ")
	return slices.Contains(prints[first[strings.LastIndexByte(first, '/')+1:]], kind)
}

// reClient is a program that shows what a server says to it, and SQL.
var reClient = regex.New(`(?i)^(?:psql|pg_basebackup|pg_dump(?:all)?|pg_restore|pgbench|createdb|createuser|dropdb|` +
	`vacuumdb|reindexdb|clusterdb|pg_receivewal|pg_rewind|select|show|explain|with|create|alter|drop|insert|update|` +
	`delete|vacuum|analyze|reindex|cluster|copy|set|reset|begin|commit|do|call|grant|revoke|truncate|\\\w+)\b`)

// Asks says whether what follows a command is what a server says to its client.
func Asks(command string) bool { return reClient.MatchString(Inner(command)) }
