package pg

import "github.com/pgfettle/pgfettle/internal/base/regex"

var preRelease = regex.New(`^[0-9]+(?:alpha|beta|rc|devel)[0-9]*`)

// PreRelease returns the name of a server's version if it is no release, as server_version has it without what the
// packager added: "19rc1" of "19rc1 (Debian 19~rc1-1)"; "" for a release, and where the settings are not known.
// server_version_num does not tell them apart: it is 190000 for betas, release candidates and 19.0.
func (s *Server) PreRelease() string {
	set, _ := s.Settings.Get()
	return preRelease.FindString(set["server_version"].Value)
}
