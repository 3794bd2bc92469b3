package service

import (
	"slices"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// filesBeside is what a process needs in addition to the files of tables: sockets,
	// pipes, libraries, and with io_uring one for each process.
	filesBeside = 100
	// filesPlenty is the limit that packagers of servers settled on; it costs
	// nothing before files are opened.
	filesPlenty = 65536
)

var LimitNOFILE = rule.Rule{
	Address: "unit:LimitNOFILE",
	Title:   "Open files limit of the service",
	Why: "systemd sets a soft limit of 1024 open files for services, and the server does not raise it. If the limit " +
		"is below max_files_per_process, sessions keep closing and reopening files. Anything else that needs a " +
		"descriptor (a socket, a library, a foreign server connection) fails with \"too many open files\".",
	Formula: "65536 if a systemd unit runs the postmaster and its limit is below max_files_per_process; " +
		"max_files_per_process + 100 if that is more. Otherwise unchanged. Takes effect at the next server start.",
	Sources: []string{"systemd-exec", "pg-config-resource", "pg-kernel-resources"},
	Effect:  knob.Now,
	Risk:    knob.Low,
	Needs:   []knob.Address{knob.PG("max_files_per_process")},
	Decide: func(c *rule.Case) {
		var short []say.Message
		var units []string
		want := int64(filesPlenty)
		for i := range c.Snapshot.Instances {
			in := &c.Snapshot.Instances[i]
			u, ok := in.Unit.Get()
			if !ok || slices.Contains(units, u.Name) {
				continue // not a unit's, or one of several instances that was inspected
			}
			l, ok1 := rule.Need(c, in.Limits)
			files, ok2 := c.ForInstance(in).Int(knob.PG("max_files_per_process"))
			if !ok1 || !ok2 {
				continue
			}
			units = append(units, u.Name)
			if l.NoFile >= 0 && l.NoFile < int64(files) {
				short = append(short, say.M("{unit} has {limit}", "unit", u.Name, "limit", l.NoFile))
				want = max(want, int64(files)+filesBeside)
			}
		}
		switch {
		case len(short) > 0:
			c.Set(strconv.FormatInt(want, 10),
				"{units}; max_files_per_process is higher. LimitNOFILE also sets the soft limit. Takes effect at the "+
					"next server start", "units", say.List{Items: short})
		case len(units) > 0:
			c.Keep("the open files limit is at least max_files_per_process")
		}
	},
}
