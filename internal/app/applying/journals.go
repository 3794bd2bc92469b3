package applying

import (
	"errors"
	"io/fs"

	"github.com/pgfettle/pgfettle/internal/act/journalfile"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// List returns the journals, the oldest first. Those that could be read are there with an
// error too.
func (p *Place) List() ([]*journal.Journal, error) {
	t, dir, err := p.open()
	if err != nil {
		return nil, err
	}
	list, err := journalfile.List(t, dir)
	if len(list) == 0 {
		return nil, closed(err, dir)
	}
	return list, err
}

// Journal returns the journal with an id; "" is the last one.
func (p *Place) Journal(id string) (*journal.Journal, error) {
	t, dir, err := p.open()
	if err != nil {
		return nil, err
	}
	return findJournal(t, dir, id)
}

// findJournal returns the journal with an id; "" is the last one.
func findJournal(t target.Target, dir, id string) (*journal.Journal, error) {
	if id != "" {
		j, err := journalfile.Read(t, dir, id)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			return j, closed(err, dir)
		}
	}
	list, err := journalfile.List(t, dir)
	switch {
	case id != "":
		return nil, say.Usage(say.M("journal {id} does not exist", "id", say.Quoted(id)),
			say.DidYouMean(id, IDs(list), say.M("List the journals in {dir}: pgfettle journal list", "dir", dir)))
	case len(list) > 0:
		return list[len(list)-1], nil
	case err != nil:
		return nil, closed(err, dir)
	}
	return nil, &say.Problem{Message: say.M("no journal: nothing was applied yet"),
		Detail: say.M("The journal directory is {dir}.", "dir", dir), Code: say.CodeError}
}

// closed names the right that is missing if the directory is closed to us.
func closed(err error, dir string) error {
	if errors.Is(err, fs.ErrPermission) {
		return &say.Problem{Message: say.M("could not read the journals"), Detail: say.OfError(err),
			Hint: say.M("Run pgfettle as the owner of {dir}, usually root.", "dir", dir), Code: say.CodeNoAccess}
	}
	return err
}

// IDs are the ids of journals.
func IDs(list []*journal.Journal) []string {
	var ids []string
	for _, j := range list {
		ids = append(ids, j.ID)
	}
	return ids
}
