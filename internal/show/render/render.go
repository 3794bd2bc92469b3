// Package render turns documents into what a person or another program reads:
// text for a terminal, JSON, and the configuration files of a plan. One file
// holds one form. It knows every document and decides nothing; whatever came
// from outside is made harmless to a terminal before it is written.
package render

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/act/apply"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/plan"
)

// Style is what the reader's terminal can take.
type Style struct {
	Width int // columns; texts are wrapped to it, values and addresses never are
	Color bool
	Words *say.Catalogue // the reader's language; nil is English
	ASCII bool           // pictures are drawn without signs beyond ASCII
}

// Subject says what a document is about, so that a reader sees at once whether
// the right host and every instance was looked at.
type Subject struct {
	Host      string            `json:"host"`      // its name; "" where it is not known
	HostSeen  bool              `json:"host_seen"` // false: a server over SQL alone
	Instances []SubjectInstance `json:"instances"`
	Assumed   []Assumed         `json:"assumed,omitempty"` // what a description does not tell and what stands in for it
}

// Assumed is a value that nobody told.
type Assumed struct {
	snapshot.Assumption
	Text string `json:"text"` // "4 processors are assumed: say cpus=N"
}

// SubjectInstance is one instance that was found.
type SubjectInstance struct {
	Label   string `json:"label"`   // data directory, else port
	Version string `json:"version"` // "17.11"; "" where it is not known
	State   string `json:"state"`   // running, stopped or unknown
	Asked   bool   `json:"asked"`   // the server answered over SQL

	FromFiles bool `json:"fromFiles,omitempty"` // it does not run: its settings are those of its configuration files
}

// AssumedOf returns what a description did not tell and what stands in for it.
func AssumedOf(s *snapshot.Snapshot) (out []Assumed) {
	for _, a := range s.Assumed {
		out = append(out, Assumed{a, assumedWords(a).String()})
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
		si := SubjectInstance{Label: in.Label(), State: "unknown", Asked: in.Server.Settings.Known() && !in.FromFiles(), FromFiles: in.FromFiles()}
		si.Version = in.Version()
		if up, ok := in.Running.Get(); ok {
			si.State = map[bool]string{true: "running", false: "stopped"}[up]
		}
		sub.Instances = append(sub.Instances, si)
	}
	return sub
}

// Check is a report with what it is about.
type Check struct {
	check.Report
	Policy  string  `json:"policy,omitempty"` // the file that says what is accepted
	Subject Subject `json:"subject"`
	All     bool    `json:"-"` // accepted findings in full
}

// Plan is a plan with what it is about.
type Plan struct {
	*plan.Plan
	Subject  Subject `json:"subject"`
	Applying bool    `json:"-"` // it is shown to be carried out next

	Accepted []apply.Which `json:"-"` // changes of high risk that a form may hold

	bounded bool            // carried has bounded it
	left    []apply.Left    // what it left out
	tries   map[string]bool // keys of instances whose huge_pages is try instead of on
	Of      int             `json:"-"` // changes of the whole plan, of which only these will be made; 0: all are shown
}

// publishers are names that are too long to stand in every paragraph.
var publishers = map[string]string{
	"PostgreSQL Global Development Group": "PostgreSQL",
	"The Linux kernel":                    "Linux",
}

// sourceTitles spells source ids for people: the titles, in the given order,
// those of one publisher together under its name.
func sourceTitles(ids []string) string {
	var order []string
	titles := map[string][]string{}
	for _, id := range ids {
		s, ok := say.SourceByID(id)
		if !ok {
			s = say.Source{Title: id}
		}
		by := s.Publisher
		if short, ok := publishers[by]; ok {
			by = short
		}
		if _, ok := titles[by]; !ok {
			order = append(order, by)
		}
		titles[by] = append(titles[by], s.Title)
	}
	var out []string
	for _, by := range order {
		t := strings.Join(titles[by], "; ")
		if by != "" {
			t = by + ": " + t
		}
		out = append(out, t)
	}
	return strings.Join(out, " · ")
}
