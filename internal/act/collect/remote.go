package collect

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"path"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
)

// conninfo asks the server of a connection string. The facts of this host
// belong to it only where it is proven to run here.
func (c *collector) conninfo(ctx context.Context) error {
	c.say("asking the server")
	const key = "1"
	answers := evidence.New()
	session, err := c.ask(ctx, answers, key, pgclient.Connect{Conninfo: c.req.Value, Peer: -1}, c.req.Deep, false)
	if err != nil {
		if p := (*say.Problem)(nil); errors.As(err, &p) || ctx.Err() != nil {
			return err
		}
		return &say.Problem{Message: say.M("the server could not be asked"), Detail: say.OfError(err),
			Code: say.CodeError}
	}
	c.takeOver(answers)
	if in := c.proven(answers, session); in != nil && in.distrust == nil && c.named(&in) {
		c.say("the server runs on this host")
		in.answered = true
		c.everything(ctx, c.beside(in))
	} else {
		c.header(false)
		c.json("instances.json", []record{c.fromAfar(answers, key)})
		if !c.req.Memory {
			c.controlDataElsewhere(answers, key)
		}
	}
	return nil
}

// named makes an instance count that a person has named by its connection; false if it has ended meanwhile.
func (c *collector) named(in **instance) bool {
	if (*in).stranger == "" {
		return true
	}
	c.req.Owners.DataDirs = append(slices.Clone(c.req.Owners.DataDirs), (*in).dataDir)
	*in = c.postmasterAgain(*in)
	return *in != nil && (*in).trusted()
}

// fromAfar is all that SQL alone reports about an instance.
func (c *collector) fromAfar(answers *evidence.Archive, key string) record {
	running := true
	r := record{Key: key, Running: &running}
	if s, ok := pg.ReadSettings(answers, key).Get(); ok {
		if n, ok := s.Int("port"); ok {
			port := int(n)
			r.Port = &port
		}
		if d, ok := s.Text("data_directory"); ok && d != "" {
			r.DataDir = &d
		}
	}
	return r
}

// startSlack is how much later than its process a server may have started by
// its own account: before it notes the time it makes its shared memory, which
// takes seconds where that is large.
const startSlack = 15

// proven returns the instance of this host that gave the answers, nil if none is proven to. A Unix socket names its
// listener, and the session its backend. If neither is seen (a pooler that has let go of the backend), the address must
// be one of this host, and port and time of start those of one instance here: the far end of a tunnel has the first but
// not the others.
func (c *collector) proven(answers *evidence.Archive, s pgclient.Session) *instance {
	found := c.discover()
	for _, in := range found {
		if in.pid > 0 && (in.pid == s.PeerPID || in.pid == s.PostmasterPID) {
			return in
		}
	}
	if !c.namesThisHost(c.req.Value) || s.PostmasterAt <= 0 {
		return nil
	}
	settings, _ := pg.ReadSettings(answers, "1").Get()
	port, ok := settings.Int("port")
	boot, err := pgclient.BootTime(c.t)
	if !ok || err != nil {
		return nil
	}
	var match *instance
	for _, in := range found {
		late := s.PostmasterAt - (boot + in.start/pgclient.ClockTicks)
		if int64(in.port) != port || late < -pgclient.SameStart || late > startSlack {
			continue
		}
		if match != nil {
			return nil
		}
		match = in
	}
	return match
}

// namesThisHost reports whether every host that a connection string, or the PG* variables, may lead to is this one.
func (c *collector) namesThisHost(conninfo string) bool {
	cfg, err := pgconn.ParseConfig(conninfo)
	if err != nil || !c.isHere(cfg.Host) {
		return false
	}
	for _, f := range cfg.Fallbacks {
		if !c.isHere(f.Host) {
			return false
		}
	}
	return true
}

// isHere reports whether an address is one of this host. A name counts when it is localhost or the host's own; others
// are not looked up.
func (c *collector) isHere(h string) bool {
	if path.IsAbs(h) || h == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(h)
	if err != nil {
		own := text(c.t, "proc/sys/kernel/hostname")
		return own != "" && strings.EqualFold(h, own)
	}
	if addr.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr().Unmap() == addr.Unmap() {
			return true
		}
	}
	return false
}
