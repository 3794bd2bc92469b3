package sessions

import (
	"time"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// idleLimits is how long a session of a profile may sit in an open transaction.
// Web and OLTP transactions last milliseconds, so ten minutes is a forgotten
// one. 1C's application server computes between the statements of one
// transaction at the closing of a month. A warehouse's loads do so for hours,
// and what a mixed instance does is not known: they get none.
var idleLimits = map[rule.Profile]time.Duration{rule.Web: 10 * time.Minute, rule.OLTP: 10 * time.Minute,
	rule.OneC: 30 * time.Minute}

var IdleInTransactionSessionTimeout = rule.Rule{
	Address: knob.PG("idle_in_transaction_session_timeout"),
	Title:   "how long a session may sit idle in an open transaction",
	Why: "A forgotten transaction keeps its locks, and keeps VACUUM from removing any row that died since it began, " +
		"in every table of the database. " +
		"The limit ends the session; its client sees an error and has to connect again.",
	Formula: "web and oltp 10 minutes, 1c 30 minutes, where there is none; any limit that is set stays. Other " +
		"profiles keep what they have.",
	Sources: []string{"pg-config-client", "pg-routine-vacuuming"},
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		limit, ok := idleLimits[c.Options.Profile]
		if !ok {
			return
		}
		if c.Now() > 0 {
			c.Keep("a limit of {present} is set", "present", c.Shown())
			return
		}
		minutes := int(limit / time.Minute)
		a, _ := rule.Need(c, c.Instance.Server.Activity)
		if s := a.States["idle in transaction"]; s.Count > 0 && s.Oldest > limit.Seconds() {
			c.Warn(
				"A session has been idle in a transaction for {idle} minutes. With "+
					"idle_in_transaction_session_timeout = {minutes} min such sessions are ended: find out first "+
					"whether that one is meant to be.",
				"idle", int(s.Oldest/60), "minutes", minutes)
		}
		c.Set(limit,
			"a transaction of the {profile} profile that is idle for {minutes} minutes is forgotten; it holds back "+
				"VACUUM and keeps its locks", "profile", string(c.Options.Profile), "minutes", minutes)
	},
}
