package check

import (
	"slices"
	"sort"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/gapwords"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

// Severity orders findings.
type Severity int

// The severities, from the mildest. Their order is their meaning.
const (
	Info     Severity = iota // context
	Notice                   // improvement
	Warning                  // outage or degradation under load or in time
	Critical                 // data loss or outage now or at the next restart
)

var severityNames = []string{"info", "notice", "warning", "critical"}

// String returns the name.
func (s Severity) String() string { return severityNames[s] }

// MarshalText writes the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the name.
func (s *Severity) UnmarshalText(b []byte) error {
	v, err := ParseSeverity(string(b))
	*s = v
	return err
}

// ParseSeverity reads info, notice, warning or critical.
func ParseSeverity(text string) (Severity, error) {
	for i, n := range severityNames {
		if n == text {
			return Severity(i), nil
		}
	}
	return 0, say.Err("invalid severity {value}: use critical, warning, notice or info", "value", say.Quoted(text))
}

// Area groups checks for people.
type Area string

// The areas.
const (
	Startup     Area = "start"
	Memory      Area = "memory"
	HugePages   Area = "huge pages"
	Storage     Area = "storage"
	WAL         Area = "wal"
	Vacuum      Area = "vacuum"
	Connections Area = "connections"
	Config      Area = "configuration"
	Durability  Area = "durability"
	Kernel      Area = "kernel"
	Service     Area = "service"
	Version     Area = "version"
	Query       Area = "queries"
	Security    Area = "security"
)

// Areas is the order of findings of one severity: why a server does not start, what
// data and access depend on, then what most of the performance depends on, then the
// rest.
var Areas = []Area{Startup, Durability, Security, Memory, HugePages, WAL, Storage, Kernel, Vacuum, Connections, Service,
	Query, Config, Version}

// Scope says what a check is run for.
type Scope int

// The scopes.
const (
	PerInstance Scope = iota // once for each instance
	PerHost                  // once; Case.Instance is nil
)

// Check is one judgment. All fields but Commands, From, To and DependsOn are required.
type Check struct {
	ID        string
	Area      Area
	Severity  Severity // of a finding that does not choose another
	Scope     Scope
	Title     string    // the fault, as a clause without a period: "Huge page pool is too small"
	Why       string    // why it matters, in a few sentences
	Do        string    // what to do, as imperative sentences
	Commands  []Command // lines to copy, in full, that Do or a finding's own remedy names
	Sources   []string  // ids of base/say
	From, To  int       // first and last major version it is for; 0: no bound
	DependsOn []string  // ids whose finding on the same instance makes this one silent: its causes
	Judge     func(*Case)
}

// Case is one run of a check: its input, and where it reports what it found.
type Case struct {
	Snapshot *snapshot.Snapshot
	Instance *snapshot.Instance // nil for PerHost checks

	check    *Check
	options  *Options
	quoted   *quoted
	causes   []string
	findings []Finding
	unknown  []known.Gap
	skip     bool // unknown whether the check is for this version
}

// Finding is one thing that is wrong.
type Finding struct {
	ID       string       `json:"id"`
	Severity Severity     `json:"severity"`
	Area     Area         `json:"area"`
	Instance string       `json:"instance,omitempty"` // data directory or port; "" for the host
	Title    string       `json:"title"`
	Seen     say.Message  `json:"seen"` // what was seen, with the numbers
	Why      string       `json:"why"`
	Do       say.Message  `json:"do"`
	Values   []Value      `json:"values"`   // that the texts name
	Commands []Command    `json:"commands"` // that Do names
	Sources  []say.Source `json:"sources"`

	causes []string // what suppresses this finding in addition to DependsOn
}

// In returns the finding in the language of a catalog, each text that it does not have in English.
func (f Finding) In(c *say.Catalogue) Finding {
	f.Title, f.Why = c.Text(f.Title), c.Text(f.Why)
	f.Seen, f.Do = f.Seen.Translated(c), f.Do.Translated(c)
	f.Sources = say.SourcesIn(f.Sources, c)
	return f
}

// In returns the report in the language of a catalog, as Finding.In.
func (r Report) In(c *say.Catalogue) Report {
	if c == nil {
		return r
	}
	r.Findings, r.Accepted = slices.Clone(r.Findings), slices.Clone(r.Accepted)
	for i := range r.Findings {
		r.Findings[i] = r.Findings[i].In(c)
	}
	for i := range r.Accepted {
		r.Accepted[i].Finding = r.Accepted[i].Finding.In(c)
	}
	r.Unknown, r.Unjudged = gapwords.Gaps(c, r.Unknown), slices.Clone(r.Unjudged)
	for i, u := range r.Unjudged {
		r.Unjudged[i].Reason = gapwords.In(c, u.Reason)
	}
	return r
}

// In returns the check with its words in the language of a catalog.
func (ck Check) In(c *say.Catalogue) Check {
	ck.Title, ck.Why, ck.Do = c.Text(ck.Title), c.Text(ck.Why), c.Text(ck.Do)
	return ck
}

// Found reports a finding at the check's own severity. text has {name}
// placeholders for the pairs that follow, as in say.M.
func (c *Case) Found(text say.Template, pairs ...any) { c.FoundAs(c.check.Severity, text, pairs...) }

// FoundAs reports a finding at another severity than the check's own.
func (c *Case) FoundAs(sev Severity, text say.Template, pairs ...any) {
	c.report(sev, c.Remedy(), text, pairs...)
}

// FoundDo reports a finding with its own words on what to do, which replace the
// check's: for remedies with this host's numbers in them. do and text share the pairs.
func (c *Case) FoundDo(sev Severity, do, text say.Template, pairs ...any) {
	c.report(sev, do, text, pairs...)
}

// Remedy is what the check itself says to do, for FoundDo with a sentence more.
func (c *Case) Remedy() say.Template { return c.check.Remedy() }

// Remedy is what the check says to do.
func (ck *Check) Remedy() say.Template { return say.Template(ck.Do) }

// Missing notes something that the check cannot judge without and that Need did not
// ask for.
func (c *Case) Missing(g known.Gap) { c.unknown = append(c.unknown, g) }

// Options are those of the run: the acceptances and the day by which they end.
func (c *Case) Options() *Options { return c.options }

// Because names checks whose finding is the cause of what this case reports from
// here on: DependsOn for what only sometimes is a consequence.
func (c *Case) Because(ids ...string) { c.causes = ids }

func (c *Case) report(sev Severity, do, text say.Template, pairs ...any) {
	c.That(sev, say.M(do, pairs...), say.M(text, pairs...))
}

// That reports a finding in messages that were put together of several: say.All.
func (c *Case) That(sev Severity, do, seen say.Message) {
	f := c.check.Finding(sev, do, seen)
	f.Instance, f.causes = c.instanceName(), c.causes
	c.findings = append(c.findings, f)
}

func (c *Case) instanceName() string {
	if c.Instance == nil {
		return ""
	}
	return c.Instance.Label()
}

// Need returns the value of a fact that the check cannot judge without. When it
// is missing, that is noted among the unknowns and ok is false: the check
// returns. An absent fact (this kernel or version does not have it) is no
// unknown: there is nothing to judge.
func Need[T any](c *Case, f known.Fact[T]) (v T, ok bool) {
	v, ok = f.Get()
	if !ok && f.State() != known.Absent {
		c.unknown = append(c.unknown, f.Gap())
	}
	return v, ok
}

// Setting returns a setting of the instance in its base unit, noting what is
// missing as Need does.
func (c *Case) Setting(name string) (string, bool) {
	s, ok := Need(c, c.Instance.Server.Settings)
	if !ok {
		return "", false
	}
	return s.Text(name)
}

// Report is the document of a check run.
type Report struct {
	Schema   string      `json:"schema"`
	Findings []Finding   `json:"findings"`           // worst first
	Accepted []Accepted  `json:"accepted,omitempty"` // in the same order; none of them is among Findings
	Unknown  []known.Gap `json:"unknown"`

	// Unjudged are the checks that could not be judged: they found nothing, and
	// a fact that they need is unknown. If a check with a finding lacks other facts,
	// only Unknown lists them.
	Unjudged []Unjudged `json:"unjudged,omitempty"`
}

// Unjudged is a check that could not be judged for an instance or the host.
type Unjudged struct {
	ID       string `json:"id"`
	Instance string `json:"instance,omitempty"` // as in Finding
	Reason   string `json:"reason"`             // of the first fact that is missing
}

// Schema names the version of the JSON form of Report.
const Schema = "pgfettle.check/1"

// Options narrows a run.
type Options struct {
	Only, Skip []string     // ids; an empty Only means all
	Accept     []Acceptance // findings that the site accepts
	Today      string       // the day, as 2027-01-31, by which acceptances expire; this package reads no clock
	Plan       rule.Options // options of the plan whose numbers the findings name; a profile of "" is mixed
}

// Run judges the snapshot with every check that its versions allow. Findings
// are ordered worst first, then by area, id and instance. A finding is suppressed
// while one that it depends on is found for the same instance or the host, also if
// that one is accepted: then its consequences are accepted, too.
func Run(s *snapshot.Snapshot, checks []Check, o Options) Report {
	r := Report{Schema: Schema, Findings: []Finding{}, Unknown: []known.Gap{}}
	var all []Finding
	plan := &quoted{}
	gaps := map[known.Gap]bool{}
	for i := range checks {
		ck := &checks[i]
		if len(o.Only) > 0 && !containsID(o.Only, ck.ID) || containsID(o.Skip, ck.ID) {
			continue
		}
		var cases []*Case
		if ck.Scope == PerHost {
			cases = append(cases, &Case{Snapshot: s, check: ck, options: &o, quoted: plan})
		} else {
			for j := range s.Instances {
				in := &s.Instances[j]
				c := &Case{Snapshot: s, Instance: in, check: ck, options: &o, quoted: plan}
				if ck.fits(in) {
					cases = append(cases, c)
				} else if _, known := Need(c, in.Server.Version); !known { // as fits has it for the same reason
					c.skip = true
					cases = append(cases, c)
				}
			}
		}
		for _, c := range cases {
			if !c.skip {
				ck.Judge(c)
			}
			all = append(all, c.findings...)
			if len(c.findings) == 0 && len(c.unknown) > 0 {
				r.Unjudged = append(r.Unjudged, Unjudged{ck.ID, c.instanceName(), c.unknown[0].Reason})
			}
			for _, g := range c.unknown {
				if !gaps[g] {
					gaps[g] = true
					r.Unknown = append(r.Unknown, g)
				}
			}
		}
	}
	stands := map[[2]string]bool{}
	for _, f := range all {
		stands[[2]string{f.ID, f.Instance}] = true
		stands[[2]string{f.ID, anywhere}] = true
	}
	causes := map[string][]string{}
	for _, ck := range checks {
		causes[ck.ID] = ck.DependsOn
	}
	for _, f := range all {
		if !silenced(f, slices.Concat(causes[f.ID], f.causes), stands) {
			r.Findings = append(r.Findings, f)
		}
	}
	sort.SliceStable(r.Findings, func(i, j int) bool {
		a, b := r.Findings[i], r.Findings[j]
		if a.Severity != b.Severity {
			return a.Severity > b.Severity
		}
		if a.Area != b.Area {
			return slices.Index(Areas, a.Area) < slices.Index(Areas, b.Area)
		}
		if a.ID != b.ID {
			return a.ID < b.ID
		}
		return a.Instance < b.Instance
	})
	r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool {
		a := o.Accepts(&f)
		if a != nil {
			r.Accepted = append(r.Accepted, Accepted{Finding: f, Reason: a.Reason, Expires: a.Expires})
		}
		return a != nil
	})
	sort.SliceStable(r.Unknown, func(i, j int) bool { return r.Unknown[i].Fact < r.Unknown[j].Fact })
	return r
}

// anywhere means any instance: a finding on the host is suppressed while one of its causes exists for some instance. No
// label is this.
const anywhere = "\x00"

func silenced(f Finding, causes []string, stands map[[2]string]bool) bool {
	for _, id := range causes {
		if stands[[2]string{id, f.Instance}] || stands[[2]string{id, ""}] ||
			f.Instance == "" && stands[[2]string{id, anywhere}] {
			return true
		}
	}
	return false
}

// fits reports whether the check is for the instance's version. An instance whose version is not known is judged by
// checks without bounds only.
func (ck *Check) fits(in *snapshot.Instance) bool {
	if ck.From == 0 && ck.To == 0 {
		return true
	}
	v, ok := in.Server.Version.Get()
	if !ok {
		return false
	}
	return v.Major() >= ck.From && (ck.To == 0 || v.Major() <= ck.To)
}

// containsID reports whether a list of ids that a user wrote has an id.
func containsID(list []string, s string) bool {
	for _, x := range list {
		if strings.TrimSpace(x) == s {
			return true
		}
	}
	return false
}
