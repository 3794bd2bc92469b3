package web

import (
	"github.com/pgfettle/pgfettle/internal/fact/journal"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// JournalPage is the page of a journal.
func JournalPage(j *journal.Journal, v View) (Page, error) {
	return v.page("", outline.Journal(j, v.Words), nil)
}

// JournalListPage is the page of the journals.
func JournalListPage(list []*journal.Journal, v View) (Page, error) {
	return v.page("", outline.Journals(list, v.Words), nil)
}
