package upgrade

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Twin is what the configuration of one instance gives a new one elsewhere.
type Twin struct {
	Of      string // label and version of the instance
	Set     pg.Settings
	Dropped []Parameter // what is not carried over, with the reason
}

// ofPlace are settings that name what only the other instance has, or may do. archive_command is among them: two
// servers
// that archive to one place overwrite each other's WAL.
var ofPlace = map[string]say.Template{
	"port":                    "Each instance of a host has its own.",
	"listen_addresses":        "It is opened with --allow.",
	"unix_socket_directories": "The new instance has its own.",
	"cluster_name":            "The new instance has its own.",
	"archive_command": "Two servers that archive to one place overwrite each other's WAL: set up a separate " +
		"place.",
	"archive_mode": "Without a separate place to archive to, WAL would accumulate.",
	"archive_library": "Two servers that archive to one place overwrite each other's WAL: set up a separate " +
		"place.",
	"primary_conninfo":          "The new instance is no standby.",
	"primary_slot_name":         "The new instance is no standby.",
	"restore_command":           "The new instance has no WAL to restore.",
	"synchronous_standby_names": "The new instance has no standbys, and commits would wait for them.",
	"huge_pages":                "It is decided from the huge pages of this host.",
	"log_directory":             "The new instance has its own.",
	"temp_tablespaces":          "The new instance has no tablespaces.",
	"default_tablespace":        "The new instance has no tablespaces.",
	"ssl":                       "The new instance has no certificate yet.",
	"ssl_cert_file":             "The new instance has no certificate yet.",
	"ssl_key_file":              "The new instance has no certificate yet.",
	"ssl_ca_file":               "The new instance has no certificate yet.",
	"ssl_crl_file":              "The new instance has no certificate yet.",
}

// TwinOf translates what is set by hand in an instance for a new one of a major version that is not older. ok is false
// if the settings or the version of the instance are unknown, or the version is newer.
func TwinOf(in *snapshot.Instance, to int) (t Twin, ok bool) {
	v, ok1 := in.Server.Version.Get()
	set, ok2 := in.Server.Settings.Get()
	if !ok1 || !ok2 || v.Major() > to {
		return t, false
	}
	set, _ = instanceSettings(in, set, v.Major())
	c := translate(set, v.Major(), to)
	fresh := newSettings(set, c)
	t = Twin{Of: in.Label() + " (" + in.Version() + ")", Set: pg.Settings{}}
	for _, p := range c.Parameters {
		if why, local := ofPlace[p.Name]; local {
			p.Fate, p.NewName, p.Reason = Dropped, "", say.M(why)
		}
		if _, err := conf.Entry(p.NewName, p.New); p.Fate != Dropped && err != nil {
			p.Fate, p.NewName, p.Reason = Dropped, "", say.M("A line of a configuration file cannot hold its value.")
		}
		switch {
		case p.Fate == Dropped:
			t.Dropped = append(t.Dropped, p)
		case p.Fate != AsDefault && !ofInitdb[p.NewName]:
			s := fresh[p.NewName]
			s.Source = "configuration file"
			t.Set[p.NewName] = s
		}
	}
	return t, true
}
