package pgctl

import (
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// debianConfig is where Debian's postgresql-common has the configuration of a cluster:
// VERSION/NAME/postgresql.conf.
const debianConfig = "/etc/postgresql"

// cluster is one of Debian's postgresql-common.
type cluster struct {
	version, name string
	config        string // path of its postgresql.conf
	log           string // file that pg_ctlcluster appends its messages to
}

// unit is the systemd unit that runs it, where systemd does.
func (c cluster) unit() string { return "postgresql@" + c.version + "-" + c.name + ".service" }

// debianLog is where pg_createcluster puts the log.
func debianLog(version, name string) string {
	return "/var/log/postgresql/postgresql-" + version + "-" + name + ".log"
}

// debianCluster finds the cluster of a data directory among those that are configured,
// as pg_lsclusters does: the name of a directory proves nothing.
func debianCluster(files target.Target, dir string) (cluster, bool) {
	versions, err := files.ReadDir(debianConfig)
	if err != nil {
		return cluster{}, false
	}
	for _, v := range versions {
		names, err := files.ReadDir(path.Join(debianConfig, v))
		if err != nil {
			continue // a file, such as postgresql-common's own
		}
		for _, n := range names {
			c := cluster{version: v, name: n, config: path.Join(debianConfig, v, n, "postgresql.conf"),
				log: debianLog(v, n)}
			if _, err := files.Stat(c.config); err != nil {
				continue
			}
			at := conf.Resolve(target.ConfigFiles{Target: files}, c.config, dir).Values()["data_directory"]
			if at == "" || path.Clean(at) != path.Clean(dir) {
				continue
			}
			if to, err := files.Readlink(path.Join(debianConfig, v, n, "log")); err == nil && path.IsAbs(to) {
				c.log = to
			}
			return c, true
		}
	}
	return cluster{}, false
}
