package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/judge/check"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
)

const (
	// imageAtLeast is the least average size of an image: the unused middle
	// of the page is omitted, and pages of tables and indexes are rarely less
	// than half full. The true share is above the one computed from it.
	imageAtLeast = 4 * unit.KB
	// imagesMost: if the images are half of the WAL or more, everything else
	// together is less.
	imagesMost = 50
	// imagesWAL: below 1 MB/s of WAL, 84 GB per day, the cost of the images is not
	// noticeable; on a quiet server they are normally most of the WAL.
	imagesWAL = unit.MB
)

// FullPageImagesHigh is silent if wal_compression is on: the size of a compressed
// image is unknown.
var FullPageImagesHigh = check.Check{
	ID:       "full_page_images_high",
	Area:     check.WAL,
	Severity: check.Notice,
	Scope:    check.PerInstance,
	From:     14,
	Title:    "Full-page images make up most of the WAL",
	Why: "The first change of a page after a checkpoint writes the whole page to the WAL, so that recovery can " +
		"repair a torn page. If changes are scattered over many pages, these images exceed the changes " +
		"themselves. They fill the WAL, its archive and the network to the standbys.",
	Do: "1. Compress full-page images if disk, network or archive is the bottleneck of the WAL (reload): " +
		"ALTER SYSTEM SET wal_compression = 'lz4'; SELECT pg_reload_conf();\nIn PostgreSQL 14, or if lz4 is not " +
		"compiled in, use on (pglz), which takes about 0.1 ms of CPU time per page.\n2. Make checkpoints less " +
		"frequent (reload; crash recovery takes longer): checkpoint_timeout = '30min', with max_wal_size to " +
		"match.\n3. Leave full_page_writes on.",
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
			"Full-page images: {images} in {wal} of WAL in {history}, at least {share} of it at half a page each; "+
				"wal_compression = off, checkpoint_timeout = {timeout}.",
			"images", check.Count(w.FPI), "wal", w.Bytes, "history", say.Span(w.Secs), "share",
			check.PercentOf(min(images, w.Bytes), w.Bytes), "timeout", set["checkpoint_timeout"].Show())
	},
}
