package host

import (
	"encoding/json"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// ServersFile holds the server programs that are installed on the host. It is collected where an upgrade is of
// interest.
const ServersFile = "servers.json"

// InstalledServer is a directory of server programs.
type InstalledServer struct {
	Path       string   `json:"path"` // its bin directory
	Number     int      `json:"number"`
	Upgrades   bool     `json:"upgrades"`             // pg_upgrade is among the programs
	Extensions []string `json:"extensions,omitempty"` // names of control files; null: not found
	Libraries  []string `json:"libraries,omitempty"`  // loadable ones, without suffix; null: not found
}

// Major is its major version.
func (s InstalledServer) Major() int { return s.Number / 10000 }

// ReadServers reads servers.json, newest first.
func ReadServers(fsys fs.FS) known.Fact[[]InstalledServer] {
	return evidence.Read(fsys, ServersFile, func(b []byte) ([]InstalledServer, error) {
		out := []InstalledServer{}
		return out, json.Unmarshal(b, &out)
	})
}
