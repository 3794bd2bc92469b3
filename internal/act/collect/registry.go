package collect

import (
	"path"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/pgctl/distribution"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// registered is a cluster that the host is set up to run, whether or not it does.
type registered struct {
	dir     string // data directory; "": its unit does not name it
	config  string // postgresql.conf, where it is not in the data directory
	unit    string
	user    string // the account that the unit runs it as
	program string // postgres, as the unit names it
	starts  bool   // at boot: a stopped cluster that is not started is no fault
}

// registry lists the clusters of Debian's postgresql-common and of the units that run a server. Both only name a
// directory: whose it is, and what may be done there, is decided as for any other.
func (c *collector) registry() []registered {
	return append(c.clustersOfDebian(), c.clustersOfUnits()...)
}

// clustersOfDebian reads /etc/postgresql/VERSION/CLUSTER; start.conf reports whether the cluster is started at boot,
// and does where it is missing.
func (c *collector) clustersOfDebian() (out []registered) {
	for _, file := range c.glob("etc/postgresql/*/*/postgresql.conf") {
		file = "/" + file
		view, err := trust.Named(c.t, file)
		if err != nil {
			continue
		}
		at := path.Dir(file)
		v, name := path.Base(path.Dir(at)), path.Base(at)
		r := registered{dir: "/var/lib/postgresql/" + v + "/" + name, config: file,
			unit: "postgresql@" + v + "-" + name + ".service", user: "postgres", starts: true}
		read := conf.Resolve(target.ConfigFiles{Target: view}, file, "")
		if w, ok := read.Winner("data_directory"); ok && path.IsAbs(w.Value) {
			r.dir = path.Clean(w.Value)
		}
		if st, err := view.Stat(r.dir); err == nil { // pg_ctlcluster runs it as the owner of its files
			r.user = trust.Of(st.UID, st.GID).Name
		}
		for line := range strings.Lines(text(view, path.Join(at, "start.conf"))) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" {
				r.starts = line == "auto"
			}
		}
		out = append(out, r)
	}
	return out
}

// clustersOfUnits are those of the units that start a server themselves.
func (c *collector) clustersOfUnits() (out []registered) {
	started, _ := c.startedUnits()
	for _, s := range distribution.Services(c.t) {
		out = append(out, registered{dir: s.Data, unit: s.Unit, user: s.User, program: s.Program,
			starts: started[s.Unit]})
	}
	return out
}

// known adds what the registry has about the data directory of an instance.
func (in *instance) known(list []registered, resolve func(string) (string, error)) {
	for _, r := range list {
		if real, err := resolve(r.dir); r.dir == "" || err != nil || real != in.dataDir {
			continue
		}
		if in.config == "" {
			in.config = r.config
		}
		if in.unit == "" {
			in.unit, in.unitUser, in.unitProgram = r.unit, r.user, r.program
		}
	}
}

// down finds the instances that the host starts at boot and that do not run. Those of strangers are not among them, nor
// what must not be inspected.
func (c *collector) down(found []*instance) (out []*instance) {
	list := c.registry()
	done := map[string]bool{}
	for _, r := range list {
		if !r.starts || r.dir == "" {
			continue
		}
		in, err := c.instanceAt(found, r.dir)
		if err != nil || in.pid != 0 || done[in.dataDir] {
			continue
		}
		done[in.dataDir] = true
		whose := in.account
		if in.closed {
			whose = in.owner
		}
		if ok, _ := c.req.Owners.Counts(c.t, whose, in.dataDir); !ok || whose.UID <= 0 {
			continue
		}
		in.known(list, c.t.Resolve)
		c.doubt(in, found)
		out = append(out, in)
	}
	return out
}
