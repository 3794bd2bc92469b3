package io

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

var FileCopyMethod = rule.Rule{
	Address: knob.PG("file_copy_method"),
	Title:   "How files of a database are copied",
	Why: "CREATE DATABASE … STRATEGY FILE_COPY and ALTER DATABASE … SET TABLESPACE copy whole files. With clone, the " +
		"kernel copies (copy_file_range): on a filesystem with reflinks both files share their blocks until one is " +
		"changed, so a copy of a large database takes seconds and no space. Elsewhere, it copies as before.",
	Formula: "clone if the data is on Btrfs, bcachefs, or XFS and the server has it; otherwise unchanged. On XFS " +
		"that was made with reflink=0, the default until 2019, it is unchanged too.",
	Sources: []string{"pg-config-resource"},
	From:    18,
	Decide: func(c *rule.Case) {
		fs, ok := c.DataFilesystem()
		shares, sure := c.SharesBlocks()
		switch {
		case !ok:
		case sure && !shares && fs == "xfs":
			c.Keep("the data is on xfs that was made with reflink=0, where copies share no blocks")
		case sure && !shares:
			c.Keep("the data is on {fs}, where copies share no blocks", "fs", fs)
		case !sure && fs != "xfs":
			c.Keep("the data is on {fs}; whether copies share blocks there is unknown", "fs", fs)
		case !c.Allows("file_copy_method", "clone"):
			c.Keep("this server was built without clone")
		case !sure:
			c.Set("clone", "the data is on xfs: if it was made with reflink=1, copies of databases share blocks; "+
				"otherwise the kernel copies them")
		default:
			c.Set("clone", "the data is on {fs}: copies of databases share blocks", "fs", fs)
		}
	},
}
