package security

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// InstanceNotTrusted reports the instances that the collector skipped. It judges
// nothing about them, because none of their facts were collected.
var InstanceNotTrusted = check.Check{
	ID:       "instance_not_trusted",
	Area:     check.Security,
	Severity: check.Info,
	Scope:    check.PerHost,
	Title:    "Untrusted PostgreSQL instance was skipped",
	Why: "Any account can start a server, name it postgres and answer queries with anything. pgfettle as root " +
		"runs no program, opens no file and sends nothing on behalf of an untrusted instance. An instance is " +
		"untrusted if its account is not accepted, or if its process, data directory and program do not belong " +
		"to one account. Its memory counts like that of any other program, and no kernel setting is planned " +
		"for it.",
	Do: "If you manage this instance, name its data directory with --trust, or its account in the policy " +
		"([trust] owners). If its owner and its files do not match, first find out who started it.",
	Sources: []string{"linux-proc"},
	Judge: func(c *check.Case) {
		if len(c.Snapshot.Strangers) == 0 {
			check.Need(c, c.Snapshot.Host.Programs) // if processes are hidden, so are those of strangers
			return
		}
		for _, s := range c.Snapshot.Strangers {
			var where any = say.M("data directory unknown")
			if s.DataDirectory != nil {
				where = *s.DataDirectory
			}
			severity := check.Info
			if s.Suspect {
				severity = check.Warning
			}
			seen := say.M("Process {pid} of {account} ({where}) is not trusted: {reason}.", "pid", strconv.Itoa(s.PID),
				"account", gapwords.Arg(s.Account), "where", where, "reason", gapwords.Arg(s.Reason))
			if holds := holdings(s.Private, s.Shared, s.HugePages); len(holds.Items) > 0 {
				seen = say.All(" ", seen, say.M("It uses {holds}.", "holds", holds))
			}
			do := say.M(c.Remedy())
			if s.Hint != "" && s.Suspect {
				do = say.All(" ", say.M("{hint}.", "hint", gapwords.Capital(s.Hint)), do)
			}
			c.That(severity, do, seen)
		}
	},
}

func holdings(private, shared, huge *unit.Bytes) (out say.List) {
	for _, h := range []struct {
		n    *unit.Bytes
		text say.Template
	}{{private, "{size} of private memory"}, {shared, "{size} of shared memory"}, {huge, "{size} of huge pages"}} {
		if h.n != nil && *h.n > 0 {
			out.Items = append(out.Items, say.M(h.text, "size", *h.n))
		}
	}
	return out
}
