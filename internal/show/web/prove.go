package web

import (
	"html/template"

	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/show/render"
)

// Prove is the sections of an experiment: the verdict, each block as a dot with the
// interval, the blocks and all other figures, how to repeat it. Of one that is not
// at its end no figure is shown.
func Prove(r *result.Result, v View) (template.HTML, error) {
	return v.outline(render.ResultOutline(r, render.Style{Words: v.Words}), proveDrawing(r))
}

// ProvePage is the page of an experiment.
func ProvePage(r *result.Result, v View) (Page, error) {
	return v.outlinePage(render.ResultOutline(r, render.Style{Words: v.Words}), proveDrawing(r))
}
