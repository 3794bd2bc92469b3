package connections

import (
	"slices"
	"strconv"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// toldHolders is how many sessions are named; terminating the oldest frees most.
const toldHolders = 3

// CatalogLocked is for an ACCESS EXCLUSIVE lock on a system catalog that our
// queries, or our connection, waited for without success. Our queries wait 0.2 s for
// a lock: no command that should run on a busy server locks a catalog for so long. A
// lock that was gone when we queried its holder is a warning.
var CatalogLocked = check.Check{
	ID:       "catalog_locked",
	Area:     check.Connections,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "System catalog is locked (ACCESS EXCLUSIVE)",
	Why: "A session holds an ACCESS EXCLUSIVE lock on a system catalog, for example pg_class or pg_authid. " +
		"Until the lock is released, other sessions cannot plan queries. New connections can hang before their " +
		"first query and fill all slots. Typical causes are VACUUM FULL, CLUSTER or REINDEX on a catalog, LOCK " +
		"TABLE, and a session that is idle in transaction after one of these.",
	Do: "Terminate the session that holds the lock; its open transaction is rolled back: SELECT " +
		"pg_terminate_backend(PID);\nIf no connection is possible, run kill -TERM PID as the owner of the server. " +
		"Never use kill -9, which makes the whole server restart. End a prepared transaction with ROLLBACK PREPARED " +
		"'NAME';",
	Sources: []string{"pg-explicit-locking", "pg-system-views", "pg-signaling"},
	Judge: func(c *check.Case) {
		if running, ok := check.Need(c, c.Instance.Running); !ok || !running || !c.CatalogsLocked() {
			return
		}
		s, t := c.Instance.Server.Silence, c.SessionTitles()
		holders, known := s.Holders.Get()
		told := holdersOf(c, holders)
		names := len(told.Items) > 0
		n, all := check.LockFailures(s), s.Answered+len(s.Failed)
		switch {
		case s.Connection != nil && names:
			c.Found("The connection timed out. Lock holders: {holders}.", "holders", told)
		case s.Connection != nil && len(t.Open) > 0:
			c.Found("Sessions waiting for a lock before their first query: {stuck}. The lock holder is unknown, "+
				"because no connection was possible. Candidates (idle in transaction): {open}.", "stuck", t.Stuck,
				"open", say.List{Items: t.Open, Most: toldHolders})
		case s.Connection != nil:
			c.Found("Sessions waiting for a lock before their first query: {stuck}. The lock holder is unknown, "+
				"because no connection was possible.", "stuck", t.Stuck)
		case names:
			c.Found("Queries canceled while waiting for a lock: {n} of {all}. Lock holders: {holders}.",
				"n", n, "all", all, "holders", told)
		case known:
			c.FoundAs(check.Warning, "Queries canceled while waiting for a lock: {n} of {all}. Afterwards no session "+
				"held a lock on a catalog.", "n", n, "all", all)
		default:
			c.Found("Queries canceled while waiting for a lock: {n} of {all}. The lock holder is unknown: {why}.",
				"n", n, "all", all, "why", gapwords.Arg(s.Holders.Gap().Reason))
		}
	},
}

// holdersOf lists each session once, with all catalogs that it has locked, in the
// given order. If the server does not show whose session it is, the title of its
// process does.
func holdersOf(c *check.Case, holders []pg.Holder) say.List {
	var pids []int
	catalogs := map[int][]string{}
	waiting := map[int]int64{}
	first := map[int]pg.Holder{}
	for _, h := range holders {
		if _, ok := first[h.PID]; !ok {
			pids, first[h.PID] = append(pids, h.PID), h
		}
		if !slices.Contains(catalogs[h.PID], h.Catalog) {
			catalogs[h.PID] = append(catalogs[h.PID], h.Catalog)
		}
		waiting[h.PID] += h.Waiting
	}
	out := say.List{Sep: "; ", Most: toldHolders}
	for _, pid := range pids {
		holder := say.M("prepared transaction")
		if pid != 0 {
			holder = processOf(c, first[pid])
		}
		holds := say.M("{holder}: {catalogs}", "holder", holder, "catalogs", say.Names(catalogs[pid], toldHolders))
		if n := waiting[pid]; n > 0 {
			holds = say.M("{holds} ({waiting})", "holds", holds, "waiting",
				say.N(n, "{n} session waiting", "{n} sessions waiting"))
		}
		out.Items = append(out.Items, holds)
	}
	return out
}

// processOf is "process 4711 (role app, database shop, …)".
func processOf(c *check.Case, h pg.Holder) say.Message {
	details := sessionOf(h)
	if title := titleOf(c, h.PID); h.Database == "" && title != "" {
		details = append(details, say.M("process title \"{title}\"", "title", title))
	}
	pid := strconv.Itoa(h.PID)
	if len(details) == 0 {
		return say.M("process {pid}", "pid", pid)
	}
	return say.M("process {pid} ({details})", "pid", pid, "details", say.List{Items: details})
}

// titleOf returns the title of a process by its PID as the server shows it: in a
// container, the PID there.
func titleOf(c *check.Case, pid int) string {
	processes, _ := c.Instance.Processes.Get()
	for _, p := range processes {
		if (p.Inner == pid || p.Inner == 0 && p.PID == pid) && p.Kind == host.KindBackend {
			return p.Title
		}
	}
	return ""
}

// sessionOf is "role app", "database shop", "idle in transaction for 12 min", "last query at …".
func sessionOf(h pg.Holder) (out []say.Message) {
	add := func(known bool, m say.Message) {
		if known {
			out = append(out, m)
		}
	}
	add(h.Role != "", say.M("role {role}", "role", h.Role))
	add(h.Database != "", say.M("database {database}", "database", h.Database))
	add(h.Application != "", say.M("application {application}", "application", h.Application))
	add(h.State != "", say.M("{state} for {span}", "state", h.State, "span", say.Span(h.InState)))
	add(h.Xact > 0, say.M("transaction open for {span}", "span", say.Span(h.Xact)))
	add(h.QueryStart > 0, say.M("last query at {time}", "time",
		time.Unix(h.QueryStart, 0).UTC().Format("2006-01-02 15:04:05 UTC")))
	return out
}
