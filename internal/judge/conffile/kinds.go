package conffile

import (
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// refuses is why most kinds are critical. Syntax errors and unknown names make a reload
// ineffective as a whole.
const refuses = "The server does not start with such a line, and a running server ignores the whole " +
	"configuration at a reload. The error often stays unnoticed until the next restart, which then ends " +
	"with the server down."

// rejects is why values are critical: a reload skips only them.
const rejects = "The server does not start with such a line. A running server keeps its old value at a " +
	"reload and applies the other changes. The error often stays unnoticed until the next restart, which " +
	"then ends with the server down."

// Syntax is a line that cannot be parsed.
var Syntax = check.Check{
	ID: "conf_syntax", Area: check.Config, Severity: check.Critical, Title: "Syntax error", Why: refuses,
	Do: "Write name = value. Put a value with anything but letters, digits and _-./: into single quotes, and " +
		"double the quotes inside.",
	Sources: []string{"pg-config"},
}

// Include is a file that should be read and cannot be.
var Include = check.Check{
	ID: "conf_include", Area: check.Config, Severity: check.Critical, Title: "Included file cannot be read",
	Why: refuses,
	Do: "Correct the path, which is relative to the file that names it. If the file is optional, use " +
		"include_if_exists.",
	Sources: []string{"pg-config"},
}

// Removed is a parameter that was removed without a replacement.
var Removed = check.Check{
	ID: "conf_removed", Area: check.Version, Severity: check.Critical, Title: "Parameter removed in this version",
	Why:     refuses,
	Do:      "Remove the line before you start the server with this version.",
	Sources: []string{"pg-release-notes", "pg-config"},
}

// Renamed is a parameter that has another name now.
var Renamed = check.Check{
	ID: "conf_renamed", Area: check.Version, Severity: check.Critical, Title: "Parameter renamed",
	Why: "The server does not start with the old name, unless the finding says that it is still accepted. A " +
		"running server ignores the whole configuration at a reload. The value may have another meaning or " +
		"unit under the new name.",
	Do:      "Replace the line.",
	Sources: []string{"pg-release-notes", "pg-config"},
}

// NotYet is a parameter of a later version.
var NotYet = check.Check{
	ID: "conf_not_yet", Area: check.Version, Severity: check.Critical, Title: "Parameter of a later major version",
	Why:     refuses,
	Do:      "Remove the line for this version, or name the version that the file is for with --pg.",
	Sources: []string{"pg-release-notes", "pg-config"},
}

// Unknown is a name that no known version has.
var Unknown = check.Check{
	ID: "conf_unknown", Area: check.Config, Severity: check.Critical, Title: "Unknown parameter",
	Why:     refuses,
	Do:      "Correct the name or remove the line. Parameters of modules start with the module's name and a dot.",
	Sources: []string{"pg-config"},
}

// Fork is a parameter of a product that was made from PostgreSQL.
var Fork = check.Check{
	ID: "conf_fork", Area: check.Config, Severity: check.Warning,
	Title: "Parameter of a PostgreSQL fork",
	Why: "Greenplum, EDB Postgres Advanced Server, Amazon Aurora and others have their own parameters. A " +
		"PostgreSQL server does not start with them.",
	Do: "Keep the line if the file is for that product. Remove it before you use the file for a PostgreSQL " +
		"server.",
	Sources: []string{"pg-config"},
}

// Fixed is a parameter that no file can set.
var Fixed = check.Check{
	ID: "conf_fixed", Area: check.Config, Severity: check.Critical, Title: "Parameter cannot be set in a file",
	Why: rejects,
	Do: "Remove the line. The value was fixed when the server was built or the cluster was created, or it is " +
		"set on the command line.",
	Sources: []string{"pg-config"},
}

// WrongValue is a value of another type.
var WrongValue = check.Check{
	ID: "conf_wrong_value", Area: check.Config, Severity: check.Critical,
	Title: "Invalid value", Why: rejects,
	Do:      "Write one of the values that the finding names, or a number if the parameter is numeric.",
	Sources: []string{"pg-config"},
}

// WrongUnit is a number with an invalid unit.
var WrongUnit = check.Check{
	ID: "conf_wrong_unit", Area: check.Config, Severity: check.Critical, Title: "Invalid unit",
	Why: rejects,
	Do: "Write one of the units that the finding names. Units are case-sensitive: kB has a lower-case k, and " +
		"MB is not ms.",
	Sources: []string{"pg-config"},
}

// OutOfRange is a number out of range.
var OutOfRange = check.Check{
	ID: "conf_out_of_range", Area: check.Config, Severity: check.Critical, Title: "Value out of range",
	Why: rejects,
	Do: "Write a value within the range. A number without a unit counts in the parameter's own unit, which may " +
		"be 8kB pages or milliseconds.",
	Sources: []string{"pg-config"},
}

// BuildDecides is a value that only some builds accept.
var BuildDecides = check.Check{
	ID: "conf_build", Area: check.Config, Severity: check.Notice,
	Title: "Value depends on build options",
	Why: "Packages of distributions are usually built with the option; self-built and minimal servers often are " +
		"not. A server that is built without it does not start with such a line.",
	Do: "Test it with the binary that will run: postgres -D DIR -C NAME, or on a running server: SELECT " +
		"enumvals FROM pg_settings WHERE name = 'NAME';",
	Sources: []string{"pg-config"},
}

// UnitSlip is a number that lacks its unit.
var UnitSlip = check.Check{
	ID: "conf_unit_missing", Area: check.Config, Severity: check.Warning,
	Title: "Missing unit: the value is unusually small",
	Why: "A number without a unit counts in the parameter's own unit: kB for work_mem, 8kB pages for " +
		"shared_buffers, milliseconds for most timeouts. The server accepts work_mem = 64 as 64kB and " +
		"statement_timeout = 30 as 30ms, without a message in the log.",
	Do: "Write the unit: kB, MB, GB or TB; us, ms, s, min, h or d. If the small value is intended, write it " +
		"with its unit, too.",
	Sources: []string{"pg-config"},
}

// Module is a parameter that a known module does not have.
var Module = check.Check{
	ID: "conf_module", Area: check.Config, Severity: check.Warning, Title: "Unknown extension parameter",
	Why: "The server accepts any name with a dot, because a module may define it later. A name that the module " +
		"does not define has no effect. In 15 and later, the log contains a warning; in 14 and earlier, there " +
		"is no message.",
	Do:      "Correct the name or remove the line.",
	Sources: []string{"pg-config"},
}

// Duplicate is a line that a later one of the same file overrides.
var Duplicate = check.Check{
	ID: "conf_duplicate", Area: check.Config, Severity: check.Notice, Title: "Parameter set twice in one file",
	Why: "Only the last line takes effect. Edits to the other line do nothing.",
	Do:  "Remove the line that has no effect.", Sources: []string{"pg-config"},
}

// Overridden is a line that another file overrides.
var Overridden = check.Check{
	ID: "conf_overridden", Area: check.Config, Severity: check.Notice,
	Title: "Setting overridden by a later file",
	Why: "Files are read in the order of inclusion, postgresql.auto.conf last, and the last line takes effect. " +
		"Edits to this line do nothing.",
	Do: "Keep the parameter in one place: remove this line, or the later one. For postgresql.auto.conf, run " +
		"ALTER SYSTEM RESET NAME;", Sources: []string{"pg-config"},
}

// Conflict are settings that the server does not accept together.
var Conflict = check.Check{
	ID: "conf_conflict", Area: check.Config, Severity: check.Critical, Title: "Conflicting settings",
	Why: "Each value alone is valid, so a reload and ALTER SYSTEM usually report no error. The server rejects " +
		"the combination only when it starts, or the process that needs it fails.",
	Do: "Change one of the settings that the finding names.", Sources: []string{"pg-config", "pg-config-wal",
		"pg-config-connection"},
}

// Risky are developer and recovery options that no check of a live server covers.
var Risky = check.Check{
	ID: "conf_risky", Area: check.Durability, Severity: check.Warning,
	Title: "Developer or recovery option enabled",
	Why: "The option is meant for one session, for recovery from damage, or for the development of the server. " +
		"For the whole server, it slows every query down, hides damage, or allows damage.",
	Do:      "Remove the line. Set the parameter only in the session that needs it.",
	Sources: []string{"pg-config-developer", "pg-config-query"},
}

// NeedsRestart are settings that a reload does not change, where the text speaks of no restart.
var NeedsRestart = check.Check{
	ID: "conf_restart", Area: check.Config, Severity: check.Notice,
	Title: "Restart needed, only a reload is named",
	Why: "The server reads these parameters when it starts. After a reload it keeps the old values, and " +
		"pending_restart in pg_settings is true.",
	Do:      "Restart the server after ALTER SYSTEM. A reload is enough for the other settings.",
	Sources: []string{"pg-config"},
}

// Kinds are all judgements of this package, for the pages about them. Dangerous
// values carry the id and the words of the check that finds them on a server.
func Kinds() []check.Check {
	return []check.Check{BuildDecides, Conflict, Duplicate, Fixed, Fork, Include, Module, NeedsRestart,
		NotYet, OutOfRange, Overridden, Removed, Renamed, Risky, Syntax, UnitSlip, Unknown, WrongUnit, WrongValue}
}

var kindOf = map[params.Fault]*check.Check{
	params.NotNumber: &WrongValue, params.NotBool: &WrongValue, params.NotWord: &WrongValue,
	params.WrongUnit:  &WrongUnit,
	params.OutOfRange: &OutOfRange, params.Forbidden: &OutOfRange, params.BuildDecides: &BuildDecides,
}
