package storage

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/fact/host"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// AntivirusScanner goes by the names of programs: which folders they leave out
// stands in files of their own, in as many forms as there are makers. That one
// lets others wait for its answer the kernel tells to root.
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
			told := fmt.Sprintf("%s (%s)", p.Name, maker)
			if yes, _ := p.Intercept.Get(); yes {
				waits = append(waits, told)
			} else {
				watches = append(watches, told)
			}
		}
		do, folders := c.Remedy(), foldersOf(c.Snapshot)
		if folders != "" {
			do += " The folders are {folders}."
		}
		switch {
		case len(waits) > 0:
			c.FoundDo(check.Warning, do,
				"Whoever opens a file waits for {programs}; whether the folders of the server are left out is not "+
					"seen from here.", "programs", check.Join(append(waits, watches...), ", ", 4), "folders", folders)
		case len(watches) > 0:
			c.FoundDo(check.Notice, do,
				"{programs} runs; whether it scans files when they are opened, and which folders it leaves out, is "+
					"not seen from here.", "programs", check.Join(watches, ", ", 4), "folders", folders)
		}
	},
}

// foldersOf names the folders of all instances.
func foldersOf(s *snapshot.Snapshot) string {
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
	return check.Join(out, ", ", 4)
}
