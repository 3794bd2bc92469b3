package memory

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

var MaxConnections = rule.Rule{
	Address: knob.PG("max_connections"),
	Title:   "how many sessions there may be at once",
	Why: "Each session is a process with 5 MB and more of its own memory, page tables, slots in shared memory, and " +
		"a claim on work_mem: what is reserved for sessions that never come is " +
		"missing for those that work. A pool in front of the server serves thousands of clients with a few dozen " +
		"sessions. On a standby it must not be less than on the primary.",
	Formula: "What --connections says, more than the reserved ones. Else the present value stays while all " +
		"connections fit the memory beside 15 % of it for shared_buffers, maintenance and workers (taken before " +
		"they are rounded) and a work_mem of 4 MB for the sessions that are expected at work; " +
		"where they do not, as many as fit, but not fewer than one and a half times the sessions that are there " +
		"now, nor than were ever seen open; never lowered on a standby, nor on a described host.",
	Sources: []string{"pg-config-connection", "dalibo-j1", "pgfettle-measured"},
	Needs:   sizing.SizedBefore,
	Risk:    knob.Medium,
	Decide: func(c *rule.Case) {
		have := int(c.Now())
		if want := c.Options.Connections; want > 0 {
			connectionsSaid(c, have, want)
			return
		}
		b, ok := c.Basis()
		if !ok {
			return
		}
		if _, ok := c.ActiveOf(have); !ok {
			return
		}
		most, ok := sizing.Admits(c, b, have)
		if !ok {
			return
		}
		if most >= have {
			c.Keep("{present} fit the memory", "present", say.N(have, "{n} connection", "{n} connections"))
			return
		}
		reserved := reservedConnections(c)
		low := reserved + 1
		activity, looked := c.Instance.Server.Activity.Get()
		seen := memory.SeenOpen(c.Instance)
		low = min(max(low, reserved+int(activity.Clients+activity.Clients/2), reserved+seen), have)
		switch standby, _ := c.Instance.Server.Recovery.Get(); {
		case standby:
			c.Keep("{present} stay: on a standby they must not be fewer than on the primary", "present",
				say.N(have, "{n} connection", "{n} connections"))
		case low > most && seen > 0:
			c.Keep("{present} stay: the memory has room for {most}, but {seen} were open at once", "present",
				say.N(have, "{n} connection", "{n} connections"), "most", most, "seen", say.N(seen, "{n} session",
					"{n} sessions"))
		case c.Snapshot.Described || !looked:
			c.Keep("{present} stay, though the memory has room for {most}: nobody has seen how many are in use",
				"present", say.N(have, "{n} connection", "{n} connections"), "most", most)
		default:
			// 1,888 rather than 1,906: nobody counts connections one by one.
			want := max(int(sizing.RoundDown(unit.Bytes(most), 32, 1)), low)
			c.Warn(
				"max_connections = {present} does not fit the memory, {want} does: sessions beyond that would be "+
					"refused. Put a pool in front of the server, or say --connections {present} to keep them.",
				"present", bare(int64(have)), "want", bare(int64(want)))
			c.Set(want,
				"{present} connections of 5 MB and more each, 15 % of the memory for shared_buffers and a work_mem "+
					"of {work} for the sessions expected at work do not fit the {share} that the instance may have; "+
					"{want} do",
				"present", have, "work", memory.WorkMemFloor, "share", b.Share(), "want", want)
		}
	},
}

// connectionsSaid decides what the user said.
func connectionsSaid(c *rule.Case, have, want int) {
	if least := reservedConnections(c) + 1; want < least {
		c.Warn(
			"--connections {said} leaves no session for ordinary users: {least} is the least that leaves one "+
				"(reserved: {reserved}).",
			"said", want, "reserved", least-1, "least", least)
		want = least
	}
	standby, _ := c.Instance.Server.Recovery.Get()
	if standby && want < have {
		c.Warn(
			"--connections {said} is not obeyed on this standby: with fewer than the primary has, {present}, it "+
				"would stop replaying. Lower the primary first.", "said", want, "present", have)
		c.Keep("{present} stay: on a standby they must not be fewer than on the primary", "present",
			say.N(have, "{n} connection", "{n} connections"))
		return
	}
	if want > have {
		c.WarnStandbys(want)
	}
	c.Set(want, "you said so")
}

// reservedConnections returns how many connections ordinary users cannot have.
func reservedConnections(c *rule.Case) int {
	super, _ := c.Int(knob.PG("superuser_reserved_connections"))
	other, _ := c.Int(knob.PG("reserved_connections")) // 16+
	return super + other
}
