package pgctl

import (
	"path"
	"sync"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// ConfigFile returns the path of postgresql.conf: as the server says, as the snapshot has it, or where Debian or initdb
// put it; "" if there is none.
func (p *Server) ConfigFile(in *snapshot.Instance, s *Session) string {
	dir, _ := in.DataDirectory.Get()
	files, err := p.FilesOf(in)
	if err != nil {
		return ""
	}
	candidates := []string{}
	if s != nil {
		candidates = append(candidates, s.configFile)
	}
	if set, ok := in.Server.Settings.Get(); ok {
		v, _ := set.Text("config_file")
		candidates = append(candidates, v)
	}
	if dir != "" {
		candidates = append(candidates, path.Join(dir, "postgresql.conf"))
		if v, c := path.Base(path.Dir(dir)), path.Base(dir); path.Dir(path.Dir(dir)) == "/var/lib/postgresql" {
			candidates = append(candidates, path.Join("/etc/postgresql", v, c, "postgresql.conf"))
		}
	}
	for _, c := range candidates {
		if c == "" {
			continue
		}
		if _, err := files.Stat(c); err == nil {
			return c
		}
	}
	return ""
}

// Server reaches the servers of a host: how each is logged in to, stopped, started, restarted and reloaded, and whether
// it would start with other settings. Every method takes the instance that it is about. The zero value is usable, apart
// from Target.
type Server struct {
	Target   target.Target
	Conninfo string // how the user reaches the server; "": the socket that its lock file names
	// Environment says that Conninfo is the whole of it where it is "": PG*
	// variables name the server.
	Environment bool
	// RestartCommand is the user's own shell line that restarts the server; "":
	// found out by what runs it.
	RestartCommand string
	// StopCommand and StartCommand are the user's shell commands that stop and start it, both or none.
	StopCommand, StartCommand string
	// Wait bounds each of stopping and starting at a restart, and a reload; 0:
	// DefaultWait.
	Wait time.Duration
	// Pool is the number of huge pages of the kernel's own size that the plan will
	// have brought about before the server starts; 0: what there is now.
	Pool int64

	Tell func(string) // one clause for a person; may be nil

	lock     sync.Mutex
	services map[string]service        // by data directory: see serviceOf
	sessions map[string]*Session       // by data directory and database, between calls
	accounts map[string]*trust.Account // by data directory: see account
	// by data directory: what pg_ctl is to append the messages of a server to that is down
	logs map[string]string
}
