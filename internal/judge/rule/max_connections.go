package rule

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

var maxConnections = Rule{
	Address: knob.PG("max_connections"),
	Title:   "how many sessions there may be at once",
	Why: "Each session is a process with 5 MB and more of its own memory, page tables, slots in shared memory, and a claim on work_mem: what is reserved for sessions that never come is " +
		"missing for those that work. A pool in front of the server serves thousands of clients with a few dozen sessions. On a standby it must not be less than on the primary.",
	Formula: "What --connections says, more than the reserved ones. Else the present value stays while the worst case fits the memory with the nominal shared_buffers and a work_mem of 256 kB, maintenance and workers taken before they are rounded; " +
		"where it does not, as many as fit, but not fewer than one and a half times the sessions that are there now; never lowered on a standby.",
	Sources: []string{"pg-config-connection", "dalibo-j1", "pgfettle-measured"},
	Needs:   sizedBefore,
	Risk:    knob.Medium,
	Decide: func(c *Case) {
		have := int(c.now())
		if want := c.Options.Connections; want > 0 {
			c.connectionsSaid(have, want)
			return
		}
		b, ok := c.Basis()
		if !ok {
			return
		}
		if _, ok := c.activeOf(have); !ok {
			return
		}
		most, ok := c.admits(b, have, workMemUsable)
		if !ok {
			return
		}
		if most >= have {
			c.Keep("{present} fit the memory", "present", count{have, "connection"})
			return
		}
		reserved := c.reservedConnections()
		low := reserved + 1
		a, _ := c.Instance.Server.Activity.Get()
		low = min(max(low, reserved+int(a.Clients+a.Clients/2)), have)
		switch standby, _ := c.Instance.Server.Recovery.Get(); {
		case standby:
			c.Keep("{present} stay: on a standby they must not be fewer than on the primary", "present", count{have, "connection"})
		case low > most && a.Clients > 0:
			c.Keep("{present} stay: the memory has room for {most}, but the server has {clients} now", "present", count{have, "connection"}, "most", most, "clients", count{int(a.Clients), "session"})
		default:
			// 1,888 rather than 1,906: nobody counts connections one by one.
			want := max(int(roundDown(unit.Bytes(most), 32, 1)), low)
			c.Warn("max_connections = {present} does not fit the memory, {want} does: sessions beyond that would be refused. Put a pool in front of the server, or say --connections {present} to keep them.",
				"present", bare(int64(have)), "want", bare(int64(want)))
			c.Set(want, "{present} connections of 5 MB and more each, the nominal shared memory and a work_mem of {work} do not fit the {share} that the instance may have; {want} do",
				"present", have, "work", workMemUsable, "share", b.Share(), "want", want)
		}
	},
}

// connectionsSaid decides what the user said.
func (c *Case) connectionsSaid(have, want int) {
	if least := c.reservedConnections() + 1; want < least {
		c.Warn("--connections {said} leaves no session for ordinary users: {least} is the least that leaves one (reserved: {reserved}).",
			"said", want, "reserved", least-1, "least", least)
		want = least
	}
	standby, _ := c.Instance.Server.Recovery.Get()
	if standby && want < have {
		c.Warn("--connections {said} is not obeyed on this standby: with fewer than the primary has, {present}, it would stop replaying. Lower the primary first.", "said", want, "present", have)
		c.Keep("{present} stay: on a standby they must not be fewer than on the primary", "present", count{have, "connection"})
		return
	}
	if want > have {
		c.warnStandbys(want)
	}
	c.Set(want, "you said so")
}

// reservedConnections returns how many connections ordinary users cannot have.
func (c *Case) reservedConnections() int {
	super, _ := c.Int(knob.PG("superuser_reserved_connections"))
	other, _ := c.Int(knob.PG("reserved_connections")) // 16+
	return super + other
}
