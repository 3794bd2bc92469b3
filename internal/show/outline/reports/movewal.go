package reports

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/judge/walmove"
	"github.com/pgfettle/pgfettle/internal/show/outline"
)

// MoveWAL is a move of the WAL before it is made: from where to where, what there is room for, the steps, and how long
// the server will be down.
func MoveWAL(f *walmove.Plan, c *say.Catalogue) outline.Outline {
	p := outline.WordsIn(c)
	var o outline.Outline
	state := say.M("stopped")
	if f.Running {
		state = say.M("running")
	}
	o.Heading(2, outline.Bold(p.Say("WAL of {instance}", "instance", f.Label)), " ", p.Say("({state}): {files}, {size}",
		"state",
		state, "files", say.N(f.Size.Files, "{n} file", "{n} files"), "size", unit.Bytes(f.Size.Bytes)))
	o.Add(outline.Rows{List: []outline.Row{
		outline.RowOf(p.Say("from"), f.From, mounted(f.FromMount)),
		outline.RowOf(p.Say("to"), f.To, mounted(f.ToMount)),
		outline.RowOf("", p.Say("{free} free there, {need} needed: the present WAL, max_wal_size ({max}), and 10%",
			"free",
			f.Free, "need", f.Need, "max", f.MaxWAL)),
	}})
	o.Heading(2, p.Say("Steps"))
	var steps []string
	if f.Running {
		steps = append(steps, p.Say("run a checkpoint, which shortens the stop, then stop the server: {command}",
			"command",
			f.Stop))
	}
	steps = append(steps, p.Say("copy to {directory}, fsync every file, read all back and compare", "directory", f.To),
		p.Say("replace pg_wal by a symbolic link to it, in one atomic step"))
	if f.Running {
		steps = append(steps, p.Say("start the server: {command}; if it does not start, restore its old pg_wal and "+
			"start it again", "command", f.Start))
	}
	o.Kind(outline.Numbered, outline.Items(append(steps, p.Say("remove the old copy"))))
	if len(f.Notes) > 0 {
		o.Add(outline.Heading{Level: 2, Text: outline.Join(p.Say("Notes")), Tone: outline.ToneMind})
		o.List(outline.Items(f.Notes))
	}
	least, most := f.Downtime()
	if f.Running {
		o.Summary(p.Say("Downtime: about {least} to {most} s for the copy (500 to 100 MB/s, written and read back), "+
			"plus the time to stop and start the server.", "least", least, "most", most))
	} else {
		o.Summary(p.Say("The server is stopped and will not be started. The copy takes about {least} to {most} s "+
			"(500 to 100 MB/s, written and read back).", "least", least, "most", most))
	}
	return o
}

// mounted is a filesystem: where it is mounted, of which type, from which device.
func mounted(m host.Mount) string { return m.Point + " (" + m.FSType + ", " + m.Source + ")" }
