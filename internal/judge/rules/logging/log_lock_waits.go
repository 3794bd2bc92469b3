package logging

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var LogLockWaits = rule.Rule{
	Address: knob.PG("log_lock_waits"),
	Title:   "whether long waits for locks are logged",
	Why: "A session that waits for a lock longer than deadlock_timeout looks hung to its user. The line says " +
		"who holds the lock, which nobody can find out afterwards.",
	Formula: "on, the default from 19 on.",
	Sources: []string{"pg-config-logging"},
	Decide:  decideLogged("a line for each wait of more than deadlock_timeout names who held the lock"),
}
