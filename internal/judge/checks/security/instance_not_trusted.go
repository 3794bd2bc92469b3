package security

import (
	"fmt"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// InstanceNotTrusted tells of the instances that the collector left alone. It
// judges nothing of them: nothing of them was asked.
var InstanceNotTrusted = check.Check{
	ID:       "instance_not_trusted",
	Area:     check.Security,
	Severity: check.Info,
	Scope:    check.PerHost,
	Title:    "An instance on this host is not trusted",
	Why: "Any account can start a server, call it postgres, and answer what it likes. pgfettle as root runs no " +
		"program, opens no file and sends nothing on behalf of an instance whose account does not count, " +
		"or whose process, data directory and program do not belong to one account; such an instance takes memory " +
		"like any other program, and no kernel setting is planned for it.",
	Do: "If the instance is yours to manage, name its data directory with --trust, or its account in the policy " +
		"([trust] owners). If its owner and its files do not agree, find out who started it before anything else.",
	Sources: []string{"linux-proc"},
	Judge: func(c *check.Case) {
		if len(c.Snapshot.Strangers) == 0 {
			check.Need(c, c.Snapshot.Host.Programs) // where processes are hidden, so are those of strangers
			return
		}
		for _, s := range c.Snapshot.Strangers {
			where := "data directory unknown"
			if s.DataDirectory != nil {
				where = *s.DataDirectory
			}
			severity := check.Info
			if s.Suspect {
				severity = check.Warning
			}
			seen := say.M("Process {pid} of {account} ({where}) is not trusted: {reason}.", "pid", s.PID, "account",
				s.Account, "where", where, "reason", s.Reason)
			if holds := holdings(s.Private, s.Shared, s.HugePages); holds != "" {
				seen = say.All(" ", seen, say.M("It holds {holds}.", "holds", holds))
			}
			do := say.M(c.Remedy())
			if s.Hint != "" && s.Suspect {
				do = say.All(" ", say.M("{hint}.", "hint", strings.ToUpper(s.Hint[:1])+s.Hint[1:]), do)
			}
			c.That(severity, do, seen)
		}
	},
}

func holdings(private, shared, huge *unit.Bytes) string {
	var out []string
	for _, h := range []struct {
		n    *unit.Bytes
		what string
	}{{private, "private memory"}, {shared, "shared memory"}, {huge, "huge pages"}} {
		if h.n != nil && *h.n > 0 {
			out = append(out, fmt.Sprintf("%s of %s", *h.n, h.what))
		}
	}
	return strings.Join(out, ", ")
}
