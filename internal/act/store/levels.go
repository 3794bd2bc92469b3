package store

import "time"

const (
	ms     = int64(1)
	minute = 60_000 * ms
	hour   = 60 * minute
	day    = 24 * hour
)

// A level is one of the resolutions that a series is kept in.
type level struct {
	step int64 // a bucket spans this long, ms; 0: the samples themselves
	span int64 // a block spans this long; a multiple of every finer step, so that levels meet where blocks begin
	keep int64 // a block is thrown away when it ended this long ago
}

// levels, the finest first. Every hour that has ended is written into all of them at once, so each of them alone covers
// its whole time.
//
// The arithmetic of a year, a series sampled every 10 s: 17,280 points + 20,160
// minutes + 13,248 times ten minutes + 8,760 hours. TestAYearFits makes such a
// year and says the size. Two days as sampled hold «what happened last night»,
// two weeks of minutes one week and the one before to compare, three months of
// ten minutes a quarter, two years of hours this season and the last.
// An hour is the span of the fine blocks, so they are written once and never
// again; the coarse ones take about 2 kB, a quarter of a page.
var levels = []level{
	{step: 0, span: hour, keep: 2 * day},
	{step: minute, span: hour, keep: 14 * day},
	{step: 10 * minute, span: day, keep: 92 * day},
	{step: hour, span: 8 * day, keep: 731 * day},
}

// eventsMost and settingsMost bound rows: events are some ten a day on a busy
// host, so this is five years; a setting is changed some times a year.
const (
	eventsMost   = 20_000
	settingsMost = 100_000
	keepEvents   = 731 * day // as the hours
)

// floor is the greatest multiple of step that is not above t; also before 1970.
func floor(t, step int64) int64 {
	r := t % step
	if r < 0 {
		r += step
	}
	return t - r
}

func toMS(t time.Time) int64    { return t.UnixMilli() }
func fromMS(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// earliest and latest bound the times that are taken: outside them no clock is merely wrong. 2000 and 2200.
const (
	earliest = 946_684_800_000
	latest   = 7_258_118_400_000
)
