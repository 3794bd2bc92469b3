// Package configure makes the configurations of an experiment whole from what a person
// names: it reads where they start from (defaults, an instance, a plan, a file) and
// tries them with the installed server programs on a throwaway cluster.
package configure

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/act/trust"
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Maker makes configurations whole.
type Maker struct {
	Files   target.Target
	Trial   *Trial
	Current func(context.Context) (*snapshot.Instance, error) // the instance that «current» means
	Clients int
	Kernel  bool // the kernel of this machine may be touched
}

// spare connections that a scratch instance needs beside those of the load:
// three are reserved for superusers, and counters are read while it runs.
const spare = 10

// Make makes a configuration of what a person wrote, tried with the installed programs.
// flag names it in errors.
func (m *Maker) Make(ctx context.Context, flag, text string) (experiment.Configuration, error) {
	wrong := func(err error, hint say.Message) (experiment.Configuration, error) {
		return experiment.Configuration{}, &say.Problem{Message: say.M("{flag}: {error}", "flag", flag, "error", err),
			Hint: hint,
			Code: say.CodeUsage}
	}
	spec, err := experiment.ParseConfiguration(text)
	if err != nil {
		return wrong(err, say.M("write default, current, plan, a file, or values as in default+pg:work_mem=64MB"))
	}
	base, kernel, err := m.base(ctx, flag, spec)
	if err != nil {
		return experiment.Configuration{}, err
	}
	a, err := experiment.NewConfiguration(spec, base, kernel)
	if err != nil {
		return wrong(err, say.M("kernel values are written sysctl:NAME=VALUE"))
	}
	if !m.Kernel && len(a.Kernel) > 0 {
		for _, v := range spec.Over {
			if _, ok := a.Kernel[knob.Address(v.Address)]; ok {
				return experiment.Configuration{},
					&say.Problem{Message: say.M("{flag}: {address} is a value of this host's kernel, which holds for "+
						"every program", "flag", flag, "address", v.Address),
						Hint: say.M("add --kernel if this host may be changed; all values are restored afterwards"),
						Code: say.CodeRefused}
			}
		}
		for _, k := range slices.Sorted(maps.Keys(a.Kernel)) {
			a.Omitted = append(a.Omitted, experiment.Omitted{Name: string(k), Value: a.Kernel[k],
				Why: say.M("the kernel is not touched without --kernel")})
		}
		a.Kernel = map[knob.Address]string{}
	}
	if !m.Kernel && isOn(a.Settings["huge_pages"]) && !slices.ContainsFunc(spec.Over,
		func(v experiment.Setting) bool { return v.Address == "pg:huge_pages" }) {
		a.Settings["huge_pages"] = "try" // it must start, and this was not explicitly requested
		a.Omitted = append(a.Omitted, experiment.Omitted{Name: "huge_pages", Value: "on",
			Why: say.M("there is no pool of huge pages without --kernel; it is tried")})
	}
	a.OmitUnsupported(m.Trial.Installed)
	m.room(&a)
	return a, m.try(ctx, flag, &a)
}

// room gives the load its connections.
func (m *Maker) room(a *experiment.Configuration) {
	major := m.Trial.Server.Version.Major()
	have := 0
	if text, said := a.Settings["max_connections"]; said {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return // the server will say what it thinks of it
		}
		have = n
	} else if p, ok := params.Lookup(major, "max_connections"); ok {
		have, _ = strconv.Atoi(p.Boot)
	}
	if need := m.Clients + spare; have < need {
		a.Settings["max_connections"] = strconv.Itoa(need)
		a.Notes = append(a.Notes, say.M("max_connections is raised from {before} to {after}: the load has {clients} "+
			"clients", "before", strconv.Itoa(have), "after", strconv.Itoa(need), "clients", strconv.Itoa(m.Clients)))
	}
}

// try asks the programs, and settles the pool of huge pages.
func (m *Maker) try(ctx context.Context, flag string, a *experiment.Configuration) error {
	// Whether there is a pool is another question; -C does not ask it.
	said, err := m.Trial.Try(ctx, a.Settings)
	if err != nil {
		return say.Named(flag, say.Err("configuration tried with {binaries}: {reason}", "binaries", m.Trial.Server,
			"reason", err))
	}
	if len(said.Complaints) > 0 {
		more := say.Message{}
		if n := len(said.Complaints) - 1; n > 0 {
			more = say.Text(strings.Join(said.Complaints[1:], "; "))
		}
		return &say.Problem{Message: say.M("{flag}: {server} would not start with it: {complaints}", "flag", flag,
			"server", m.Trial.Server, "complaints", said.Complaints[0]), Detail: more,
			Hint: say.M("correct the configuration, or name another version with --pg"), Code: say.CodeUsage}
	}
	if !isOn(a.Settings["huge_pages"]) {
		return nil
	}
	switch {
	case !m.Kernel:
		return &say.Problem{Message: say.M("{flag}: huge_pages = on needs a pool of huge pages, which is taken from "+
			"this host's memory", "flag", flag),
			Hint: say.M("add --kernel if this host may be changed (the pool is restored afterwards), or write " +
				"huge_pages=try"),
			Code: say.CodeRefused}
	case said.Shared.Pages <= 0 && said.Shared.Bytes > 0: // before 15 the server reports only how much it asks for
		size := m.hugePage()
		said.Shared.Pages = int64((said.Shared.Bytes + size - 1) / size)
	case said.Shared.Pages <= 0:
		return &say.Problem{Message: say.M("{flag}: how many huge pages the server needs could not be found", "flag",
			flag),
			Hint: say.M("write huge_pages=try or off"), Code: say.CodeError}
	}
	a.HugePages = said.Shared.Pages
	return nil
}

// hugePage is the size of the kernel's default huge page.
func (m *Maker) hugePage() unit.Bytes {
	b, err := m.Files.ReadFile("/proc/meminfo", 1<<16)
	if err == nil {
		for line := range strings.Lines(string(b)) {
			if f := strings.Fields(line); len(f) == 3 && f[0] == "Hugepagesize:" {
				if n, err := strconv.ParseInt(f[1], 10, 32); err == nil && n > 0 {
					return unit.Bytes(n) * unit.KB
				}
			}
		}
	}
	return 2 * unit.MB // of amd64, and of arm64 with pages of 4 kB
}

// CheckpointTimeout is how long a checkpoint cycle of a configuration lasts at most.
func CheckpointTimeout(a *experiment.Configuration) time.Duration {
	if s, err := unit.ParseGUC(a.Settings["checkpoint_timeout"], "s"); err == nil && s > 0 && s <= 86400 {
		return time.Duration(s * float64(time.Second))
	}
	return 5 * time.Minute // the default of 13 to 18
}

func isOn(value string) bool {
	on, ok := params.ParseBool(strings.TrimSpace(value))
	return ok && on
}

// base returns what the configuration starts from.
func (m *Maker) base(ctx context.Context, flag string, s experiment.ConfigurationText) (map[string]string,
	map[knob.Address]string, error) {
	switch s.Base {
	case experiment.BaseCurrent:
		values, err := m.current(ctx)
		return values, nil, err
	case experiment.BasePlan:
		o := rule.Options{Profile: rule.Mixed, Active: m.Clients}
		if s.Profile != "" {
			var err error
			if o.Profile, err = rule.ParseProfile(s.Profile); err != nil {
				return nil, nil, &say.Problem{Message: say.M("{flag}: {error}", "flag", flag, "error", err),
					Hint: say.M("write plan or plan:PROFILE"),
					Code: say.CodeUsage}
			}
		}
		o.Connections = m.Clients + spare
		if !m.Kernel {
			o.Pins = map[knob.Address]string{"pg:huge_pages": "try"} // a server that gets no pool must start
		}
		p, err := m.Trial.Plan(ctx, o)
		if err != nil {
			return nil, nil, say.Named(flag, say.Err("plan: {reason}", "reason", err))
		}
		values, kernel := planned(p, "")
		return values, kernel, nil
	case experiment.BaseFile:
		return m.file(flag, s.File)
	}
	return nil, nil, nil
}

// testable are the kernel values that an experiment may set and put back while
// it runs: none of them makes another program fail. What else a plan has of the
// kernel is left to apply.
var testable = []knob.Address{"sysctl:vm.swappiness", "sysctl:vm.dirty_ratio", "sysctl:vm.dirty_background_ratio",
	"sysctl:vm.zone_reclaim_mode", "thp:enabled"}

// planned are the values of a plan, for one instance.
func planned(p *plan.Plan, instance string) (map[string]string, map[knob.Address]string) {
	values, kernel := map[string]string{}, map[knob.Address]string{}
	for _, c := range p.Changes {
		switch {
		case c.Address.Prefix() == "pg" && (instance == "" || c.Instance == instance):
			values[c.Address.Name()] = c.To
		case slices.Contains(testable, c.Address):
			kernel[c.Address] = c.To
		}
	}
	return values, kernel
}

// current are the settings of an instance that differ from the defaults.
func (m *Maker) current(ctx context.Context) (map[string]string, error) {
	if m.Current == nil {
		return nil, &say.Problem{Message: say.M("current: there is no TARGET"), Code: say.CodeUsage}
	}
	in, err := m.Current(ctx)
	if err != nil {
		return nil, err
	}
	all, ok := in.Server.Settings.Get()
	if !ok {
		gap := in.Server.Settings.Gap()
		return nil, &say.Problem{Message: say.M("current: the settings of {label} are not known: {reason}", "label",
			in.Label(), "reason", gapwords.Arg(gap.Reason)),
			Hint: say.M("name it as TARGET in a way that its server can be asked"), Code: say.CodeNoAccess}
	}
	out := map[string]string{}
	for _, s := range all {
		if s.Context == "internal" || slices.Contains([]string{"default", "override", "client", "session",
			"environment variable"}, s.Source) || s.Value == s.Boot {
			continue
		}
		out[s.Name] = s.Show()
	}
	return out, nil
}

// file reads a postgresql.conf or a plan.
func (m *Maker) file(flag, name string) (map[string]string, map[knob.Address]string, error) {
	wrong := func(message, hint say.Message, code int) (map[string]string, map[knob.Address]string, error) {
		return nil, nil, &say.Problem{Message: say.M("{flag}: {message}", "flag", flag, "message", message), Hint: hint,
			Code: code}
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, nil, say.Named(flag, err)
	}
	st, err := m.Files.Stat(abs)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrong(say.M("{name} is neither a configuration nor an existing file", "name", say.Quoted(name)),
			say.DidYouMean(name, []string{"default", "current", "plan"},
				say.M("write default, current, plan, or the name of a file")), say.CodeUsage)
	case errors.Is(err, fs.ErrPermission):
		return wrong(say.M("{name}: permission denied", "name", say.Quoted(name)), say.M("run pgfettle as a user who "+
			"may read the file"),
			say.CodeNoAccess)
	case err != nil:
		return nil, nil, say.Named(flag, err)
	case !st.Mode.IsRegular():
		return wrong(say.M("{name} is no regular file", "name", say.Quoted(name)), say.M("name a postgresql.conf"),
			say.CodeUsage)
	}
	b, err := m.Files.ReadFile(abs, plan.MaxFile)
	if err != nil {
		return wrong(say.OfError(err), say.Message{}, say.CodeError)
	}
	if strings.HasPrefix(strings.TrimLeftFunc(string(b), unicode.IsSpace), "{") {
		p, about, err := plan.Decode(b)
		switch {
		case err != nil:
			return wrong(say.M("plan file {name}: {error}", "name", say.Quoted(name), "error", err),
				say.M("'pgfettle plan --format json' writes such a file"),
				say.CodeUsage)
		case len(about) > 1:
			return wrong(say.M("plan file {name} is about {n} instances", "name", say.Quoted(name), "n", len(about)),
				say.M("plan for one of them: pgfettle plan --format json DATADIR"), say.CodeUsage)
		}
		values, kernel := planned(p, "")
		return values, kernel, nil
	}
	view, err := trust.Named(m.Files, abs)
	if err != nil {
		return nil, nil, say.Named(flag, err)
	}
	r := conf.Resolve(target.AsConfigFiles(view), abs, autoOf(view, abs))
	if len(r.Faults) > 0 {
		return wrong(gapwords.Of(r.Faults[0].Error()),
			say.M("the server would not start with it; 'pgfettle check --conf' lists all that is wrong"), say.CodeUsage)
	}
	return r.Values(), nil, nil
}

// autoOf returns the data directory whose postgresql.auto.conf belongs to a file: the directory that it is in.
func autoOf(files target.Target, main string) string {
	dir := path.Dir(main)
	if _, err := files.Stat(path.Join(dir, "PG_VERSION")); err == nil && path.Base(main) != conf.AutoFile {
		return dir
	}
	return ""
}
