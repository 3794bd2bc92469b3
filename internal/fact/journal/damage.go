package journal

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/knob"
)

// Damage says from which line on a journal proves nothing, and what the lines
// from there on name. They are never acted on: they are only shown to a person.
type Damage struct {
	Line   int    `json:"line"`   // the first that is not proven, from 1
	Reason string `json:"reason"` // what is wrong with it
	// changes that the apply had, if not all of them are proven; 0 if all are, or if unknown
	Planned int       `json:"planned,omitempty"`
	Unknown []Unknown `json:"unknown,omitempty"` // what the lines name that are not proven, as far as they can be read
	// the file that the journal was copied to as it was found, once an undo has read it
	Kept string `json:"kept,omitempty"`
}

// Unknown is a knob that a line names which proves nothing.
type Unknown struct {
	Address  knob.Address `json:"address"`
	Instance string       `json:"instance,omitempty"`
	Path     string       `json:"path,omitempty"` // the file that the line has for it
}

// mostUnknown bounds what is listed: a plan has some dozens of changes.
const mostUnknown = 1000

// unproven lists what lines name that are not proven, without trusting a byte of
// them. known are the changes that are.
func unproven(data []byte, known []Change) (out []Unknown) {
	at := map[string]int{} // by address and instance
	byN := map[int]Unknown{}
	for _, c := range known {
		byN[c.N] = Unknown{Address: c.Address, Instance: c.Instance}
	}
	for text := range bytes.SplitSeq(data, []byte("\n")) {
		text = bytes.TrimRight(text, "\r")
		if body, _, ok := framed(text); ok {
			text = append(bytes.Clone(body), '}')
		}
		var l Line
		if json.Unmarshal(text, &l) != nil {
			continue
		}
		u := Unknown{Address: l.Address, Instance: l.Instance, Path: l.path()}
		if u.Address == "" || l.Kind != Planned {
			if of, ok := byN[l.N]; ok && (u.Address == "" || u.Address == of.Address) {
				u.Address, u.Instance = of.Address, of.Instance
			}
		} else if _, ok := byN[l.N]; !ok {
			byN[l.N] = u
		}
		if _, err := knob.ParseStep(string(u.Address)); err != nil {
			continue
		}
		key := string(u.Address) + "\x00" + u.Instance
		if n, ok := at[key]; ok {
			out[n].Path = cmp.Or(out[n].Path, u.Path)
		} else if len(out) < mostUnknown {
			at[key] = len(out)
			out = append(out, u)
		}
	}
	return out
}

// path is the file that a line is about.
func (l *Line) path() string {
	for _, s := range []*State{l.After, l.Before} {
		if s != nil && s.File != nil {
			return s.File.Path
		}
	}
	return ""
}

// Unproven are the knobs that the lines name which are not proven, and that are no changes of the part that is: it is
// unknown what those were.
func (d *Damage) Unproven(j *Journal) []Unknown {
	return slices.DeleteFunc(slices.Clone(d.Unknown), func(u Unknown) bool {
		return slices.ContainsFunc(j.Changes, func(c Change) bool {
			return c.Address == u.Address && c.Instance == u.Instance
		})
	})
}

// Trouble says in one sentence why not all is known of what a journal did; "" if all is.
func (j *Journal) Trouble() string {
	switch {
	case j.Foreign != "":
		return (&ForeignError{j.ID, j.Foreign}).Error()
	case j.Damage != nil:
		return fmt.Sprintf("journal %s is damaged: line %d and what follows it prove nothing: %s", j.ID, j.Damage.Line,
			j.Damage.Reason)
	}
	return ""
}

// join adds the damage that an earlier undo found.
func (d *Damage) join(e *Damage) {
	if e == nil {
		return
	}
	d.Planned = cmp.Or(d.Planned, e.Planned)
	for _, u := range e.Unknown {
		if !slices.ContainsFunc(d.Unknown, func(v Unknown) bool {
			return v.Address == u.Address && v.Instance == u.Instance
		}) {
			d.Unknown = append(d.Unknown, u)
		}
	}
}

// KeptPath is where a damaged journal is copied to, byte for byte, before the part of it that is proven goes on. The
// name depends on the bytes: the same damage seen again after a crash is the same file.
func KeptPath(dir, id string, data []byte) string {
	sum := sha256.Sum256(data)
	return path.Join(dir, id+".damaged-"+hex.EncodeToString(sum[:4]))
}

// schemaStem is what the schemas of all versions begin with.
const schemaStem = "pgfettle.journal/"

// foreign returns the schema of a journal that another version of the program has written, or "". A first line that is
// one of ours except for a wrong byte is none.
func foreign(data []byte) string {
	text, _, _ := bytes.Cut(data, []byte("\n"))
	body, sum, ok := framed(text)
	if ok && sum != (chain{}).over(body) {
		return ""
	}
	var l struct {
		Kind Kind
		Run  *struct{ Schema string }
	}
	if json.Unmarshal(text, &l) != nil || l.Kind != Begin || l.Run == nil || l.Run.Schema == Schema ||
		!strings.HasPrefix(l.Run.Schema, schemaStem) {
		return ""
	}
	return l.Run.Schema
}

// ForeignError says that a journal is of a format that this program does not read.
type ForeignError struct{ ID, Format string }

func (f *ForeignError) Error() string {
	return fmt.Sprintf("journal %s: its format is %s, which this program does not read: it reads %s", f.ID,
		f.Format, Schema)
}
