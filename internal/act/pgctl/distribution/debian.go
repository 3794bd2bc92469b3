package distribution

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// ConfigRoot is where Debian's postgresql-common has the configuration of a cluster:
// VERSION/NAME/postgresql.conf.
const ConfigRoot = "/etc/postgresql"

// Cluster is one of Debian's postgresql-common.
type Cluster struct {
	Version, Name string
	Config        string // path of its postgresql.conf
	Log           string // file that pg_ctlcluster appends its messages to
}

// Unit is the systemd unit that runs it, where systemd does.
func (c Cluster) Unit() string { return "postgresql@" + c.Version + "-" + c.Name + ".service" }

// LogFile is where pg_createcluster puts the log.
func LogFile(version, name string) string {
	return "/var/log/postgresql/postgresql-" + version + "-" + name + ".log"
}

// ClusterOf finds the cluster of a data directory among those that are configured,
// as pg_lsclusters does: the name of a directory proves nothing.
func ClusterOf(files target.Target, dir string) (Cluster, bool) {
	versions, err := files.ReadDir(ConfigRoot)
	if err != nil {
		return Cluster{}, false
	}
	for _, v := range versions {
		names, err := files.ReadDir(path.Join(ConfigRoot, v))
		if err != nil {
			continue // a file, such as postgresql-common's own
		}
		for _, n := range names {
			c := Cluster{Version: v, Name: n, Config: path.Join(ConfigRoot, v, n, "postgresql.conf"),
				Log: LogFile(v, n)}
			if _, err := files.Stat(c.Config); err != nil {
				continue
			}
			at := conf.Resolve(target.ConfigFiles{Target: files}, c.Config, dir).Values()["data_directory"]
			if at == "" || path.Clean(at) != path.Clean(dir) {
				continue
			}
			if to, err := files.Readlink(path.Join(ConfigRoot, v, n, "log")); err == nil && path.IsAbs(to) {
				c.Log = to
			}
			return c, true
		}
	}
	return Cluster{}, false
}
