package apply

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

const (
	// walName is what a server calls the folder of its WAL.
	walName = "pg_wal"
	// walOther is the name beside it that is exchanged with it: first the link or
	// the copy that is to take its place, then what was there before. A server
	// never looks at it; the word at its end tells who comes upon it whose it is.
	walOther = "pg_wal.pgfettle-moving"
	// walNoteName is the note of a move that is under way.
	walNoteName = "pgfettle-move-wal.json"
	walSchema   = "pgfettle.move-wal/1"
	// maxWalNote bounds it: two paths of 4096 bytes at most, escaped.
	maxWalNote = 1 << 16
)

// walPlace is where the WAL of an instance is or is to be.
type walPlace struct {
	Path string `json:"path"`           // the folder itself
	Link string `json:"link,omitempty"` // text of the symbolic link pg_wal to it; "": it is pg_wal itself
	Made bool   `json:"made,omitempty"` // the folder was made for the move, and goes when it is left
}

func (p walPlace) inside() bool { return p.Link == "" }

func (p walPlace) same(q walPlace) bool { return p.Path == q.Path && p.inside() == q.inside() }

// walPhase is how far a move has come, as far as pg_wal itself does not tell.
type walPhase string

const (
	walCopying   walPhase = "copy"   // the new place is filled; the old one is the one that counts
	walSwitching walPhase = "switch" // the copy is whole and on disk
	walRemoving  walPhase = "remove" // the server has run on the new place: the old one counts no more
)

// walNote is what a later process has to know of a move that was cut short. It
// lies in the data directory, written with the rights of its owner, and whatever
// it says is done with those rights alone.
type walNote struct {
	Schema  string   `json:"schema"`
	From    walPlace `json:"from"`
	To      walPlace `json:"to"`
	Running bool     `json:"running"`           // the server ran when it began, and is to run when it ends
	Back    bool     `json:"back,omitempty"`    // it takes another one back whose server may not have come to a clean end
	Phase   walPhase `json:"phase"`             //
	Control string   `json:"control,omitempty"` // at switch: hash of pg_control, which tells whether a server has run since
	Log     string   `json:"log,omitempty"`     // file that the messages of the server went to
}

// note reads the note of a data directory; nil: no move is under way.
func (w *Wal) note(dir string) (*walNote, error) {
	b, err := w.folders(dir).Load(path.Join(dir, walNoteName), maxWalNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	n, err := parseWalNote(dir, b)
	if err != nil {
		return nil, &say.Problem{Message: path.Join(dir, walNoteName) + " is not the note of a move", Detail: err.Error(), Code: say.CodeError,
			Hint: "where pg_wal is whole and the server runs, remove it"}
	}
	return n, nil
}

func parseWalNote(dir string, b []byte) (*walNote, error) {
	n := &walNote{}
	if err := json.Unmarshal(b, n); err != nil {
		return nil, err
	}
	return n, n.check(dir)
}

// check holds a note to what a move of this data directory could have written.
func (n *walNote) check(dir string) error {
	bad := ""
	switch {
	case n.Schema != walSchema:
		bad = fmt.Sprintf("schema %q, and this program reads %s", n.Schema, walSchema)
	case n.From.same(n.To):
		bad = "a move to where it is"
	case n.Phase != walCopying && n.Phase != walSwitching && n.Phase != walRemoving:
		bad = fmt.Sprintf("phase %q", n.Phase)
	}
	for _, p := range []walPlace{n.From, n.To} {
		at := path.Join(dir, walName)
		switch {
		case !path.IsAbs(p.Path) || path.Clean(p.Path) != p.Path:
			bad = fmt.Sprintf("place %q", p.Path)
		case p.inside() != (p.Path == at), p.Path != at && below(p.Path, dir), below(dir, p.Path):
			bad = fmt.Sprintf("the place %q, which no move would take", p.Path)
		}
	}
	if bad != "" {
		return errors.New(bad)
	}
	return nil
}

func (w *Wal) save(dir string, n *walNote) error {
	n.Schema = walSchema
	b, err := json.MarshalIndent(n, "", " ")
	if err == nil {
		err = w.folders(dir).Save(path.Join(dir, walNoteName), append(b, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note of the move: %w", err)
	}
	return nil
}
