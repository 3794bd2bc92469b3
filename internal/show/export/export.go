// Package export writes plans in the forms that other programs read: configuration files, SQL, playbooks and scripts.
// One file holds one form with its literal; Forms lists them.
package export

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/show/document"
)

// Form is a form of a plan that another program reads.
type Form struct {
	Name        string // as --format has it
	What        string // what it is
	Label       string // its name on a page
	Suffix      string // of the name of its file
	OneInstance bool   // it is about the one instance whose key Write gets; else about the whole plan

	Write func(w io.Writer, p document.Plan, s *snapshot.Snapshot, key string) error
}

// Forms are all forms of a plan, in the order in which they are offered.
var Forms = []Form{confForm, alterSystemForm, sysctlForm, ansibleForm, scriptForm, patroniForm, cnpgForm, dockerForm}

// Names are those of all forms.
func Names() []string {
	var out []string
	for _, f := range Forms {
		out = append(out, f.Name)
	}
	return out
}

// Find returns the form of a name.
func Find(name string) (Form, bool) {
	for _, f := range Forms {
		if f.Name == name {
			return f, true
		}
	}
	return Form{}, false
}

// whole is a form that is about the whole plan and not about one instance.
func whole(
	f func(io.Writer, document.Plan, *snapshot.Snapshot) error,
) func(io.Writer, document.Plan, *snapshot.Snapshot, string) error {
	return func(w io.Writer, p document.Plan, s *snapshot.Snapshot, _ string) error { return f(w, p, s) }
}
