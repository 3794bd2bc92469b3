package rule

import "github.com/pgfettle/pgfettle/internal/base/knob"

var walCompression = Rule{
	Address: knob.PG("wal_compression"),
	Title:   "whether whole pages are compressed in the WAL",
	Why: "The whole pages that follow each checkpoint are most of the WAL of a busy server. Compressed they take a fraction of the disk, the network to the standbys, " +
		"and the archive, for a little processor time in the backend that writes them. lz4 costs the least; pglz is there in every build.",
	Formula: "lz4 where the server's build has it (15+), else pglz (on in 13 and 14). Any method that is set stays. The desktop profile keeps what it has.",
	Sources: []string{"pg-config-wal", "pg-release-notes"},
	Decide: func(c *Case) {
		have, _ := c.Text(knob.PG("wal_compression"))
		fpw, known := c.Text(knob.PG("full_page_writes"))
		switch {
		case have != "off":
			c.Keep("whole pages are compressed ({present})", "present", have)
		case c.Options.Profile == Desktop:
			c.Keep("a desktop writes too little WAL for it to matter")
		case known && fpw == "off":
			// Nothing would be compressed. That full_page_writes is off is a check's matter.
			return
		case c.param.Type == "bool":
			c.Set(true, "whole pages after each checkpoint are most of the WAL; this version compresses them with pglz")
		case c.Allows("wal_compression", "lz4"):
			c.Set("lz4", "whole pages after each checkpoint are most of the WAL, and this server's build has lz4, the cheapest method")
		default:
			c.Set("pglz", "whole pages after each checkpoint are most of the WAL; this server's build is not known to have lz4, pglz is in every one")
		}
	},
}
