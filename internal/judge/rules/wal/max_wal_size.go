package wal

import (
	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/limits"
	"github.com/pgfettle/pgfettle/internal/judge/memory"
	"github.com/pgfettle/pgfettle/internal/judge/rule"
)

const (
	// walMeasured is how long WAL must have been counted before its rate means anything.
	walMeasured = limits.Hour
	// walShare is the share of the WAL's filesystem that max_wal_size may claim.
	walShare = limits.WALShare
	// walFreeShare is the share that it may claim of what is free there, or WAL already.
	walFreeShare = limits.WALFreeShare
	// walKeptShare of the filesystem is the limit of a chosen value: twice walShare still leaves more than half to
	// everything else.
	walKeptShare = 0.4
	// walIntervals: a checkpoint begins when max_wal_size/(1+completion target)
	// of WAL was written, about half; three intervals leave half as much again
	// for hours busier than the average.
	walIntervals = 3
	// walAtPeak is walIntervals if the rate is that of the busiest hour.
	walAtPeak = 2
	// walWatched is for how many days a history must have samples before its
	// busiest hour is taken for the busiest that there is: a week has all its days.
	walWatched = 7
)

var MaxWALSize = rule.Rule{
	Address: knob.PG("max_wal_size"),
	Title:   "WAL size that triggers a checkpoint",
	Why: "A checkpoint that WAL triggers early writes every dirty page again. After each checkpoint, the first " +
		"change of a page also writes a full-page image to WAL. With space for the WAL of a whole " +
		"checkpoint_timeout, checkpoints are timed. The cost is disk space and longer crash recovery. It is a soft " +
		"limit: a failing archive_command or a replication slot exceeds it.",
	Formula: "The larger of a profile value and a measured value. Measured: WAL rate × checkpoint_timeout × 3, with " +
		"at least 1 h of statistics (since 14). With a history of 'pgfettle watch': rate of the busiest hour × " +
		"checkpoint_timeout × 2. Profile: web 2 GB, oltp 4 GB, dw 8 GB, mixed 2 GB, desktop 1 GB, 1c 4 GB. This is " +
		"multiplied by CPUs / 8 (at least 0.5) and by checkpoint_timeout / 15 min (at most 4), and halved on hdd. It " +
		"is at most 1/4 of the instance's memory and 64 GB (dw: 128 GB), at least 1 GB, rounded down to 2ⁿ or 1.5 × " +
		"2ⁿ GB. Both are limited to 20% of the WAL filesystem, and to 40% of the space that is free there or already " +
		"WAL. A larger value that was set explicitly stays up to 40% of the filesystem.",
	Sources: []string{"pg-wal-configuration", "pg-config-wal", "pgtune", "dalibo-j1"},
	Needs:   []knob.Address{knob.PG("checkpoint_timeout")},
	// Half a gigabyte more or less changes nothing that could be measured.
	Tolerance: 0.15,
	Decide:    decideMaxWALSize,
}

func decideMaxWALSize(c *rule.Case) {
	have, ok := c.Bytes(maxWALSizeAddress)
	if !ok {
		return
	}
	total, free, sized := c.SpaceOf(snapshot.WALPlace)
	share := total.Scale(walShare)
	if sized && have > share && (have > total.Scale(walKeptShare) || !c.Chosen()) {
		c.Set(wholeSegments(c, share),
			"{present} is too much for the WAL filesystem of {total}; 20% of it leaves room for data, a lagging "+
				"archiver or a slot",
			"present", have, "total", total)
		return
	}
	prior, why := walPrior(c)
	want := prior
	reason := say.M("profile {profile}: {prior} of WAL between checkpoints on this host ({why})", "profile",
		string(c.Options.Profile), "prior", prior, "why", why)
	also := func(text say.Template, pairs ...any) { reason = say.All(", ", reason, say.M(text, pairs...)) }
	m, counted := walNeedOf(c)
	seen := []any{"rate", unit.Bytes(m.rate), "hours", say.N(int(m.hours), "{n} hour", "{n} hours")}
	if m.watched {
		seen = []any{"rate", unit.Bytes(m.rate), "date", m.date, "days", m.days}
	}
	switch {
	case !counted:
		reason = say.All("; ", reason, noRate(c))
	case m.need > prior && sized && m.watched:
		want, reason = m.need,
			say.M("{rate}/s of WAL in the busiest hour ({date}, history of {days}) = {interval} per "+
				"checkpoint_timeout; × 2, because a checkpoint starts when about half of max_wal_size is written",
				append(seen, "interval", m.interval)...)
	case m.need > prior && sized:
		want, reason = m.need,
			say.M("{rate}/s of WAL over {hours} = {interval} per checkpoint_timeout; × 3, because this is a mean and "+
				"the peak is unknown", append(seen, "interval", m.interval)...)
	case m.need > 0 && m.need <= prior && m.watched:
		also("{rate}/s of WAL in the busiest hour ({date}, history of {days}) needs less", seen...)
	case m.need > 0 && m.need <= prior:
		also("{rate}/s of WAL over {hours} needs less", seen...)
	}
	if want <= have {
		c.KeepAs(say.All("; ", reason, say.M("{present} is enough", "present", c.Shown())))
		return
	}
	if !sized {
		// The disk could not be examined, so the reason says what to check.
		c.SetAs(want, say.All("; ", reason, say.M("the size of the WAL disk is unknown: make sure that it is at "+
			"least 5 × this value")))
		return
	}
	room := free
	if free.Scale(walFreeShare) < min(want, share) {
		// The present content of pg_wal counts as WAL's share. If the directory cannot be listed, the limit is lower by
		// that.
		dir, _ := rule.Need(c, c.Instance.Server.WALDir)
		room += dir.Size
	}
	switch limit := room.Scale(walFreeShare); {
	case min(share, limit) >= want:
	case share <= limit:
		want = wholeSegments(c, share)
		also("limited to 20% of its filesystem of {total}", "total", total)
	default:
		want = wholeSegments(c, limit)
		also("limited to 40% of {room}, the space that is free there or already WAL", "room", room)
	}
	if want <= have {
		c.KeepAs(say.All("; ", reason, say.M("{present} stays", "present", c.Shown())))
		return
	}
	c.SetAs(want, reason)
}

// walNeed is how much WAL a measured rate asks for.
type walNeed struct {
	need, interval unit.Bytes // 0: checkpoint_timeout is not known
	rate           float64    // bytes a second
	hours          float64    // for which it was counted, of a mean
	watched        bool       // it is the busiest hour of a history, and not a mean
	date           string     // of that hour
	days           say.Span   // of the history
}

// walNeed decides between the mean that the server counted and the busiest hour of a history; ok is false if there is
// neither.
func walNeedOf(c *rule.Case) (m walNeed, ok bool) {
	rate, hours, counted := walRate(c)
	h, known := c.Instance.History.Get()
	watched := known && h.WAL != nil && h.WAL.Value > 0
	if !counted && !watched {
		return m, false
	}
	every, ok := c.Seconds(knob.PG("checkpoint_timeout"))
	if !ok {
		return m, true
	}
	if counted {
		m = walNeed{need: unit.Bytes(rate * every * walIntervals).RoundUp(unit.GB), interval: unit.Bytes(rate * every),
			rate: rate, hours: hours}
	}
	if watched {
		peak := h.WAL.Value
		need := unit.Bytes(peak * every * walAtPeak).RoundUp(unit.GB)
		if need >= m.need || h.Days >= walWatched && peak >= rate {
			m = walNeed{need: need, interval: unit.Bytes(peak * every), rate: peak, watched: true,
				date: rule.DayOf(h.WAL.At), days: say.Span(h.Days * 24 * 3600)}
		}
	}
	return m, true
}

var maxWALSizeAddress = knob.PG("max_wal_size")

// walRate returns the WAL written in a second, in bytes, and for how many hours
// it was counted; ok is false without an hour of counting.
func walRate(c *rule.Case) (rate, hours float64, ok bool) {
	w, ok := rule.Need(c, c.Instance.Server.WAL) // absent before 14: the profile decides
	if !ok || w.Secs < walMeasured || w.Bytes <= 0 {
		return 0, 0, false
	}
	return float64(w.Bytes) / w.Secs, w.Secs / 3600, true
}

// noRate says why the profile decides, and what would sharpen it.
func noRate(c *rule.Case) say.Message {
	if cp, ok := c.Instance.Server.Checkpoints.Get(); ok && cp.Secs >= memory.MeasuredLeast && cp.Requested > cp.Timed {
		// How many of them a person or a backup asked for is not counted, so their
		// number is no measure of the WAL.
		return say.M("WAL rate unknown, but most checkpoints were not timed: compare pg_current_wal_lsn() twice in a " +
			"busy hour")
	}
	return say.M("WAL rate unknown: less than 1 h of statistics (pg_stat_wal, since 14)")
}

// walSegment returns the size of a WAL file: 16 MB unless initdb was given another size.
func walSegment(c *rule.Case) unit.Bytes {
	if s, ok := c.Bytes(knob.PG("wal_segment_size")); ok && s > 0 {
		return s
	}
	return 16 * unit.MB
}

// wholeSegments rounds down to whole WAL files, of which the server demands two.
func wholeSegments(c *rule.Case, b unit.Bytes) unit.Bytes {
	s := walSegment(c)
	return max(b.RoundDown(s), 2*s)
}
