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
			if p, ok := altered(files, c.Data)["port"]; ok {
				c.Port, _ = strconv.Atoi(p)
			}
			out = append(out, c)
		}
	}
	return out
}

// altered are the settings of ALTER SYSTEM, which win. They are read with the rights of the account that wrote them.
func altered(files target.Target, data string) map[string]string {
	if data == "" {
		return nil
	}
	in, err := files.Stat(data)
	if err != nil {
		return nil
	}
	own := target.ConfigFiles{Target: files.As(target.User{UID: in.UID, GID: in.GID})}
	return conf.Resolve(own, path.Join(data, conf.AutoFile), "").Values()
}

// DefaultPort is what a server has whose configuration names no port.
const DefaultPort = 5432
