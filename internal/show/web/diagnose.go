package web

import (
	"html/template"

	"github.com/pgfettle/pgfettle/internal/fact/paste"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/memory"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/oom"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/serverlog"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow"
	"github.com/pgfettle/pgfettle/internal/judge/diagnose/slow/sampled"
	"github.com/pgfettle/pgfettle/internal/show/html"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/outline/reports"
)

// DiagnoseMemory is the sections of who holds the memory: where the memory of the
// host is, page tables by process, what would save how much, the OOM killer's choice.
func DiagnoseMemory(d *memory.Report, v View) (template.HTML, error) {
	return v.document(reports.Memory(d, v.Words), v.memoryDrawing(d))
}

// DiagnoseMemoryPage is the page of who holds the memory.
func DiagnoseMemoryPage(d *memory.Report, v View) (Page, error) {
	return v.page("", reports.Memory(d, v.Words), v.memoryDrawing(d))
}

// DiagnoseOOM is the sections of a post-mortem: what happened when, and for each kill which process, why, what held the
// memory, and what would have prevented it.
func DiagnoseOOM(d *oom.Report, v View) (template.HTML, error) {
	return v.document(reports.OOM(d, v.Words), v.oomDrawing(d))
}

// DiagnoseOOMPage is the page of a post-mortem.
func DiagnoseOOMPage(d *oom.Report, v View) (Page, error) {
	return v.page("", reports.OOM(d, v.Words), v.oomDrawing(d))
}

// DiagnoseLogPage is the page of what a server's log shows.
func DiagnoseLogPage(r *serverlog.Report, v View) (Page, error) {
	return v.page("", reports.Log(r, v.Words), v.logDrawing(r))
}

// DiagnoseSlowPage is the page of the comparison of two runs of a query.
func DiagnoseSlowPage(d *slow.Report, v View) (Page, error) {
	return v.page("", reports.Slow(d, v.Words), nil)
}

// DiagnoseSlowPlanPage is the page about one plan.
func DiagnoseSlowPlanPage(d *slow.Reading, v View) (Page, error) {
	return v.page("", reports.SlowPlan(d, v.Words), nil)
}

// DiagnoseSlowProfilePage is the page about a profile of perf.
func DiagnoseSlowProfilePage(d *sampled.Profile, v View) (Page, error) {
	return v.page("", reports.Profile(d, v.Words), nil)
}

// DiagnoseSlowSamplePage is the page of what a watch reported.
func DiagnoseSlowSamplePage(d *sampled.Sample, v View) (Page, error) {
	return v.page("", reports.Sample(d, v.Words), v.sampleDrawing(d))
}

func (v View) memoryDrawing(d *memory.Report) html.Draw {
	return func(f outline.Figure) (html.Picture, error) {
		switch f.Name {
		case reports.FigureMemory:
			return v.memoryStack(d.Host)
		case reports.FigureTables:
			return v.tablesStack(&d.Instances[f.At])
		}
		return html.Picture{}, nil
	}
}

func (v View) oomDrawing(d *oom.Report) html.Draw {
	return func(f outline.Figure) (html.Picture, error) {
		if f.Name == reports.FigureHeld {
			return v.heldStack(&d.Kills[f.At].Memory)
		}
		return html.Picture{}, nil
	}
}

func (v View) logDrawing(r *serverlog.Report) html.Draw {
	return func(f outline.Figure) (html.Picture, error) {
		if f.Name == reports.FigureSpills {
			return v.spillsStack(&r.Temp)
		}
		return html.Picture{}, nil
	}
}

func (v View) sampleDrawing(d *sampled.Sample) html.Draw {
	return func(f outline.Figure) (html.Picture, error) {
		if f.Name == reports.FigureWaits {
			return v.waitsStack(d)
		}
		return html.Picture{}, nil
	}
}

// ReadPage is the page of what was recognized in pastes.
func ReadPage(r *paste.Read, v View) (Page, error) {
	return v.page("", reports.Read(r, v.Words), nil)
}

// Read is the sections of what was recognized in pastes.
func Read(r *paste.Read, v View) (template.HTML, error) {
	return v.document(reports.Read(r, v.Words), nil)
}
