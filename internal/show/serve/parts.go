package serve

import (
	"bytes"
	"html/template"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
	"github.com/pgfettle/pgfettle/internal/judge/result"
	"github.com/pgfettle/pgfettle/internal/show/render"
	"github.com/pgfettle/pgfettle/internal/show/web"
)

// memoryPart is the report on the memory as part of a page.
func memoryPart(d *diagnose.MemoryReport, v web.View) (template.HTML, error) {
	var b bytes.Buffer
	if err := render.DiagnoseMemoryText(&b, d, render.Style{Width: 100, Words: v.Words}); err != nil {
		return "", err
	}
	return piece("listing", b.String())
}

// experimentPart is an experiment as part of a page.
func experimentPart(r *result.Result, v web.View) (template.HTML, error) {
	var b bytes.Buffer
	if err := render.ResultText(&b, r, render.Style{Width: 100, Words: v.Words}); err != nil {
		return "", err
	}
	return piece("listing", b.String())
}
