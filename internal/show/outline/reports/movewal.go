package reports

import (
	"fmt"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/internal/show/outline"
	"github.com/pgfettle/pgfettle/internal/show/typeset"
)

// MoveWAL is a move of the WAL before it is made: from where to where, what there is room for, the steps, and how long
// the server will be down.
func MoveWAL(f *walmove.Plan) outline.Outline {
	var o outline.Outline
	state := "stopped"
	if f.Running {
		state = "running"
	}
	o.Heading(2, outline.Bold("The WAL of "+f.Label), fmt.Sprintf(" (%s): %s, %s", state,
		typeset.Count(f.Size.Files, "file", "files"), unit.Bytes(f.Size.Bytes)))
	o.Add(outline.Rows{List: []outline.Row{
		outline.RowOf("from", f.From, "on "+mounted(f.FromMount)),
		outline.RowOf("to", f.To, "on "+mounted(f.ToMount)),
		outline.RowOf("", fmt.Sprintf("%s free there; %s are needed: what is there now, max_wal_size (%s), and a tenth",
			f.Free, f.Need, f.MaxWAL)),
	}})
	o.Heading(2, "Steps")
	var steps []string
	if f.Running {
		steps = append(steps, "checkpoint, so that the stop is short; then stop the server: "+f.Stop)
	}
	steps = append(steps, "copy to "+f.To+", fsync every file, read all back and compare",
		"exchange pg_wal for a link to it, in one step")
	if f.Running {
		steps = append(steps, "start the server: "+f.Start+
			"; one that does not start gets its old pg_wal back and is started again")
	}
	o.Kind(outline.Numbered, outline.Items(append(steps, "remove the old copy")))
	if len(f.Notes) > 0 {
		o.Add(outline.Heading{Level: 2, Text: outline.Join("Notes"), Tone: outline.ToneMind})
		o.List(outline.Items(f.Notes))
	}
	least, most := f.Downtime()
	if f.Running {
		o.Summary(fmt.Sprintf("Downtime: about %d to %d s for the copy (500 to 100 MB/s, written and read back), and "+
			"what stopping and starting take.", least, most))
	} else {
		o.Summary(fmt.Sprintf("The server does not run, and is not started. The copy takes about %d to %d s (500 to "+
			"100 MB/s, written and read back).", least, most))
	}
	return o
}

// mounted is a filesystem: where it is mounted, of which type, from which device.
func mounted(m host.Mount) string { return m.Point + " (" + m.FSType + ", " + m.Source + ")" }
