package term

import (
	"fmt"
	"io"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// MoveWAL shows a move of the WAL before it is made: from where to where,
// what there is room for, the steps, and how long the server will be down.
func MoveWAL(w io.Writer, f *walmove.Plan, st Style) error {
	p := newPage(st)
	state := "stopped"
	if f.Running {
		state = "running"
	}
	p.line(p.tint(strong, "The WAL of "+typeset.Clean(f.Label)),
		fmt.Sprintf(" (%s): %s, %s", state, typeset.Count(f.Size.Files, "file", "files"), unit.Bytes(f.Size.Bytes)))
	width := max(typeset.Width(typeset.Clean(f.From)), typeset.Width(typeset.Clean(f.To)))
	width = min(width, 60) // beyond it the filesystems would be out of sight
	p.line("  from  ", typeset.Pad(typeset.Clean(f.From), width), "  on ", mounted(f.FromMount))
	p.line("  to    ", typeset.Pad(typeset.Clean(f.To), width), "  on ", mounted(f.ToMount))
	p.para("        ", plain,
		fmt.Sprintf("%s free there; %s are needed: what is there now, max_wal_size (%s), and a tenth", f.Free,
			f.Need, f.MaxWAL))
	p.gap()
	p.line(p.tint(strong, "Steps"))
	n := 0
	step := func(text string) {
		n++
		p.para(fmt.Sprintf("  %d  ", n), plain, text)
	}
	if f.Running {
		step("checkpoint, so that the stop is short; then stop the server: " + typeset.Clean(f.Stop))
	}
	step("copy to " + typeset.Clean(f.To) + ", fsync every file, read all back and compare")
	step("exchange pg_wal for a link to it, in one step")
	if f.Running {
		step("start the server: " + typeset.Clean(f.Start) +
			"; one that does not start gets its old pg_wal back and is started again")
	}
	step("remove the old copy")
	p.gap()
	least, most := f.Downtime()
	if f.Running {
		p.para("", strong,
			fmt.Sprintf(
				"Downtime: about %d to %d s for the copy (500 to 100 MB/s, written and read back), and what "+
					"stopping and starting take.", least, most))
	} else {
		p.para("", strong,
			fmt.Sprintf(
				"The server does not run, and is not started. The copy takes about %d to %d s (500 to 100 MB/s, "+
					"written and read back).", least, most))
	}
	if len(f.Notes) > 0 {
		p.gap()
		p.line(p.tint(yellow, "Notes"))
		for _, note := range f.Notes {
			p.para("  - ", plain, note)
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

func mounted(m host.Mount) string {
	return typeset.Clean(m.Point) + " (" + typeset.Clean(m.FSType) + ", " + typeset.Clean(m.Source) + ")"
}
