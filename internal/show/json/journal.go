package json

import (
	"io"

	"github.com/pgfettle/pgfettle/internal/fact/journal"
)

// JournalSchema names the version of the JSON forms of a journal and of a list
// of journals.
const JournalSchema = "pgfettle.journal.show/1"

// Journal writes one journal.
func Journal(w io.Writer, j *journal.Journal) error {
	doc := struct {
		Schema   string `json:"schema"`
		Hostname string `json:"hostname"`
		Root     string `json:"root,omitempty"`
		Tool     string `json:"tool"`
		Plan     string `json:"plan"`
		*journal.Journal
	}{JournalSchema, j.Run.Hostname, j.Run.Root, j.Run.Tool, j.Run.Plan, j}
	return Write(w, doc)
}

// Journals writes the journals, the oldest first, without their changes.
func Journals(w io.Writer, list []*journal.Journal) error {
	type entry struct {
		ID      string          `json:"id"`
		Started string          `json:"started"`
		State   journal.Outcome `json:"state"`
		Changes int             `json:"changes"`
		Reason  string          `json:"reason,omitempty"`
	}
	out := []entry{}
	for _, j := range list {
		e := entry{ID: j.ID, Started: j.Started, State: j.State, Changes: len(j.Changes), Reason: j.Foreign}
		if j.Damage != nil {
			e.Reason = j.Damage.Reason
		}
		out = append(out, e)
	}
	return Write(w, struct {
		Schema   string  `json:"schema"`
		Journals []entry `json:"journals"`
	}{JournalSchema, out})
}
