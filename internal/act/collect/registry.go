package collect

import (
	"path"
	"regexp"
	"slices"
	"strings"

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

// unitPlaces hold the units of the system, those that win first.
var unitPlaces = []string{"etc/systemd/system", "run/systemd/system", "usr/local/lib/systemd/system",
	"usr/lib/systemd/system", "lib/systemd/system"}

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

// clustersOfUnits reads the units whose names begin with postgres.
func (c *collector) clustersOfUnits() (out []registered) {
	seen := map[string]bool{}
	started, _ := c.startedUnits()
	for _, folder := range unitPlaces {
		names, err := c.t.ReadDir(folder)
		if err != nil {
			continue
		}
		slices.Sort(names)
		for _, n := range names {
			if !strings.HasPrefix(n, "postgres") || !strings.HasSuffix(n, ".service") || strings.Contains(n, "@.") ||
				seen[n] {
				continue
			}
			seen[n] = true
			r := unitCluster(c.unitFiles(folder, n))
			if r.dir == "" && r.program == "" {
				continue // such as Debian's postgresql.service, which stands for the clusters
			}
			r.unit, r.starts = n, started[n]
			out = append(out, r)
		}
	}
	return out
}

// unitFiles is a unit with its drop-ins behind it.
func (c *collector) unitFiles(folder, name string) string {
	b := text(c.t, path.Join(folder, name))
	var drops []string
	for _, f := range unitPlaces {
		drops = append(drops, c.glob(f+"/"+name+".d/*.conf")...)
	}
	slices.SortFunc(drops, func(a, b string) int { return strings.Compare(path.Base(a), path.Base(b)) })
	for _, d := range drops {
		b += "\n" + text(c.t, d)
	}
	return b
}

var dataOption = regexp.MustCompile(`(?:^|\s)-D\s*"?([^"\s]+)`)

// unitCluster reads what a unit starts: Environment=PGDATA=, -D, and the program.
func unitCluster(unit string) (r registered) {
	env := map[string]string{}
	start := ""
	for line := range strings.Lines(unit) {
		key, v, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok {
			continue
		}
		v = strings.TrimSpace(v)
		switch key {
		case "User":
			r.user = v
		case "ExecStart":
			start = strings.TrimLeft(v, "-+!:@")
		case "Environment":
			for _, pair := range strings.Fields(strings.ReplaceAll(v, `"`, "")) {
				if name, val, ok := strings.Cut(pair, "="); ok {
					env[name] = val
				}
			}
		}
	}
	for name, val := range env {
		start = strings.ReplaceAll(strings.ReplaceAll(start, "${"+name+"}", val), "$"+name, val)
	}
	r.dir = env["PGDATA"]
	if m := dataOption.FindStringSubmatch(start); m != nil {
		r.dir = m[1]
	}
	if words := strings.Fields(start); len(words) > 0 && slices.Contains([]string{"postgres", "postmaster"},
		path.Base(words[0])) {
		r.program = words[0]
	}
	if !path.IsAbs(r.dir) {
		r.dir = ""
	}
	return r
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
