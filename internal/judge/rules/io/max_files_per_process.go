package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MaxFilesPerProcess = rule.Rule{
	Address: knob.PG("max_files_per_process"),
	Title:   "how many files a process keeps open",
	Why: "A table and each of its indexes is a file or more. A session that touches more of them than this " +
		"closes and opens files all the time. A server never opens more than the limit of the process allows.",
	Formula: "1c 8000, as its vendor advises, or what the limit of open files of a postmaster that no unit runs " +
		"leaves; others at least the default of 1000. More stays.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Decide: func(c *rule.Case) {
		want := 1000
		text := say.M("{present} is below the default: sessions that touch many tables and indexes open and close "+
			"files all the time", "present", c.Shown())
		if c.Options.Profile == rule.OneC {
			want, text = 8000,
				say.M("1C's databases have thousands of tables with several indexes each, and a session touches "+
					"hundreds: with {present} it opens and closes files all the time", "present", c.Shown())
			// The limit of a unit follows (unit:LimitNOFILE); one of a shell's does not. A
			// hundred descriptors are for sockets, pipes and libraries.
			if l, ok := c.Instance.Limits.Get(); ok && l.NoFile > 0 && l.NoFile < 8100 && !c.Instance.Unit.Known() {
				want = max(int(l.NoFile)-100, 1000)
				text = say.All("; ", text, say.M("the limit of open files of the postmaster, {limit}, leaves no more",
					"limit", l.NoFile))
			}
		}
		if int(c.Now()) >= want {
			c.Keep("{present} files are enough", "present", c.Shown())
			return
		}
		c.SetAs(want, text)
	},
}
