package document

import (
	"github.com/pgfettle/pgfettle/internal/judge/conffile"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
)

// File is the report on a configuration file with where its version is from.
type File struct {
	conffile.Report
	From string `json:"version_from"` // why this version: "--pg", "PG_VERSION", "oldest", "newest", "--for"
	// the machine: a description, or "this host"; "": settings alone were judged
	For     string    `json:"for,omitempty"`
	Assumed []Assumed `json:"assumed,omitempty"` // not given for a described machine
	Policy  string    `json:"policy,omitempty"`  // the file that says what is accepted
	// Upgrade is what an upgrade of the server with this configuration meets, where that was asked for
	Upgrade *upgrade.Report `json:"upgrade,omitempty"`
	All     bool            `json:"-"` // accepted findings in full
}
