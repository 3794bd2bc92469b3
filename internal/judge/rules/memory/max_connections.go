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
	Title:   "Maximum concurrent connections",
	Why: "Each session is a process with at least 5 MB of private memory, page tables, slots in shared memory and a " +
		"claim on work_mem. Memory reserved for sessions that never connect is missing for active ones. A connection " +
		"pooler (PgBouncer) serves thousands of clients with a few dozen sessions. On a standby it must not be lower " +
		"than on the primary.",
	Formula: "--connections, but more than the reserved connections. Without it, the present value stays while all " +
		"connections fit. That includes 15% of memory for shared_buffers, maintenance, workers (before rounding) and " +
		"work_mem = 4 MB for the sessions expected to be active. If they do not fit: as many as fit, but at least " +
		"1.5 × the present sessions and the highest number ever seen. Never lowered on a standby or for a described " +
		"host.",
	Sources: []string{"pg-config-connection", "dalibo-j1", "postgrespro-1c", "pgfettle-measured"},
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
			c.KeepAs(say.All("; ", append([]say.Message{say.M("{present} fit into memory", "present",
				connections(have))}, ofOneC(c, b, have)...)...))
			return
		}
		reserved := reservedConnections(c)
		low := reserved + 1
		activity, looked := c.Instance.Server.Activity.Get()
		seen := memory.SeenOpen(c.Instance)
		low = min(max(low, reserved+int(activity.Clients+activity.Clients/2), reserved+seen), have)
		switch standby, _ := c.Instance.Server.Recovery.Get(); {
		case standby:
			c.Keep("{present} stay: a standby must not have fewer than its primary", "present",
				connections(have))
		case low > most && seen > 0:
			c.Keep("{present} stay: memory suffices for {most}, but {seen} were open at once", "present",
				connections(have), "most", most, "seen", say.N(seen, "{n} session",
					"{n} sessions"))
		case c.Snapshot.Described || !looked:
			c.Keep("{present} stay, although memory suffices for {most}: the number in use is unknown",
				"present", connections(have), "most", most)
		default:
			// 1,888 rather than 1,906: a planned number of connections is a round one.
			want := max(int(sizing.RoundDown(unit.Bytes(most), 32, 1)), low)
			c.Warn(
				"max_connections = {present} does not fit into memory; {want} does. Additional connections would be "+
					"refused. Use a connection pooler (PgBouncer), or pass --connections {present} to keep the value.",
				"present", bare(int64(have)), "want", bare(int64(want)))
			c.Set(want,
				"{present} (at least 5 MB each), 15% of memory for shared_buffers and work_mem = {work} for the "+
					"active sessions exceed the budget of {share}; at most {want} fit",
				"present", connections(have), "work", memory.WorkMemFloor, "share", b.Share(), "want", want)
		}
	},
}

// oneCConnections is how many the vendors of builds for 1C advise at least. Whether a server needs them is known only
// to who counts its users: it is said what they cost, and none is planned.
const oneCConnections = 500

// ofOneC says what the connections cost that the vendors advise for 1C, if there are fewer.
func ofOneC(c *rule.Case, b rule.Basis, have int) []say.Message {
	if c.Options.Profile != rule.OneC || have >= oneCConnections {
		return nil
	}
	buffers := b.Share().Scale(c.Prior().BufferShare)
	tables := func(page unit.Bytes) unit.Bytes {
		return oneCConnections * memory.PageTablesOfBackend(buffers, page)
	}
	out := []say.Message{say.M("for 1C, its vendors advise at least {advised}: that many idle sessions take {private} "+
		"of private memory, and, once each has read all shared buffers ({buffers}), {regular} of page tables with "+
		"regular pages", "advised", oneCConnections, "private", oneCConnections*memory.BackendBase, "buffers", buffers,
		"regular", tables(memory.BasePage(c.Snapshot)))}
	if huge, ok := memory.HugePageSize(c.Snapshot, c.Instance).Get(); ok && huge > 0 {
		out = append(out, say.M("with huge pages, {huge} of page tables", "huge", tables(huge)))
	}
	if seen := memory.SeenOpen(c.Instance); seen > 0 {
		if now, ok := c.Instance.Server.Activity.Get(); ok {
			out = append(out, say.M("sessions: {now} now, at most {seen} seen", "now", int(now.Clients), "seen", seen))
		} else {
			out = append(out, say.M("sessions: at most {seen} seen", "seen", seen))
		}
	}
	return append(out, say.M("if users are refused, pass --connections N"))
}

// connectionsSaid decides what the user said.
func connectionsSaid(c *rule.Case, have, want int) {
	if least := reservedConnections(c) + 1; want < least {
		c.Warn(
			"--connections {said} leaves no connection for regular users: the minimum is {least} (reserved: "+
				"{reserved}).",
			"said", want, "reserved", least-1, "least", least)
		want = least
	}
	standby, _ := c.Instance.Server.Recovery.Get()
	if standby && want < have {
		c.Warn(
			"--connections {said} is ignored on this standby: with fewer connections than the primary ({present}), "+
				"it would stop replaying. Lower the value on the primary first.", "said", want, "present", have)
		c.Keep("{present} stay: a standby must not have fewer than its primary", "present",
			connections(have))
		return
	}
	if want > have {
		c.WarnStandbys(want)
	}
	c.Set(want, "set with --connections")
}

// reservedConnections returns how many connections ordinary users cannot have.
func reservedConnections(c *rule.Case) int {
	super, _ := c.Int(knob.PG("superuser_reserved_connections"))
	other, _ := c.Int(knob.PG("reserved_connections")) // 16+
	return super + other
}

func connections(n int) say.Message { return say.N(n, "{n} connection", "{n} connections") }
