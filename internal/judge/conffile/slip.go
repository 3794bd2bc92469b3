package conffile

import (
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// slip is the bound of a parameter below which a number without a unit is most
// probably an error.
type slip struct {
	below float64 // in the base unit; more is taken as it is
	meant string  // the unit that people have in mind
}

// slips: a value below the bound is hardly intended without its unit; each group says
// why. Zero and negative numbers have special meanings and are ignored.
var slips = map[string]slip{
	// kB. The bounds are a quarter of the defaults of 4MB and 64MB; 100MB is
	// what one sort of a large table spills, so that less as a limit stops ordinary queries.
	"work_mem": {1024, "MB"}, "maintenance_work_mem": {16 * 1024, "MB"}, "autovacuum_work_mem": {16 * 1024, "MB"},
	// a tenth of the default
	"logical_decoding_work_mem": {1024, "MB"}, "temp_file_limit": {100 * 1024, "MB"}, "log_rotation_size": {1024, "MB"},
	// Pages of 8kB: 16384 of them are 128MB, the default of shared_buffers, which is not
	// usually written as a number of pages, but often as megabytes. 128 pages are 1MB.
	"shared_buffers": {16384 + 1, "MB"}, "effective_cache_size": {16384 + 1, "GB"}, "temp_buffers": {128, "MB"},
	"wal_buffers": {128, "MB"},
	// MB: below eight segments of 16MB, and the two that a server needs at least.
	"max_wal_size": {128, "GB"}, "min_wal_size": {32, "GB"}, "max_slot_wal_keep_size": {128, "GB"},
	// ms. A session that may be idle for less than a second, or a connection that is given
	// up as soon, ends for its own network's delay; a statement that may take less than a tenth
	// of a second fails on a cold cache; locks are held for 10 ms by ordinary commits.
	"statement_timeout": {100, "s"}, "idle_in_transaction_session_timeout": {1000, "s"},
	"idle_session_timeout": {1000, "s"},
	"transaction_timeout":  {100, "s"}, "lock_timeout": {10, "s"}, "deadlock_timeout": {10, "s"},
	"wal_sender_timeout":   {1000, "s"},
	"wal_receiver_timeout": {1000, "s"}, "max_standby_streaming_delay": {100, "s"},
	"max_standby_archive_delay": {100, "s"},
	"tcp_user_timeout":          {100, "s"}, "client_connection_check_interval": {100, "s"},
	// s: a fifth of the default of 5 min; a segment each half minute is 46 GB of archive a day
	"checkpoint_timeout": {60, "min"}, "archive_timeout": {30, "min"},
}

// slip reports a number without a unit that probably means far less than intended.
func (j *judge) slip(s conf.Setting, p params.Param) {
	sl, ok := slips[p.Name]
	if !ok {
		return
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s.Value), 64)
	if err != nil || n <= 0 || n >= sl.below {
		return // with a unit, or of a plausible size
	}
	told := unit.ShowGUC(strconv.FormatFloat(n, 'f', -1, 64), p.Unit)
	j.found(&UnitSlip, s, "{name} = {value} has no unit and means {told}. Did you mean {value}{meant}?",
		"name", p.Name, "value", strings.TrimSpace(s.Value), "told", told, "meant", sl.meant)
}
