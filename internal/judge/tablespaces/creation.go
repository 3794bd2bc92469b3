package tablespaces

import (
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/sqlname"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Wanted is the tablespace that a person asks for.
type Wanted struct {
	Name  string
	Owner string // role; "": the one that we are logged in as
	Temp  bool   // temporary files go there

	SameFilesystem bool // it may be on the filesystem of the data directory
	StandbysReady  bool // its directory exists on every standby
}

// maxName is what a server that is built as usual takes; of a longer name it would take the first bytes.
const maxName = 63

// Creation is a tablespace that may be created, as its place was found.
type Creation struct {
	Wanted
	Label  string
	Site   Site
	Server Server
	Costs  []Cost
	TempTo string // temp_tablespaces after it; "": it stays
	Notes  []say.Message
}

// Cost is an option of a tablespace by what the rules say of its device.
type Cost struct {
	Option string      `json:"option"`
	Now    string      `json:"now"` // the value of its own, or "unset": the server's applies
	Want   string      `json:"want"`
	Reason say.Message `json:"reason"`
}

// Changes reports whether the option should be another.
func (c *Cost) Changes() bool { return c.Now != c.Want }

// Create judges a tablespace before anything is touched. The error is why it is not to be created.
func Create(w Wanted, site Site, v Server) (*Creation, error) {
	if err := w.name(&v); err != nil {
		return nil, err
	}
	if err := v.managed(); err != nil {
		return nil, err
	}
	if err := v.may(&w); err != nil {
		return nil, err
	}
	if err := site.refuse(&v, w.Name, w.SameFilesystem); err != nil {
		return nil, err
	}
	if err := v.standbys(&w, &site); err != nil {
		return nil, err
	}
	c := &Creation{Wanted: w, Label: v.Label, Site: site, Server: v, Notes: site.notes(&v)}
	if v.Manager == "ansible" {
		c.Notes = append(c.Notes, say.M("Ansible writes the configuration of this instance: add the tablespace to its "+
			"role"))
	}
	if w.Temp {
		c.temp()
	}
	for _, name := range v.IdleSlots {
		c.Notes = append(c.Notes, say.M("the standby of slot {name} is not connected: create the directory there "+
			"before it starts again", "name", say.Quoted(name)))
	}
	if len(v.Replicas) > 0 {
		c.Notes = append(c.Notes, say.M("connected standbys: {names}; each stops if the directory {dir} is missing "+
			"there",
			"names", say.Names(v.Replicas, 5), "dir", site.To))
	}
	return c, nil
}

// name refuses a name that the server would not take, or takes for another.
func (w *Wanted) name(v *Server) error {
	another := say.M("choose another name")
	switch {
	case w.Name == "" || knob.Tablespace(w.Name, knob.Location) == "":
		return say.Usage(say.M("{name} is not a name for a tablespace", "name", say.Quoted(w.Name)), another)
	case strings.HasPrefix(w.Name, "pg_"):
		return refused(say.M("{name} begins with pg_", "name", w.Name),
			say.M("the server reserves such names for its own tablespaces"), another)
	case len(w.Name) > maxName:
		return refused(say.M("the name of the tablespace has {n} bytes", "n", len(w.Name)),
			say.M("the server takes the first {n} bytes of a name", "n", maxName), another)
	}
	for _, p := range v.Spaces {
		if p.Name == w.Name {
			return refused(say.M("tablespace {name} already exists", "name", say.Quoted(w.Name)),
				say.M("its directory is {dir}", "dir", p.Dir), another)
		}
	}
	return nil
}

// managed refuses a server whose directories another program makes.
func (v *Server) managed() error {
	switch v.Manager {
	case "", "ansible":
	case "patroni":
		return refused(say.M("Patroni runs {label}", "label", v.Label),
			say.M("it recreates members with pg_basebackup, which fails where the directory of a tablespace is "+
				"missing"),
			say.M("create the directory on every member, then run CREATE TABLESPACE on the leader"))
	case "cloudnative-pg":
		return refused(say.M("CloudNativePG runs {label}", "label", v.Label),
			say.M("its pods come and go with their volumes"),
			say.M("add the tablespace to spec.tablespaces of the Cluster resource: the operator creates it with its "+
				"volume"))
	default:
		return refused(say.M("{value} runs {label}", "value", v.Manager, "label", v.Label), say.Message{},
			say.M("create the tablespace the way {value} does it", "value", v.Manager))
	}
	if v.Contained {
		return &say.Problem{Message: say.M("the server of {label} runs in a container", "label", v.Label),
			Detail: say.M("its paths are not those of the host"), Code: say.CodeNoAccess,
			Hint: say.M("mount a volume for the tablespace into the container, and run CREATE TABLESPACE there")}
	}
	return nil
}

// may refuses where the server would.
func (v *Server) may(w *Wanted) error {
	switch {
	case v.Standby:
		return refused(say.M("{label} is a standby", "label", v.Label),
			say.M("its tablespaces are those of the primary"),
			say.M("create the directory here with the server's owner and mode 0700, then create the tablespace on the "+
				"primary"))
	case !v.Super:
		return &say.Problem{Message: say.M("role {role} cannot create tablespaces", "role", say.Quoted(v.Role)),
			Detail: say.M("only superusers can"), Hint: say.M("connect as a superuser"), Code: say.CodeNoAccess}
	case v.NoOwner:
		return refused(say.M("there is no role {role}", "role", say.Quoted(w.Owner)), say.Message{},
			say.M("create the role first, or omit --owner"))
	}
	return nil
}

// standbys refuses while one is connected that may not have the directory: it would stop when it replays the statement.
func (v *Server) standbys(w *Wanted, s *Site) error {
	if w.StandbysReady {
		return nil
	}
	hint := say.M("create {dir} on every standby with the server's owner and mode 0700, then pass --standbys-ready",
		"dir", s.To)
	if v.Unreadable {
		return refused(say.M("whether {label} has standbys could not be read", "label", v.Label),
			say.M("a standby without the directory stops when it replays CREATE TABLESPACE"), hint)
	}
	if len(v.Replicas) == 0 {
		return nil
	}
	return refused(say.N(len(v.Replicas), "{n} standby is connected: {names}", "{n} standbys are connected: {names}",
		"names", say.Names(v.Replicas, 5)),
		say.M("a standby without the directory stops when it replays CREATE TABLESPACE"), hint)
}

// temp adds the tablespace to temp_tablespaces.
func (c *Creation) temp() {
	c.TempTo = sqlname.InList(c.Name)
	if was := strings.TrimSpace(c.Server.Temp); was != "" {
		c.TempTo = was + ", " + c.TempTo
		c.Notes = append(c.Notes, say.M("temp_tablespaces already names {was}: files are spread over all of them, "+
			"and a "+
			"query fails when one of them is full", "was", was))
	}
	c.Notes = append(c.Notes, say.M("roles without CREATE on the tablespace keep using the data directory: {grant}",
		"grant", "GRANT CREATE ON TABLESPACE "+sqlname.Quote(c.Name)+" TO …"))
	if !c.Server.ClusterWide {
		c.Notes = append(c.Notes, say.M("a role or a database has its own value for temp_tablespaces, which goes "+
			"before that of the server"))
	}
}

// Choose decides the options that the tablespace should have on its device, as a plan decides those of one that exists.
func (c *Creation) Choose(s *snapshot.Snapshot, key string, rules []rule.Rule, o rule.Options) error {
	const oid = "4294967295" // the last one, which no tablespace has
	t := *s
	t.Instances = slices.Clone(s.Instances)
	in := t.Instance(key)
	in.Server.Tablespaces = known.Map(in.Server.Tablespaces, func(list []pg.Tablespace) []pg.Tablespace {
		return append(slices.Clone(list), pg.Tablespace{Name: c.Name, Location: c.Site.To, OID: 4294967295})
	})
	in.Places = known.Map(in.Places, func(list []snapshot.Place) []snapshot.Place {
		return append(slices.Clone(list), snapshot.Place{Role: snapshot.TablespacePlace, Path: c.Site.To,
			Tablespace: oid,
			Device:     c.Site.Device, Mode: "0700", UID: c.Server.UID})
	})
	out, err := rule.Decide(&t, rules, o)
	if err != nil {
		return err
	}
	c.Costs = costsOf(out, key, c.Name)
	return nil
}

// costsOf are the decisions on the options of a tablespace.
func costsOf(out *rule.Outcome, key, name string) []Cost {
	costs := []Cost{}
	for _, d := range out.Decisions {
		of, option, ok := d.Address.Tablespace()
		if !ok || of != name || d.Instance != key {
			continue
		}
		now := knob.Unset
		if p, ok := d.Present.Get(); ok {
			now = p.Setting
		}
		costs = append(costs, Cost{Option: option, Now: now, Want: d.Effective.Setting, Reason: d.Reason})
	}
	return costs
}

// Made reports whether the directory does not exist yet.
func (c *Creation) Made() bool { return !c.Site.Exists }

// SQL is the statement that creates it.
func (c *Creation) SQL() string { return CreateSQL(c.Name, c.Site.To) }

// CreateSQL is the statement that creates a tablespace in a directory.
func CreateSQL(name, dir string) string {
	return "CREATE TABLESPACE " + sqlname.Quote(name) + " LOCATION " + sqlname.Literal(path.Clean(dir)) + ";"
}
