package movewal

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// Name is what a server calls the directory of its WAL.
	Name = "pg_wal"
	// otherName is the name next to it that is exchanged with it: first the link or the copy that is to take its place,
	// then what was there before. A server never reads it; the word at its end shows where it comes from.
	otherName = "pg_wal.pgfettle-moving"
	// recordName is the note of a move that is under way.
	recordName   = "pgfettle-move-wal.json"
	recordSchema = "pgfettle.move-wal/1"
	// maxRecord bounds it: two paths of 4096 bytes at most, escaped.
	maxRecord = 1 << 16
)

// Place is where the WAL of an instance is or is to be.
type Place struct {
	Path string `json:"path"`           // the directory itself
	Link string `json:"link,omitempty"` // text of the symbolic link pg_wal to it; "": it is pg_wal itself
	Made bool   `json:"made,omitempty"` // the directory was made for the move, and goes when it is left
}

func (p Place) inside() bool { return p.Link == "" }

func (p Place) same(q Place) bool { return p.Path == q.Path && p.inside() == q.inside() }

// phase is how far a move has come, as far as pg_wal itself does not show it.
type phase string

const (
	copying   phase = "copy"   // the new place is filled; the old one is the one that counts
	switching phase = "switch" // the copy is whole and on disk
	removing  phase = "remove" // the server has run on the new place: the old one counts no more
)

// record is what a later process has to know of a move that was cut short. It is in the data directory, written with
// the rights of its owner, and whatever it says is done with those rights alone.
type record struct {
	Schema  string `json:"schema"`
	From    Place  `json:"from"`
	To      Place  `json:"to"`
	Running bool   `json:"running"`        // the server ran when it began, and is to run when it ends
	Back    bool   `json:"back,omitempty"` // it takes another one back whose server may not have come to a clean end
	Phase   phase  `json:"phase"`          //
	// at switch: hash of pg_control, which reports whether a server has run since
	Control string `json:"control,omitempty"`
	Log     string `json:"log,omitempty"` // file that the messages of the server went to
}

// record reads the note of a data directory; nil: no move is under way.
func (w *Mover) record(dir string) (*record, error) {
	b, err := w.folders(dir).Load(path.Join(dir, recordName), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n, err := parseRecord(dir, b)
	if err != nil {
		return nil, &say.Problem{Message: say.M("{dir} is not the note of a move", "dir", path.Join(dir, recordName)),
			Detail: say.OfError(err), Code: say.CodeError,
			Hint: say.M("remove this file where pg_wal is complete and the server runs")}
	}
	return n, nil
}

// Unfinished reports whether a move of a data directory has begun and not come to its end, and whether the server ran
// when it began.
func (w *Mover) Unfinished(dir string) (begun, running bool, err error) {
	n, err := w.record(dir)
	if err != nil {
		return false, false, err
	}
	if n != nil {
		return true, n.Running, nil
	}
	_, err = w.Target.Stat(target.TempOf(path.Join(dir, recordName)))
	return err == nil, false, nil
}

func parseRecord(dir string, b []byte) (*record, error) {
	n := &record{}
	if err := json.Unmarshal(b, n); err != nil {
		return nil, err
	}
	return n, n.check(dir)
}

// check holds a note to what a move of this data directory could have written.
func (n *record) check(dir string) error {
	var bad error
	switch {
	case n.Schema != recordSchema:
		bad = say.Err("schema {name}, and this program reads {other}", "name", say.Quoted(n.Schema),
			"other", recordSchema)
	case n.From.same(n.To):
		bad = say.Err("a move to where it is")
	case n.Phase != copying && n.Phase != switching && n.Phase != removing:
		bad = say.Err("phase {value}", "value", say.Quoted(n.Phase))
	}
	for _, p := range []Place{n.From, n.To} {
		at := path.Join(dir, Name)
		switch {
		case !path.IsAbs(p.Path) || path.Clean(p.Path) != p.Path:
			bad = say.Err("place {value}", "value", say.Quoted(p.Path))
		case p.inside() != (p.Path == at), p.Path != at && isBelow(p.Path, dir), isBelow(dir, p.Path):
			bad = say.Err("the place {value}, which no move would take", "value", say.Quoted(p.Path))
		}
	}
	return bad
}

func (w *Mover) save(dir string, n *record) error {
	n.Schema = recordSchema
	b, err := json.MarshalIndent(n, "", " ")
	if err == nil {
		err = w.folders(dir).Save(path.Join(dir, recordName), append(b, '\n'), 0o600)
	}
	if err != nil {
		return say.Err("note of the move: {reason}", "reason", err)
	}
	return nil
}
