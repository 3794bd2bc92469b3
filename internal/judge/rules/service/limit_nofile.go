package service

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
	"github.com/pgfettle/pgfettle/internal/judge/sizing"
)

const (
	// filesBeside is what a process needs beside the files of tables: sockets,
	// pipes, libraries, and with io_uring one for each process.
	filesBeside = 100
	// filesPlenty is the limit that packagers of servers settled on; it costs
	// nothing before files are opened.
	filesPlenty = 65536
)

var LimitNOFILE = rule.Rule{
	Address: "unit:LimitNOFILE",
	Title:   "how many files a process of the instance may have open",
	Why: "systemd gives services a soft limit of 1024, and a server does not raise it. With less than " +
		"max_files_per_process a session closes and opens files instead, " +
		"and what is no file of a table (a socket, a library, a foreign server's connection) fails with «too many " +
		"open files».",
	Formula: "65536 where the limit of a postmaster that a unit runs is below max_files_per_process, more where " +
		"that and a hundred for all else are; otherwise as it is. It is in force from the server's next start.",
	Sources: []string{"systemd-exec", "pg-config-resource", "pg-kernel-resources"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Needs:   []knob.Address{knob.PG("max_files_per_process")},
	Decide: func(c *rule.Case) {
		var short, units []string
		want := int64(filesPlenty)
		for i := range c.Snapshot.Instances {
			in := &c.Snapshot.Instances[i]
			u, ok := in.Unit.Get()
			if !ok || slices.Contains(units, u.Name) {
				continue // not a unit's, or one of several instances that was looked at
			}
			l, ok1 := rule.Need(c, in.Limits)
			files, ok2 := c.ForInstance(in).Int(knob.PG("max_files_per_process"))
			if !ok1 || !ok2 {
				continue
			}
			units = append(units, u.Name)
			if l.NoFile >= 0 && l.NoFile < int64(files) {
				short = append(short, u.Name+" has "+strconv.FormatInt(l.NoFile, 10))
				want = max(want, int64(files)+filesBeside)
			}
		}
		switch {
		case len(short) > 0:
			c.Set(strconv.FormatInt(want, 10),
				"{units}, less than max_files_per_process; LimitNOFILE sets the soft limit too. It takes effect at "+
					"the server's next start", "units", sizing.Listed(short))
		case len(units) > 0:
			c.Keep("each process may open as many files as max_files_per_process says")
		}
	},
}
