package collect

import (
	"context"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// reply is what asking one server brought.
type reply struct {
	of      *instance
	archive *evidence.Archive
	session pgclient.Session
	hung    bool // no connection in time
}

// askServers asks each running instance over SQL, all at the same time. The
// channel yields one reply for each instance that had not answered before.
func (c *collector) askServers(ctx context.Context, found []*instance) <-chan reply {
	out := make(chan reply, len(found))
	var wait sync.WaitGroup
	for _, in := range found {
		if in.answered {
			continue
		}
		how, err := c.connectTo(in)
		if err == nil {
			c.say("asking the server on port %d", in.port)
			how.Left = c.leads(in)
		}
		wait.Go(func() {
			r := reply{of: in, archive: evidence.New()}
			if err == nil {
				r.session, err = c.ask(ctx, r.archive, in.key, how, c.req.Deep, in.neighbour)
			}
			if err != nil {
				pgclient.Silent(r.archive, in.key, err)
				how.HoldersElsewhere(ctx, r.archive, in.key, err)
				r.hung = pgclient.CauseOf(err) == pg.TimedOut
			}
			out <- r
		})
	}
	go func() { wait.Wait(); close(out) }()
	return out
}

// ask is pgclient.Ask, kept from bringing the rest down with it.
func (c *collector) ask(ctx context.Context, a *evidence.Archive, key string, how pgclient.Connect,
	deep, neighbour bool) (s pgclient.Session, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the collector stopped: %v", p)
		}
	}()
	if c.req.Memory || neighbour {
		deep = false
		how.Only = pgclient.MemoryQuestions
	}
	return c.query(ctx, a, key, how, deep)
}

// merge adds the replies. A data directory that was closed to us is known if the server reported it.
func (c *collector) merge(replies <-chan reply) {
	for r := range replies {
		c.takeOver(r.archive)
		if r.hung {
			c.safely(r.of.name("processes"), func() { c.latecomers(r.of) })
		}
		if r.of.dataDir == "" && path.IsAbs(r.session.DataDirectory) {
			r.of.dataDir = path.Clean(r.session.DataDirectory)
		}
	}
}

// takeOver takes over what another goroutine collected.
func (c *collector) takeOver(a *evidence.Archive) {
	for _, n := range a.Names() {
		if b, err := a.ReadFile(n); err == nil {
			c.add(n, b)
		}
	}
	for _, m := range a.MissingFiles() {
		c.a.AddMissing(m)
	}
}

const notRunning = "the server does not run"

// connectTo says how to reach a server of this host that the user did not name: through its socket, also that of a
// container; by TCP only if it has no socket and shares our network, at an address of this host where its account
// listens. Nothing secret is sent: see Connect.
func (c *collector) connectTo(in *instance) (pgclient.Connect, error) {
	how := pgclient.Connect{Port: in.port, Found: true, Peer: -1}
	if in.account.UID >= 0 {
		how.Peer = in.account.UID
	}
	if c.root {
		u := in.account.User()
		how.As, how.User = &u, c.roleOf(in)
	} else if how.Peer >= 0 {
		// without root there are only the user's own, which the servers of included accounts get as before
		how.Secrets, _ = c.req.Owners.Counts(c.t, in.account, in.dataDir)
	}
	switch {
	case in.pid == 0:
		return how, &say.Problem{Message: say.M(notRunning), Hint: say.M("start the server"), Code: say.CodeError}
	case c.root && in.account.UID <= 0:
		return how, &say.Problem{Message: say.M("the account of the server is not known"), Hint: say.M(asOwner),
			Code: say.CodeRefused}
	case in.port == 0:
		return how, &say.Problem{Message: say.M("the port of the server is not known"), Hint: say.M(asOwner),
			Code: say.CodeNoAccess}
	case in.socketDir != "":
		if how.SocketDir = in.view.Reach(in.socketDir); how.SocketDir != "" {
			return how, nil
		}
	case in.listen != "" && !in.inside && c.t.Reach("/") == "/": // a tree of files has no network
		at := loopback(in.listen)
		if !c.isHere(at) {
			return how,
				&say.Problem{
					Message: say.M("the server has no socket, and its lock file names an address that is none of " +
						"this host"),
					Hint: say.M("give a connection string instead"), Code: say.CodeRefused}
		}
		how.Conninfo = pgclient.Keyword("host", at) + pgclient.Keyword("port", strconv.Itoa(in.port)) +
			pgclient.Keyword("sslmode", "disable")
		if how.User != "" {
			how.Conninfo += pgclient.Keyword("user", how.User)
		}
		return how, nil
	}
	return how, &say.Problem{Message: say.M("the server has no socket that can be reached from here"),
		Hint: say.M("give a connection string instead"), Code: say.CodeError}
}

// loopback turns an address that a server listens on into one to connect to.
func loopback(listen string) string {
	switch listen {
	case "*", "0.0.0.0":
		return "127.0.0.1"
	case "::":
		return "::1"
	}
	return listen
}

// roleOf names the role that root connects as: PGUSER, else the name of the
// owner of the data directory, else postgres.
func (c *collector) roleOf(in *instance) string {
	if u := os.Getenv("PGUSER"); u != "" {
		return u
	}
	want := strconv.Itoa(in.account.UID)
	for line := range strings.Lines(text(in.view, "etc/passwd")) {
		if f := strings.Split(line, ":"); len(f) > 2 && f[2] == want && f[0] != "" {
			return f[0]
		}
	}
	return "postgres"
}
