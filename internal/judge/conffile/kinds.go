package conffile

import (
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// refuses is why most kinds are critical: it is not the reload that tells.
const refuses = "With such a line the server does not start, and a running server takes nothing of the whole " +
	"configuration at a reload. " +
	"Nobody notices until the next restart, which then ends with the server down."

// Syntax is a line that is none.
var Syntax = check.Check{
	ID: "conf_syntax", Area: check.Config, Severity: check.Critical, Title: "A line cannot be read", Why: refuses,
	Do: "Write name = value; a value with anything but letters, digits and _-./: stands in single quotes, with " +
		"quotes inside doubled.",
	Sources: []string{"pg-config"},
}

// Include is a file that should be read and cannot be.
var Include = check.Check{
	ID: "conf_include", Area: check.Config, Severity: check.Critical, Title: "An included file cannot be read",
	Why: refuses,
	Do: "Correct the path, which is relative to the file that names it; write include_if_exists where the file " +
		"may be missing.",
	Sources: []string{"pg-config"},
}

// Removed is a parameter that ended, with nothing in its place.
var Removed = check.Check{
	ID: "conf_removed", Area: check.Version, Severity: check.Critical, Title: "A parameter does not exist any more",
	Why:     refuses,
	Do:      "Remove the line before the server is started with this version.",
	Sources: []string{"pg-release-notes", "pg-config"},
}

// Renamed is a parameter that goes by another name.
var Renamed = check.Check{
	ID: "conf_renamed", Area: check.Version, Severity: check.Critical, Title: "A parameter has another name now",
	Why: "The old name is refused, unless the finding says that it is still taken: the server does not start with " +
		"it, and a running server takes nothing of the " +
		"whole configuration at a reload. The value may have another meaning or unit under the new name.",
	Do:      "Replace the line.",
	Sources: []string{"pg-release-notes", "pg-config"},
}

// NotYet is a parameter of a later version.
var NotYet = check.Check{
	ID: "conf_not_yet", Area: check.Version, Severity: check.Critical, Title: "A parameter belongs to a later version",
	Why:     refuses,
	Do:      "Remove the line for this version, or name the version that the file is for with --pg.",
	Sources: []string{"pg-release-notes", "pg-config"},
}

// Unknown is a name that no known version has.
var Unknown = check.Check{
	ID: "conf_unknown", Area: check.Config, Severity: check.Critical, Title: "No version has such a parameter",
	Why: refuses,
	Do: "Correct the name or remove the line. Parameters of modules have the module's name and a dot before " +
		"theirs.",
	Sources: []string{"pg-config"},
}

// Fork is a parameter of a product that was made from PostgreSQL.
var Fork = check.Check{
	ID: "conf_fork", Area: check.Config, Severity: check.Warning,
	Title: "A parameter belongs to a product made from PostgreSQL",
	Why: "Greenplum, EDB Postgres Advanced Server, Amazon Aurora and others have parameters of their own. A server " +
		"of PostgreSQL refuses to start with them.",
	Do: "Keep the line if the file is for that product. Remove it before the file is used for a server of " +
		"PostgreSQL.",
	Sources: []string{"pg-config"},
}

// Fixed is a parameter that only shows something.
var Fixed = check.Check{
	ID: "conf_fixed", Area: check.Config, Severity: check.Critical, Title: "A parameter cannot be set in a file",
	Why: refuses,
	Do: "Remove the line. What it names was decided when the server was built or the cluster made, or is given " +
		"on the command line.",
	Sources: []string{"pg-config"},
}

// WrongValue is a value of another type.
var WrongValue = check.Check{
	ID: "conf_wrong_value", Area: check.Config, Severity: check.Critical,
	Title: "A value is none that the parameter takes", Why: refuses,
	Do:      "Write one of the words that the finding names, or a number where one is wanted.",
	Sources: []string{"pg-config"},
}

// WrongUnit is a number with a unit that does not fit.
var WrongUnit = check.Check{
	ID: "conf_wrong_unit", Area: check.Config, Severity: check.Critical, Title: "A value has a wrong unit",
	Why: refuses,
	Do: "Write one of the units that the finding names, in exactly this case: kB with a small k, MB and ms are " +
		"different things.",
	Sources: []string{"pg-config"},
}

// OutOfRange is a number out of bounds.
var OutOfRange = check.Check{
	ID: "conf_out_of_range", Area: check.Config, Severity: check.Critical, Title: "A value is out of bounds",
	Why: refuses,
	Do: "Write a value within the bounds. Without a unit a number counts in the parameter's own unit, which " +
		"may be 8kB pages or milliseconds.",
	Sources: []string{"pg-config"},
}

// BuildDecides is a word that only some builds take.
var BuildDecides = check.Check{
	ID: "conf_build", Area: check.Config, Severity: check.Notice,
	Title: "Whether a value is taken depends on the build",
	Why: "Packages of distributions as a rule are built with it, self-made and minimal builds are often not. A " +
		"server that is built without it does not start with such a line.",
	Do: "Try it with the binary that will run: postgres -D DIR -C name, or SELECT enumvals FROM pg_settings on " +
		"a running server.",
	Sources: []string{"pg-config"},
}

// UnitSlip is a number that lacks its unit.
var UnitSlip = check.Check{
	ID: "conf_unit_missing", Area: check.Config, Severity: check.Warning,
	Title: "A value without a unit is far too small: kB, 8kB pages, MB or ms are assumed",
	Why: "A number without a unit counts in the parameter's own unit: kB for work_mem, 8kB pages for " +
		"shared_buffers, milliseconds for most timeouts. The server takes " +
		"work_mem = 64 as 64kB and statement_timeout = 30 as 30 ms, without a word in the log.",
	Do: "Write the unit: kB, MB, GB or TB; us, ms, s, min, h or d. Where the small value is meant, write it " +
		"with its unit too.",
	Sources: []string{"pg-config"},
}

// Module is a parameter that a known module does not have.
var Module = check.Check{
	ID: "conf_module", Area: check.Config, Severity: check.Warning, Title: "A module has no such parameter",
	Why: "The server takes any name with a dot in it and waits for the module to claim it. What the module does not " +
		"know stays without effect; since 15 a warning " +
		"in the log tells of it, before that nothing does.",
	Do:      "Correct the name or remove the line.",
	Sources: []string{"pg-config"},
}

// Duplicate is a line that a later one of the same file takes the effect from.
var Duplicate = check.Check{
	ID: "conf_duplicate", Area: check.Config, Severity: check.Notice, Title: "A parameter is set twice in a file",
	Why: "Only the last line counts. Who corrects the other one wonders why nothing happens.",
	Do:  "Remove the line that does not count.", Sources: []string{"pg-config"},
}

// Overridden is a line that another file takes the effect from.
var Overridden = check.Check{
	ID: "conf_overridden", Area: check.Config, Severity: check.Notice,
	Title: "A line has no effect, as another file sets the parameter later",
	Why: "Files are read in the order in which they are included, postgresql.auto.conf last, and the last line " +
		"counts. Who edits this one wonders why nothing happens.",
	Do: "Keep the parameter in one place: remove this line, or the later one (ALTER SYSTEM RESET name for " +
		"postgresql.auto.conf).", Sources: []string{"pg-config"},
}

// Conflict are settings that the server refuses together.
var Conflict = check.Check{
	ID: "conf_conflict", Area: check.Config, Severity: check.Critical, Title: "Settings do not go together",
	Why: "Each value alone is within its bounds, so neither a reload nor ALTER SYSTEM complains. The server refuses " +
		"the combination only when it starts, or the " +
		"process that needs it when it begins to work.",
	Do: "Change one of the settings that the finding names.", Sources: []string{"pg-config", "pg-config-wal",
		"pg-config-connection"},
}

// Risky are developer and recovery switches that no check of a live server carries.
var Risky = check.Check{
	ID: "conf_risky", Area: check.Durability, Severity: check.Warning,
	Title: "A switch is set that is not for a server at work",
	Why: "It is meant for one session, for a rescue or for the development of the server. For the whole server it " +
		"slows every query down, hides damage, or lets one through.",
	Do:      "Remove the line; set the parameter in the one session that needs it.",
	Sources: []string{"pg-config-developer", "pg-config-query"},
}

// Kinds are all judgements of this package, for the pages about them. Dangerous
// values carry the id and the words of the check that finds them on a server.
func Kinds() []check.Check {
	return []check.Check{BuildDecides, Conflict, Duplicate, Fixed, Fork, Include, Module, NotYet, OutOfRange,
		Overridden,
		Removed, Renamed, Risky, Syntax, UnitSlip, Unknown, WrongUnit, WrongValue}
}

var kindOf = map[params.Fault]*check.Check{
	params.NotNumber: &WrongValue, params.NotBool: &WrongValue, params.NotWord: &WrongValue,
	params.WrongUnit:  &WrongUnit,
	params.OutOfRange: &OutOfRange, params.Forbidden: &OutOfRange, params.BuildDecides: &BuildDecides,
}
