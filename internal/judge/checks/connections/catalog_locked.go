package connections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// toldHolders is how many sessions are named; ending the oldest frees most.
const toldHolders = 3

// CatalogLocked is for an ACCESS EXCLUSIVE lock on a system catalog that our
// queries, or our connection, waited for in vain. Ours wait a fifth of a second
// for a lock: no command that should run on a busy server takes a catalog for so
// long. A lock that was gone when we asked for its holder is a warning.
var CatalogLocked = check.Check{
	ID:       "catalog_locked",
	Area:     check.Connections,
	Severity: check.Critical,
	Scope:    check.PerInstance,
	Title:    "A system catalog is locked",
	Why: "A session holds an ACCESS EXCLUSIVE lock on a system catalog, for example pg_class or pg_authid. Until it " +
		"ends, others cannot plan queries, and new connections can hang " +
		"before their first query and fill all slots. Typical causes are VACUUM FULL, CLUSTER or REINDEX on a " +
		"catalog, LOCK TABLE, and a session that is idle in transaction after one of these.",
	Do: "End the transaction that holds the lock: SELECT pg_terminate_backend(PID); or, if no connection is " +
		"possible, kill -TERM PID as the owner of the server; its open work is rolled back. " +
		"Never use kill -9, which restarts the whole server. A prepared transaction ends with ROLLBACK PREPARED " +
		"'NAME';",
	Sources: []string{"pg-explicit-locking", "pg-system-views", "pg-signaling"},
	Judge: func(c *check.Case) {
		if running, ok := check.Need(c, c.Instance.Running); !ok || !running || !c.CatalogsLocked() {
			return
		}
		s, t := c.Instance.Server.Silence, c.SessionTitles()
		holders, known := s.Holders.Get()
		told := strings.Join(holdersTold(c, holders), ". ")
		n, all := check.LockFailures(s), s.Answered+len(s.Failed)
		switch {
		case s.Connection != nil && told != "":
			c.Found("The connection timed out. {holders}.", "holders", told)
		case s.Connection != nil && len(t.Open) > 0:
			c.Found(
				"Sessions that wait for a lock before their first query: {stuck}. No connection was possible to ask "+
					"for the holder. Candidates are the sessions idle in transaction: {open}.", "stuck", t.Stuck,
				"open",
				check.Join(t.Open, ", ", toldHolders))
		case s.Connection != nil:
			c.Found(
				"Sessions that wait for a lock before their first query: {stuck}. No connection was possible to ask "+
					"for the holder.", "stuck", t.Stuck)
		case told != "":
			c.Found("{n} of {all} queries gave up waiting for a lock. {holders}.", "n", n, "all", all, "holders", told)
		case known:
			c.FoundAs(check.Warning, "{n} of {all} queries gave up waiting for a lock. A moment later nobody held one.",
				"n", n, "all", all)
		default:
			c.Found("{n} of {all} queries gave up waiting for a lock. The holder is unknown: {why}.", "n", n, "all",
				all, "why", s.Holders.Gap().Reason)
		}
	},
}

// holdersTold names each session once, with all that it has locked, in the
// given order. Where the server did not tell whose session it is, the title of
// its process does.
func holdersTold(c *check.Case, holders []pg.Holder) []string {
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
	var out []string
	for _, pid := range pids {
		h := first[pid]
		text := "A prepared transaction"
		if pid != 0 {
			text = fmt.Sprintf("Process %d%s", pid, sessionTold(h))
			if h.Database == "" {
				text += titleOf(c, pid)
			}
		}
		text += " holds " + check.Join(catalogs[pid], ", ", toldHolders)
		if waiting[pid] > 0 {
			text += fmt.Sprintf(" (sessions waiting: %d)", waiting[pid])
		}
		out = append(out, text)
	}
	if more := len(out) - toldHolders; more > 0 {
		out = append(out[:toldHolders], fmt.Sprintf("%d more hold others", more))
	}
	return out
}

// titleOf is ", title app shop [local] idle" of a process as the server counts
// them: in a container by its number there.
func titleOf(c *check.Case, pid int) string {
	processes, _ := c.Instance.Processes.Get()
	for _, p := range processes {
		if (p.Inner == pid || p.Inner == 0 && p.PID == pid) && p.Kind == host.KindBackend {
			return ", title \"" + p.Title + "\","
		}
	}
	return ""
}

// sessionTold is " (role app, database shop, idle in transaction for 12 min, last query at …)".
func sessionTold(h pg.Holder) string {
	var parts []string
	add := func(s, format string, args ...any) {
		if s != "" {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	add(h.Role, "role %s", h.Role)
	add(h.Database, "database %s", h.Database)
	add(h.Application, "application %s", h.Application)
	add(h.State, "%s for %s", h.State, say.Span(h.InState))
	if h.Xact > 0 {
		parts = append(parts, "transaction open for "+say.Span(h.Xact).String())
	}
	if h.QueryStart > 0 {
		parts = append(parts, "last query at "+time.Unix(h.QueryStart, 0).UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
