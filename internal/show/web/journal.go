package web

import (
	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/show/render"
)

// JournalPage is the page of a journal.
func JournalPage(j *journal.Journal, v View) (Page, error) {
	return v.outlinePage(render.JournalOutline(j, render.Style{Words: v.Words}), nil)
}

// JournalListPage is the page of the journals.
func JournalListPage(list []*journal.Journal, v View) (Page, error) {
	return v.outlinePage(render.JournalListOutline(list, render.Style{Words: v.Words}), nil)
}
