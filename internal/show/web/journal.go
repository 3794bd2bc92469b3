package web

import (
	"html/template"

	"github.com/pgfettle/pgfettle/internal/act/journal"
	"github.com/pgfettle/pgfettle/internal/show/render"
)

// Journal is the sections of a journal: each change with where it is kept and how
// it stands, and what can be done next.
func Journal(j *journal.Journal, v View) (template.HTML, error) {
	return v.outline(render.JournalOutline(j, render.Style{Words: v.Words}), nil)
}

// JournalPage is the page of a journal.
func JournalPage(j *journal.Journal, v View) (Page, error) {
	return v.outlinePage(render.JournalOutline(j, render.Style{Words: v.Words}), nil)
}

// JournalList is the journals as a table, the newest first.
func JournalList(list []*journal.Journal, v View) (template.HTML, error) {
	return v.outline(render.JournalListOutline(list, render.Style{Words: v.Words}), nil)
}

// JournalListPage is the page of the journals.
func JournalListPage(list []*journal.Journal, v View) (Page, error) {
	return v.outlinePage(render.JournalListOutline(list, render.Style{Words: v.Words}), nil)
}
