// Package document holds what the faces add to the documents of the other storeys before they show one: what it is
// about, where it was read from, what was assumed, and the version of its form.
package document

import (
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
	"github.com/pgfettle/pgfettle/internal/judge/plan/selection"
	"github.com/pgfettle/pgfettle/internal/judge/upgrade"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// Subject says what a document is about, so that a reader sees at once whether the right host and every instance was
// examined.
type Subject struct {
	Host      string            `json:"host"`      // its name; "" if it is not known
	HostSeen  bool              `json:"host_seen"` // false: a server over SQL alone
	Instances []SubjectInstance `json:"instances"`
	Assumed   []Assumed         `json:"assumed,omitempty"` // values assumed because a description lacks them
}

// Assumed is a value that was not given.
type Assumed struct {
	snapshot.Assumption
	Text string `json:"text"` // "4 CPUs are assumed; to change it, set cpus=N"
}

// SubjectInstance is one instance that was found.
type SubjectInstance struct {
	Label   string `json:"label"`             // data directory, else port
	Version string `json:"version"`           // "17.11"; "" if it is not known
	Product string `json:"product,omitempty"` // made from PostgreSQL: "Postgres Pro enterprise 17.6.1"
	State   string `json:"state"`             // running, stopped or unknown
	Asked   bool   `json:"asked"`             // the server answered over SQL

	FromFiles bool `json:"from_files,omitempty"` // it does not run: its settings are those of its configuration files
}

// AssumedOf returns what a description does not give and what is assumed for it.
func AssumedOf(s *snapshot.Snapshot) (out []Assumed) {
	for _, a := range s.Assumed {
		out = append(out, Assumed{a, AssumedWords(a).String()})
	}
	return out
}

// SubjectOf describes what a snapshot is about.
func SubjectOf(s *snapshot.Snapshot) Subject {
	sub := Subject{HostSeen: s.HostSeen, Instances: []SubjectInstance{}}
	sub.Host, _ = s.Host.Name.Get()
	sub.Assumed = AssumedOf(s)
	for i := range s.Instances {
		in := &s.Instances[i]
		si := SubjectInstance{Label: in.Label(), State: "unknown", Asked: in.Server.Settings.Known() && !in.FromFiles(),
			FromFiles: in.FromFiles()}
		si.Version, si.Product = in.Version(), in.Server.Product.String()
		if up, ok := in.Running.Get(); ok {
			si.State = map[bool]string{true: "running", false: "stopped"}[up]
		}
		sub.Instances = append(sub.Instances, si)
	}
	return sub
}

// AssumedWords says what is assumed for what a description does not give.
func AssumedWords(a snapshot.Assumption) say.Message {
	if n, err := strconv.ParseInt(a.Value, 10, 64); err == nil && a.Word == "cpus" {
		return say.N(n, "{n} CPU is assumed; to change it, set cpus=N", "{n} CPUs are assumed; to change it, set "+
			"cpus=N")
	}
	if a.Word == snapshot.AsCandidate {
		return say.M("PostgreSQL {version} is assumed: its parameters are those of a release candidate, and the "+
			"release may differ", "version", typeset.Clean(a.Value))
	}
	return say.M("{word}={value} is assumed; to change it, set {word}=…", "word", typeset.Clean(a.Word), "value",
		typeset.Clean(a.Value))
}

// Check is a report with what it is about.
type Check struct {
	check.Report
	Policy  string  `json:"policy,omitempty"` // the file that says what is accepted
	Subject Subject `json:"subject"`
	// Upgrades are what an upgrade of each instance meets, where that was asked for
	Upgrades []upgrade.Report `json:"upgrades,omitempty"`
	All      bool             `json:"-"` // accepted findings in full
}

// Plan is a plan with what it is about.
type Plan struct {
	*plan.Plan
	Subject  Subject `json:"subject"`
	Applying bool    `json:"-"` // it is shown to be carried out next

	// Upgrades are the configurations of the new clusters that the plan is for, where an upgrade was asked for
	Upgrades []upgrade.Configuration `json:"upgrade_to,omitempty"`

	Accepted []selection.Which `json:"-"` // changes of high risk that a form may hold

	Of int `json:"-"` // changes of the whole plan, of which only these will be made; 0: all are shown
}
