package sessions

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// idleLimits is how long a session of a profile may be idle in an open transaction.
// Web and OLTP transactions last milliseconds, so ten minutes is a forgotten
// one. 1C's application server computes between the statements of one
// transaction at the closing of a month. A warehouse's loads do so for hours,
// and what a mixed instance does is not known: they get none.
var idleLimits = map[rule.Profile]time.Duration{rule.Web: 10 * time.Minute, rule.OLTP: 10 * time.Minute,
	rule.OneC: 30 * time.Minute}

var IdleInTransactionSessionTimeout = rule.Rule{
	Address: knob.PG("idle_in_transaction_session_timeout"),
	Title:   "Idle-in-transaction timeout",
	Why: "A forgotten transaction keeps its locks. If it has written or holds a snapshot, it also keeps VACUUM from " +
		"removing rows that were updated or deleted since it began, in every table of the database. The timeout " +
		"terminates the session; its client gets an error and must reconnect.",
	Formula: "web and oltp: 10 min, 1c: 30 min, if no timeout is set. A timeout that is set stays. Other profiles " +
		"keep their value.",
	Sources: []string{"pg-config-client", "pg-routine-vacuuming"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		limit, ok := idleLimits[c.Options.Profile]
		if !ok {
			return
		}
		if c.Now() > 0 {
			c.Keep("a timeout of {present} is set", "present", c.Shown())
			return
		}
		minutes := int(limit / time.Minute)
		a, _ := rule.Need(c, c.Instance.Server.Activity)
		if s := a.States["idle in transaction"]; s.Count > 0 && s.Oldest > limit.Seconds() {
			c.Warn(
				"A session has been idle in a transaction for {idle} min. With idle_in_transaction_session_timeout = "+
					"{minutes} min, such sessions are terminated. First find out whether this one is intended.",
				"idle", int(s.Oldest/60), "minutes", minutes)
		}
		c.Set(limit,
			"in the {profile} profile, a transaction that is idle for {minutes} min is forgotten; it keeps its locks "+
				"and can hold back VACUUM", "profile", string(c.Options.Profile), "minutes", minutes)
	},
}
