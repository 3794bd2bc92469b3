package collect

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// beside returns the instance that a person has named, and with it what else of
// PostgreSQL is on the host: the other instances that run and count, and those
// that are to run and do not. Of these only what their memory rests on is asked.
func (c *collector) beside(in *instance) []*instance {
	if c.req.Memory || c.req.Alone {
		return []*instance{in}
	}
	out := []*instance{in}
	for _, other := range c.found {
		if other.pid != in.pid && other.trusted() {
			other.neighbour = true
			out = append(out, other)
		}
	}
	return append(out, c.stopped(append(slices.Clone(c.found), in))...)
}

// ours are those that a person asked for.
func ours(found []*instance) []*instance {
	return slices.DeleteFunc(slices.Clone(found), func(in *instance) bool { return in.neighbour })
}

// unitDirs are where systemd looks for units, in its order (systemd.unit(5)).
var unitDirs = []string{"etc/systemd/system", "run/systemd/system", "usr/lib/systemd/system", "lib/systemd/system"}

// maxStopped bounds what is listed: a host has some ten clusters.
const maxStopped = 100

// stopped finds the instances that are started with the host and do not run now:
// clusters of Debian whose start.conf says auto, and services of postgresql that
// systemd starts. Where the folder of one is not known, its service names it.
func (c *collector) stopped(found []*instance) []*instance {
	var out []*instance
	add := func(dir, unit string) {
		real, err := c.t.Resolve(dir)
		if dir == "" || err != nil {
			real = dir
		}
		for _, in := range append(slices.Clone(found), out...) {
			if unit != "" && in.unit == unit || real != "" && !in.inside && (in.dataDir == real || in.dataDir == dir) {
				return
			}
		}
		if len(out) == maxStopped {
			return
		}
		in, err := c.instanceAt(nil, real)
		if dir == "" || err != nil {
			in = &instance{view: closed{c.t}, dataDir: real, account: trust.Account{UID: -1}}
		}
		in.neighbour, in.unit = true, unit
		out = append(out, in)
	}
	for _, cluster := range c.clusters() {
		add(c.settingIn(cluster+"/postgresql.conf", "data_directory"), "postgresql@"+strings.ReplaceAll(strings.TrimPrefix(cluster, debianClusters+"/"), "/", "-")+".service")
	}
	for _, unit := range c.enabledServers() {
		add(c.dataDirOf(unit), unit)
	}
	return out
}

const debianClusters = "etc/postgresql"

// clusters lists the folders of Debian's clusters that start with the host.
func (c *collector) clusters() []string {
	var out []string
	for _, version := range c.sorted(debianClusters) {
		for _, name := range c.sorted(debianClusters + "/" + version) {
			dir := debianClusters + "/" + version + "/" + name
			if _, err := c.t.Stat(dir + "/postgresql.conf"); err == nil && c.auto(dir) {
				out = append(out, dir)
			}
		}
	}
	return out
}

// auto reads start.conf, whose only word is auto, manual or disabled; auto where
// there is none (pg_ctlcluster(1), pg_createcluster(1)).
func (c *collector) auto(dir string) bool {
	for line := range strings.Lines(text(c.t, dir+"/start.conf")) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 0 {
			return f[0] == "auto"
		}
	}
	return true
}

// enabledServers lists the services of postgresql that are started with the host.
// Debian's postgresql.service and its instances stand for the clusters.
func (c *collector) enabledServers() []string {
	names, _ := c.startedUnits()
	var out []string
	for _, u := range slices.Sorted(maps.Keys(names)) {
		if strings.HasPrefix(u, "postgresql") && strings.HasSuffix(u, ".service") && !strings.Contains(u, "@") && c.ofServer(u) {
			out = append(out, u)
		}
	}
	return out
}

// ofServer says whether a unit starts a server: Debian's postgresql.service does
// nothing by itself (Type=oneshot).
func (c *collector) ofServer(unit string) bool {
	t := c.unitText(unit)
	return t != "" && !strings.Contains(t, "Type=oneshot")
}

// unitText joins the file of a unit and its drop-ins, in the order in which they hold.
func (c *collector) unitText(unit string) string {
	var b strings.Builder
	for _, dir := range unitDirs {
		if t := text(c.t, dir+"/"+unit); t != "" {
			b.WriteString(t)
			break
		}
	}
	for _, dir := range []string{"usr/lib/systemd/system", "etc/systemd/system"} {
		for _, f := range c.sorted(dir + "/" + unit + ".d") {
			if strings.HasSuffix(f, ".conf") {
				b.WriteString("\n" + text(c.t, dir+"/"+unit+".d/"+f))
			}
		}
	}
	return b.String()
}

// dataDirOf returns the folder that the unit of a server names, as the packages
// of Red Hat and SUSE do; "" where it does not.
func (c *collector) dataDirOf(unit string) string {
	dir := ""
	for line := range strings.Lines(c.unitText(unit)) {
		v, ok := strings.CutPrefix(strings.TrimSpace(line), "Environment=")
		if v, ok2 := strings.CutPrefix(strings.Trim(v, `"'`), "PGDATA="); ok && ok2 && path.IsAbs(v) {
			dir = path.Clean(strings.TrimSpace(v))
		}
	}
	return dir
}

// settingIn reads one setting of a configuration file; the last one holds.
func (c *collector) settingIn(file, name string) string {
	value := ""
	for _, l := range conf.Parse(text(c.t, file)) {
		if l.Err == "" && conf.Same(l.Name, name) {
			value = l.Value
		}
	}
	if !path.IsAbs(value) {
		return ""
	}
	return path.Clean(value)
}

// sorted lists a folder; none where it cannot be read.
func (c *collector) sorted(dir string) []string {
	names, _ := c.t.ReadDir(dir)
	slices.Sort(names)
	return names
}
