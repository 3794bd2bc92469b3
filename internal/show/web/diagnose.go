package web

import (
	"html/template"

	"github.com/pgfettle/pgfettle/internal/judge/diagnose"
	"github.com/pgfettle/pgfettle/internal/show/render"
)

// english is the view of documents whose texts there are in English alone: the
// page then says that it is in English, for who has it read aloud.
func (v View) english() View {
	v.Words = nil
	return v
}

// DiagnoseMemory is the sections of who holds the memory: where the memory of the
// host is, page tables by process, what would save how much, the OOM killer's choice.
func DiagnoseMemory(d *diagnose.MemoryReport, v View) (template.HTML, error) {
	return v.english().outline(render.DiagnoseMemoryOutline(d), memoryDrawing(d))
}

// DiagnoseMemoryPage is the page of who holds the memory.
func DiagnoseMemoryPage(d *diagnose.MemoryReport, v View) (Page, error) {
	return v.english().outlinePage(render.DiagnoseMemoryOutline(d), memoryDrawing(d))
}

// DiagnoseOOM is the sections of a post-mortem: what happened when, and for each
// kill whom, why, what held the memory, and what would have prevented it.
func DiagnoseOOM(d *diagnose.OOM, v View) (template.HTML, error) {
	return v.english().outline(render.DiagnoseOOMOutline(d), oomDrawing(d))
}

// DiagnoseOOMPage is the page of a post-mortem.
func DiagnoseOOMPage(d *diagnose.OOM, v View) (Page, error) {
	return v.english().outlinePage(render.DiagnoseOOMOutline(d), oomDrawing(d))
}

// DiagnoseLogPage is the page of what a server's log shows.
func DiagnoseLogPage(r *diagnose.LogReport, v View) (Page, error) {
	return v.english().outlinePage(render.LogOutline(r), logDrawing(r))
}

// DiagnoseSlowPage is the page of the comparison of two runs of a query.
func DiagnoseSlowPage(d *diagnose.Slow, v View) (Page, error) {
	return v.english().outlinePage(render.SlowOutline(d), nil)
}

// DiagnoseSlowSamplePage is the page of what a watch told.
func DiagnoseSlowSamplePage(d *diagnose.SlowSample, v View) (Page, error) {
	return v.english().outlinePage(render.SlowSampleOutline(d), sampleDrawing(d))
}

func memoryDrawing(d *diagnose.MemoryReport) drawing {
	return func(f render.Figure) (drawn, error) {
		switch f.Name {
		case render.FigureMemory:
			return memoryStack(d.Host)
		case render.FigureTables:
			return tablesStack(&d.Instances[f.At])
		}
		return drawn{}, nil
	}
}

func oomDrawing(d *diagnose.OOM) drawing {
	return func(f render.Figure) (drawn, error) {
		if f.Name == render.FigureHeld {
			return heldStack(&d.Kills[f.At].Memory)
		}
		return drawn{}, nil
	}
}

func logDrawing(r *diagnose.LogReport) drawing {
	return func(f render.Figure) (drawn, error) {
		if f.Name == render.FigureSpills {
			return spillsStack(&r.Temp)
		}
		return drawn{}, nil
	}
}

func sampleDrawing(d *diagnose.SlowSample) drawing {
	return func(f render.Figure) (drawn, error) {
		if f.Name == render.FigureWaits {
			return waitsStack(d)
		}
		return drawn{}, nil
	}
}
