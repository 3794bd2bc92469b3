package proving

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/experiment/engine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/machine"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/app"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/experiment"
)

// turnSeconds is the length of a run on an existing database, shorter than on an instance that is made: nothing is
// restarted, so that caches stay as they are, and short runs by turns are close in time.
const turnSeconds = 60

const notOnDatabase = "Omit one of them: the server of an existing database is not restarted or configured, and its " +
	"data are not copied."

// existing says that the experiment runs on a database of the user's.
func (o *Options) existing() bool { return o.Database != "" }

// notWith refuses what an existing database cannot have.
func (o *Options) notWith(flags ...string) error {
	for _, flag := range flags {
		if o.Said(flag) {
			return say.Usage(say.M("--database and --{flag} cannot be used together", "flag", flag),
				say.M(notOnDatabase))
		}
	}
	switch {
	case o.Workload == workload.FromStatements || strings.HasPrefix(o.Workload, workload.SysbenchPrefix):
		return say.Usage(say.M("--database and the load {name} cannot be used together", "name", o.Workload),
			say.M("Use a load of pgbench, or your own script with -f."))
	case o.Said("cache") && o.Cache != "warm":
		return say.Usage(say.M("--database and --cache {cache} cannot be used together", "cache", o.Cache),
			say.M(notOnDatabase))
	}
	return nil
}

// onDatabases finds the existing databases, and says which of them are to be loaded first.
func (o *Options) onDatabases(ctx context.Context, h *app.Host, e *engine.Order, w *workload.Workload,
	second string) (err error) {
	tell, done := h.Steps()
	defer done()
	tell(say.M("looking at the database…").In(h.Words))
	if e.On, err = machine.FindDatabase(ctx, o.Database); err != nil {
		return say.Named("--database", err)
	}
	e.OnB = e.On
	if second != "" {
		if e.OnB, err = machine.FindDatabase(ctx, second); err != nil {
			return say.Named("--b-database", err)
		}
	}
	e.Database, e.DatabaseB = e.On.Text(), e.OnB.Text()
	e.Server, e.Restore = fmt.Sprintf("PostgreSQL %v, %s", e.On.Version, e.Database), experiment.RestoreExisting
	if second != "" {
		e.ServerB = fmt.Sprintf("PostgreSQL %v, %s", e.OnB.Version, e.DatabaseB)
	}
	e.Host = describeHost(h, nil)
	e.Host.Server = e.On.Version.String()
	load, data, err := loadgen.Workload(e.Asked.Data, o.Scripts)
	if err != nil {
		return err
	}
	scale, own := 0, load != data && !o.Said("workload") // scripts for tables of the user's
	for _, d := range []*machine.Database{e.On, e.OnB} {
		switch {
		case d.Standby && w.Writes:
			return refused(say.M("the server of {database} is a standby", "database", d.Text()),
				say.M("Name a database that can be written to."))
		case d.Others > 0:
			return refused(say.N(d.Others, "{n} session of another client is connected to {database}",
				"{n} sessions of other clients are connected to {database}", "database", d.Text()),
				say.M("Name a database that only you use: the load runs at full speed, and what it writes stays."))
		}
		fits, fill := d.Holds(data)
		switch {
		case fill && !own:
			if !slices.Contains(e.Fills, d.Text()) {
				e.Fills = append(e.Fills, d.Text())
			}
			d.Loaded = machine.Loaded{Data: data.Data(), Scale: e.Scale}
		case !fits && !own:
			return refused(say.M("{database} has other data than the load {name}", "database", d.Text(), "name",
				data.Name), say.M("Name an empty database, which is loaded first, or scripts for its tables with -f."))
		}
		is := max(d.Loaded.Scale, 1)
		if scale != 0 && scale != is && !own {
			return refused(say.M("the databases hold data of different scales: {scale} and {other}", "scale", scale,
				"other", is), say.M("Load both at one scale, such as with pgbench -i -s {scale}.", "scale", scale))
		}
		scale = is
	}
	if o.Said("scale") && scale != e.Scale {
		return refused(say.M("the data in {database} are of scale {scale}, not {other}", "database", e.Database,
			"scale", scale, "other", e.Scale), say.M("Omit --scale, or name an empty database."))
	}
	e.Scale = scale
	if len(e.Fills) > 0 {
		e.Notes = append(e.Notes, say.M("The database is empty and is loaded first. What is loaded stays: to measure "+
			"again, or until you drop it."))
	}
	if w.Writes {
		e.Notes = append(e.Notes, say.M("What the load writes stays in the database: later runs start with other data "+
			"than the first, in both configurations."))
	}
	return nil
}

func refused(m, hint say.Message) error {
	return &say.Problem{Message: m, Hint: hint, Code: say.CodeRefused}
}

// onSession makes a configuration of an existing database: what its sessions set.
func onSession(ctx context.Context, flag, text string, d *machine.Database) (experiment.Configuration, error) {
	spec, err := experiment.ParseConfiguration(text)
	wrong := func(m say.Message) (experiment.Configuration, error) {
		return experiment.Configuration{}, &say.Problem{Message: say.M("{flag}: {error}", "flag", flag, "error", m),
			Hint: say.M("On an existing database, write current, or what a session can set, as in pg:work_mem=64MB. " +
				"Without --database the experiment makes an instance, with any configuration."), Code: say.CodeUsage}
	}
	var p *say.Problem
	switch {
	case errors.As(err, &p):
		return wrong(p.Message)
	case err != nil:
		return experiment.Configuration{}, err
	case spec.Base == experiment.BaseDefault && len(spec.Over) > 0 && spec.Text[:len("default")] != "default":
	case spec.Base != experiment.BaseCurrent:
		return wrong(say.M("{text} is a configuration of a whole server", "text", say.Quoted(text)))
	}
	c, err := experiment.NewConfiguration(spec, nil, nil)
	if err != nil {
		return c, err
	}
	if len(c.Kernel) > 0 {
		return wrong(say.M("the kernel is not changed"))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if _, ok := d.Settable[name]; !ok {
			return wrong(say.M("{name} cannot be set by a session of this role", "name", name))
		}
	}
	if err := d.Try(ctx, c.Settings); err != nil {
		return wrong(say.OfError(err))
	}
	return c, nil
}

// level gives both configurations what only the other one sets, as it is where nothing is set.
func level(a, b *experiment.Configuration, ofA, ofB *machine.Database) {
	for name := range b.Settings {
		if _, ok := a.Settings[name]; !ok {
			a.Settings[name] = ofA.Settable[name]
		}
	}
	for name := range a.Settings {
		if _, ok := b.Settings[name]; !ok {
			b.Settings[name] = ofB.Settable[name]
		}
	}
}
