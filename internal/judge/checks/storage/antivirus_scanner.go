package storage

import (
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// AntivirusScanner goes by the names of programs: which directories they exclude
// is in files of their own, in a different form for each vendor. The kernel shows
// to root which programs make others wait for their answer (fanotify).
var AntivirusScanner = check.Check{
	ID:       "antivirus_scanner",
	Area:     check.Storage,
	Severity: check.Notice,
	Scope:    check.PerHost,
	Title:    "Antivirus may scan data files on access",
	Why: "An on-access scanner makes each open() of a data file wait for its answer. The server opens files " +
		"constantly: backends their tables and indexes, the checkpointer the files that it syncs, and each WAL " +
		"segment. Data files contain whatever users store, so a page can match a virus signature. A quarantined " +
		"or blocked file is a lost table, or a server that does not start.",
	Do: "1. Exclude the data directory, the WAL, the tablespaces and the server's programs from scanning, for " +
		"reads and writes.\n" +
		"2. Exclude the server's processes from behavior monitoring.\n" +
		"3. Scan uploads in the application instead.",
	Sources: []string{"man-fanotify", "dalibo-j1"},
	Judge: func(c *check.Case) {
		if len(c.Snapshot.Instances) == 0 {
			return
		}
		list, ok := c.OtherPrograms()
		if !ok {
			return
		}
		var waits, watches []string
		for _, p := range list {
			maker := host.ScannerNames[p.Name]
			if maker == "" {
				continue
			}
			told := p.Name + " (" + maker + ")"
			if yes, _ := p.Intercept.Get(); yes {
				waits = append(waits, told)
			} else {
				watches = append(watches, told)
			}
		}
		do := say.M(c.Remedy())
		if folders := directoriesOf(c.Snapshot); len(folders) > 0 {
			do = say.All("\n", do, say.M("Directories to exclude: {folders}.", "folders", say.Names(folders, 4)))
		}
		switch {
		case len(waits) > 0:
			c.That(check.Warning, do, say.M(
				"Antivirus makes open() wait for its answer: {programs}. Whether the server's directories are "+
					"excluded is unknown.", "programs", say.Names(append(waits, watches...), 4)))
		case len(watches) > 0:
			c.That(check.Notice, do, say.M(
				"Antivirus runs: {programs}. Whether it scans files on access, and which directories it excludes, "+
					"is unknown.", "programs", say.Names(watches, 4)))
		}
	},
}

// directoriesOf names the directories of all instances.
func directoriesOf(s *snapshot.Snapshot) []string {
	var out []string
	for i := range s.Instances {
		places, _ := s.Instances[i].Places.Get()
		for _, p := range places {
			if !slices.ContainsFunc(out, func(o string) bool {
				return p.Path == o || strings.HasPrefix(p.Path, o+"/")
			}) {
				out = append(out, p.Path)
			}
		}
	}
	return out
}
