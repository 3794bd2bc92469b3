package pgctl

import (
	"context"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/serverprogram"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Trouble is why the server would not start with what is planned.
type Trouble struct {
	Name    string // of the setting; "" if the server named none
	Planned bool   // it is one of the changes; else it is in the files already
	Said    string // the server's own words, or what this machine cannot hold
}

// Try asks the installed binary, on a scratch copy, whether the server would start with the changes of its instance on
// top of what its files have now, and whether this machine can hold the shared memory that it would then ask for.
// Nothing of the instance is touched. Files that already hold something that would keep the server from starting are
// reported as well.
func (p *Server) Try(ctx context.Context, in *snapshot.Instance, changes []plan.Change) ([]Trouble, error) {
	if err := p.needsRoom(in, changes); err != nil {
		return nil, err
	}
	settings, err := p.future(ctx, in, changes)
	if err != nil {
		return nil, err
	}
	tried, err := serverprogram.TryConfiguration(ctx, p.Target, in, settings)
	if err := noRoomToTry(err, tried.Complaints); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	planned := map[string]bool{}
	for _, c := range changes {
		planned[c.Address.Name()] = true
	}
	var out []Trouble
	for _, said := range tried.Complaints {
		out = append(out, blame(said, settings, planned))
	}
	if len(out) > 0 {
		return out, nil
	}
	r, err := p.sharedMemoryLimits(in, settings)
	if err != nil {
		return nil, err
	}
	if name, why := r.refuses(settings["huge_pages"], tried.Shared); why != "" {
		if name == "shared_buffers" { // the usual cause, and not the only one
			name = heaviest(in, settings)
			why += ", most of it for " + name + " = " + settings[name]
		}
		out = append(out, Trouble{Name: name, Planned: planned[name] || planned["huge_pages"] ||
			planned["shared_buffers"], Said: why})
	}
	return out, nil
}

// heaviest names the setting that the server owes the size of its shared memory
// to: the one that at its default would save the most.
func heaviest(in *snapshot.Instance, settings map[string]string) string {
	name := "shared_buffers"
	set, ok1 := in.Server.Settings.Get()
	version, ok2 := in.Server.Version.Get()
	if !ok1 || !ok2 {
		return name
	}
	size := func(but string) unit.Bytes {
		p, _ := memory.SharedOf(set, func(name string) (string, bool) {
			row := set[name]
			if name == but {
				return row.Boot, row.Boot != ""
			}
			v, ok := settings[name]
			if !ok {
				return "", false
			}
			if n, err := unit.ParseGUC(v, row.Unit); err == nil {
				v = strconv.FormatFloat(n, 'f', -1, 64)
			}
			return v, true
		})
		return memory.EstimateShared(version.Major(), p)
	}
	least := size("")
	for _, n := range slices.Sorted(maps.Keys(settings)) {
		if s := size(n); s < least {
			least, name = s, n
		}
	}
	return name
}

// Refusal makes an error of what Try found; nil if it is nothing.
func Refusal(in *snapshot.Instance, found []Trouble) error {
	if len(found) == 0 {
		return nil
	}
	var said []string
	for _, t := range found {
		s := t.Said
		if !t.Planned {
			s += " (this is so already, without the plan)"
		}
		said = append(said, s)
	}
	return &say.Problem{Message: say.M("the server of {label} would not start with these settings", "label",
		in.Label()),
		Detail: say.Text(strings.Join(said, "; ")),
		Hint:   say.M("nothing was written; pin the setting to another value with --pin, or leave it out with --only"),
		Code:   say.CodeRefused}
}

// blame finds the setting that a message is about: one of the changes where it
// names one, else any that is set.
func blame(said string, settings map[string]string, planned map[string]bool) Trouble {
	named := func(name string) bool {
		for rest := said; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				return false
			}
			before, behind := i == 0 || !inName(rest[i-1]), i+len(name) == len(rest) || !inName(rest[i+len(name)])
			if before && behind {
				return true
			}
			rest = rest[i+len(name):]
		}
	}
	t := Trouble{Said: said}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if named(name) && (t.Name == "" || planned[name] && !t.Planned) {
			t.Name, t.Planned = name, planned[name]
		}
	}
	return t
}

func inName(c byte) bool {
	return c == '_' || c == '.' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// future returns the settings that the server would start with: what its files have now, regardless of who wrote it and
// whether the server has read it, then the changes, then its command line.
func (p *Server) future(ctx context.Context, in *snapshot.Instance, changes []plan.Change) (map[string]string, error) {
	s, err := p.Session(ctx, in)
	if err != nil {
		return nil, err
	}
	if s != nil {
		defer s.Release()
	}
	out, err := p.inFiles(ctx, in, s)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		name := c.Address.Name()
		out[name] = conf.Spelled(name, c.To)
	}
	if s == nil {
		return out, nil
	}
	rows, err := s.Rows(ctx,
		`select name, setting from pg_settings where source = 'command line' or name = 'wal_segment_size'`)
	if err != nil {
		return nil, say.Err("settings of the command line: {reason}", "reason", err)
	}
	for _, r := range rows {
		out[r[0]] = r[1]
	}
	return out, nil
}

// inFiles returns what the files say, read as the server reads them, or as the server reports them if they are closed
// to us.
func (p *Server) inFiles(ctx context.Context, in *snapshot.Instance, s *Session) (map[string]string, error) {
	dir, _ := in.DataDirectory.Get()
	if main := p.ConfigFile(in, s); main != "" && dir != "" && (s == nil || s.Here) {
		files, err := p.Files(dir)
		if err != nil {
			return nil, err
		}
		r := conf.Resolve(target.ConfigFiles{Target: files}, main, dir)
		if len(r.Faults) == 0 {
			return r.Values(), nil
		}
		if s == nil || !s.Super {
			var errs []error
			for _, f := range r.Faults {
				errs = append(errs, f)
			}
			return nil, say.Err("configuration of the server: {reason}", "reason", errors.Join(errs...))
		}
	}
	if s == nil {
		return nil, &say.Problem{Message: say.M("the configuration files of {label} are closed to us, and no server "+
			"runs that could be asked", "label", in.Label()), Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root or as the owner of {dir}", "dir", path.Join(dir, "postgresql.conf"))}
	}
	rows, err := s.Rows(ctx,
		`select coalesce(name, ''), setting, coalesce(error, ''), sourcefile, sourceline::text from pg_file_settings `+
			`order by seqno`)
	if err != nil {
		return nil, say.Named("pg_file_settings", err)
	}
	out := map[string]string{}
	for _, r := range rows {
		if r[0] == "" {
			return nil, say.Err("{path} line {line}: {reason}", "path", r[3], "line", r[4], "reason", r[2])
		}
		out[strings.ToLower(r[0])] = r[1]
	}
	return out, nil
}
