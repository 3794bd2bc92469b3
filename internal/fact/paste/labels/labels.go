// Package labels holds what programs call things in their languages.
package labels

import (
	_ "embed"
	"strings"
	"sync"
)

// labelText is what programs call things in their languages, from the message catalogs that
// they ship: of util-linux 2.38 and PostgreSQL 15. A line is: lscpu; control, state, or value (of
// pg_controldata); the fact or the English text; the label, that of lscpu in lower case.
//
//go:embed labels.tsv
var labelText string

// Labels are labels by the program that prints them.
type Labels struct {
	Lscpu   map[string]string // to the name of a fact
	Control map[string]string // to the English label
	Values  map[string]string // of pg_controldata: on, off, yes, no
	States  map[string]string // of a cluster
}

// All are the labels of all programs.
var All = sync.OnceValue(func() Labels {
	l := Labels{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}}
	for line := range strings.Lines(labelText) {
		c := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(c) != 3 {
			continue
		}
		to := map[string]map[string]string{"lscpu": l.Lscpu, "control": l.Control, "value": l.Values,
			"state": l.States}[c[0]]
		if was, ok := to[c[2]]; ok && was != c[1] && c[0] == "state" {
			c[1] = c[2] // two states have one name: it cannot be told which it is
		}
		if to != nil {
			to[c[2]] = c[1]
		}
	}
	return l
})
