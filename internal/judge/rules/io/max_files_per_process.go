package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var MaxFilesPerProcess = rule.Rule{
	Address: knob.PG("max_files_per_process"),
	Title:   "Maximum open files per server process",
	Why: "Each table and each index is at least one file. A session that touches more files than this closes and " +
		"reopens them all the time. The open files limit of the process (ulimit -n) also bounds it.",
	Formula: "1c: 8000, as 1C recommends, or what the open files limit allows if no systemd unit runs the " +
		"postmaster. Other profiles: at least 1000, the default. Higher values stay.",
	Sources: []string{"pg-config-resource", "its-1c"},
	Decide: func(c *rule.Case) {
		want := 1000
		text := say.M("{present} is below the default: sessions that touch many tables and indexes keep reopening "+
			"files", "present", c.Shown())
		if c.Options.Profile == rule.OneC {
			want, text = 8000,
				say.M("1C databases have thousands of tables with several indexes each, and a session touches "+
					"hundreds: with {present}, it keeps reopening files", "present", c.Shown())
			// The limit of a unit follows (unit:LimitNOFILE); one of a shell's does not. A
			// hundred descriptors are for sockets, pipes and libraries.
			if l, ok := c.Instance.Limits.Get(); ok && l.NoFile > 0 && l.NoFile < 8100 && !c.Instance.Unit.Known() {
				want = max(int(l.NoFile)-100, 1000)
				text = say.All("; ", text, say.M("limited by the open files limit of the postmaster, {limit}",
					"limit", l.NoFile))
			}
		}
		if int(c.Now()) >= want {
			c.Keep("{present} is enough", "present", c.Shown())
			return
		}
		c.SetAs(want, text)
	},
}
