package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogLockWaits = rule.Rule{
	Address: knob.PG("log_lock_waits"),
	Title:   "Log lock waits longer than deadlock_timeout",
	Why: "A session that waits for a lock longer than deadlock_timeout looks hung to its user. The log entry names " +
		"the process that holds the lock, which cannot be found out later.",
	Formula: "on, the default since 19.",
	Sources: []string{"pg-config-logging"},
	Decide:  decideLogged("each lock wait longer than deadlock_timeout is logged with the process that held the lock"),
}
