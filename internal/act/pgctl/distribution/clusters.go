package distribution

import (
	"path"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// Configured is a cluster of Debian's postgresql-common as its configuration has it.
type Configured struct {
	Cluster
	Data string // "": its configuration does not name it
	Port int    // 0: likewise
}

// Clusters lists the clusters that are configured, whether or not they run.
func Clusters(files target.Target) (out []Configured) {
	versions, err := files.ReadDir(ConfigRoot)
	if err != nil {
		return nil
	}
	for _, v := range versions {
		names, err := files.ReadDir(path.Join(ConfigRoot, v))
		if err != nil {
			continue // a file, such as postgresql-common's own
		}
		for _, n := range names {
			c := Configured{Cluster: Cluster{Version: v, Name: n, Config: path.Join(ConfigRoot, v, n,
				"postgresql.conf"),
				Log: LogFile(v, n)}}
			if _, err := files.Stat(c.Config); err != nil {
				continue
			}
			values := conf.Resolve(target.ConfigFiles{Target: files}, c.Config, "").Values()
			c.Data = values["data_directory"]
			c.Port, _ = strconv.Atoi(values["port"])
			out = append(out, c)
		}
	}
	return out
}
