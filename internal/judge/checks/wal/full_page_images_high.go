package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// imageAtLeast is what an image takes at least on average: the unused middle
	// of the page is left out, and pages of tables and indexes are seldom less
	// than half full. The true share is above the one that follows from it.
	imageAtLeast = 4 * unit.KB
	// imagesMost: from half of the WAL on, everything else that is written there
	// together is less than the images are.
	imagesMost = 50
	// imagesWAL: below 1 MB/s of WAL, 84 GB a day, nobody feels what the images
	// cost; on a quiet server they are most of the WAL, and rightly so.
	imagesWAL = unit.MB
)

// FullPageImagesHigh keeps quiet where wal_compression is on: nothing tells how
// large a compressed image is.
var FullPageImagesHigh = check.Check{
	ID:       "full_page_images_high",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "Most of the WAL is full-page images",
	Why: "The first change of a page after a checkpoint writes the whole page to the WAL, so that a page torn by a " +
		"crash can be made whole again. Where changes are " +
		"scattered over many pages, these images are more than the changes themselves: they fill the WAL, its " +
		"archive and the network to the standbys.",
	Do: "Compress them: ALTER SYSTEM SET wal_compression = 'lz4' (on, which is pglz, before 15 or where lz4 is not " +
		"compiled in: it takes a tenth of a millisecond of a processor " +
		"for each page, so do it where the WAL's disk, network or archive is what is short); SELECT " +
		"pg_reload_conf();. Let checkpoints come less often: checkpoint_timeout = '30min' with a max_wal_size to " +
		"match; crash recovery then takes longer. Leave full_page_writes on.",
	Sources:   []string{"pg-config-wal", "pg-wal-configuration", "dalibo-j1"},
	DependsOn: []string{"checkpoints_too_frequent"},
	Judge: func(c *check.Case) {
		set, ok := check.Need(c, c.Instance.Server.Settings)
		if !ok {
			return
		}
		w, ok := check.Need(c, c.Instance.Server.WAL)
		if !ok || w.Secs < limits.Hour {
			return
		}
		if v, ok := set.Text("wal_compression"); !ok || v != "off" {
			return
		}
		images := unit.Bytes(w.FPI) * imageAtLeast
		if w.Bytes.Scale(1/w.Secs) < imagesWAL || !check.AtLeast(images, imagesMost, w.Bytes) {
			return
		}
		c.Found(
			"{images} page images are among the {wal} of WAL of {history}: at least {share} of it, at half a page "+
				"each; wal_compression = off, checkpoint_timeout = {timeout}.",
			"images", check.Count(w.FPI), "wal", w.Bytes, "history", say.Span(w.Secs), "share",
			check.PercentOf(min(images, w.Bytes), w.Bytes), "timeout", set["checkpoint_timeout"].Show())
	},
}
