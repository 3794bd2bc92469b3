package pgctl

import (
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// endless returns an error where a server of this host would not come back from reading
// its configuration, so that neither a reload nor a restart may be asked for: see
// collect.Endless. What cannot be read by us is no reason.
func (p *Server) endless(in *snapshot.Instance, s *Session) error {
	main := p.ConfigFile(in, s)
	dir, ok := in.DataDirectory.Get()
	if main == "" || !ok {
		return nil
	}
	files, err := p.Files(dir)
	if err != nil {
		return nil
	}
	found := collect.Endless(files, main, dir)
	if len(found) == 0 {
		return nil
	}
	why := strings.Join(slices.Sorted(maps.Values(found)), "; ")
	return &say.Problem{Message: say.M("nothing was asked of the server of {label}: it would hang while it reads "+
		"its configuration", "label", in.Label()), Detail: say.Text(why),
		Hint: say.M("correct that line or file first"),
		Code: say.CodeRefused}
}
