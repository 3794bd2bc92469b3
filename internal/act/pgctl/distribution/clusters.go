package distribution

import (
	"path"
	"strconv"
	"strings"

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

// Ports are the ports that clusters are configured for which units start, also those that are disabled or were never
// started, with their data directories. Debian's are among Clusters.
func Ports(files target.Target) map[int]string {
	out := map[int]string{}
	for _, dir := range unitData(files) {
		in, err := files.Stat(dir)
		if err != nil {
			continue
		}
		own := files.As(target.User{UID: in.UID, GID: in.GID})
		if _, err := own.Stat(path.Join(dir, "PG_VERSION")); err != nil {
			continue // no cluster was made there yet
		}
		port := DefaultPort
		values := conf.Resolve(target.ConfigFiles{Target: own}, path.Join(dir, "postgresql.conf"), dir).Values()
		if n, err := strconv.Atoi(values["port"]); err == nil {
			port = n
		}
		out[port] = dir
	}
	return out
}

// unitPlaces are where administrators and packages put units.
var unitPlaces = []string{"/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"}

// unitData are the data directories that units name as those of the PGDG packages for RHEL and ours do.
func unitData(files target.Target) (out []string) {
	for _, place := range unitPlaces {
		names, err := files.ReadDir(place)
		if err != nil {
			continue
		}
		for _, n := range names {
			if !strings.HasPrefix(n, "postgresql") || !strings.HasSuffix(n, ".service") {
				continue
			}
			text, err := files.ReadFile(path.Join(place, n), target.MaxConfigFile)
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(text)) {
				word, ok := strings.CutPrefix(strings.TrimSpace(line), "Environment=")
				dir, named := strings.CutPrefix(strings.Trim(word, `"`), "PGDATA=")
				if ok && named && path.IsAbs(dir) {
					out = append(out, path.Clean(dir))
				}
			}
		}
	}
	return out
}
