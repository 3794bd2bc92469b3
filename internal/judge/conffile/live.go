package conffile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/check"
)

// server judges the values that count with the checks of a running server. host
// is the machine that the file is for, with one instance; without one (nil) only
// what needs settings alone can be judged, as every other fact is unknown.
//
// A finding belongs to the line without which it would not be, or else would be
// another one; of several such lines to the one that its text names first. On a host what the
// default of a setting causes belongs to the file as a whole.
func (j *judge) server(host *snapshot.Snapshot, checks []check.Check) {
	s, in := j.simulated(host)
	set := j.settings()
	run := func(list []check.Check, m known.Fact[pg.Settings]) []check.Finding {
		in.Server.Settings = m
		return check.Run(s, list, check.Options{}).Findings
	}
	seen := func(list []check.Finding) (out []string) {
		for _, f := range list {
			out = append(out, f.Severity.String()+f.Seen)
		}
		return out
	}
	without := map[string]map[string][]string{} // what each check says without each line
	for _, f := range run(checks, known.Is(set)) {
		ck := checks[slices.IndexFunc(checks, func(c check.Check) bool { return c.ID == f.ID })]
		if ck.Scope != check.PerInstance {
			continue // of the host, whatever the file says
		}
		alone := []check.Check{ck}
		if without[f.ID] == nil {
			without[f.ID] = map[string][]string{}
			for _, name := range j.order {
				p, ok := params.Find(j.major, name)
				if old, there := set[j.key(name)]; there && ok {
					set[p.Name] = setting(p, boot(p), "default")
					without[f.ID][name] = seen(run(alone, known.Is(set)))
					set[p.Name] = old
				}
			}
		}
		var place *conf.Setting
		best := 0
		for _, name := range j.order {
			list, ok := without[f.ID][name]
			if !ok || slices.Contains(list, f.Severity.String()+f.Seen) {
				continue
			}
			rank := len(f.Seen) // where the finding names it
			if n := strings.Index(f.Seen, j.key(name)+" "); n >= 0 {
				rank = n
			}
			if len(list) > 0 {
				rank += len(f.Seen) + 1 // it only weighs in
			}
			if place == nil || rank <= best {
				place, best = new(j.last[name]), rank
			}
		}
		if place == nil && host != nil && len(run(alone, known.Missed[pg.Settings](known.Gap{Fact: "settings", Reason: "left out"}))) == 0 {
			place = &conf.Setting{File: j.main}
		}
		if place == nil {
			continue // not this file's doing
		}
		if len(j.out.Findings) >= most {
			j.out.Left++
			continue
		}
		f.Instance = ""
		j.out.Findings = append(j.out.Findings, Finding{Finding: f, File: j.show(place.File), Line: place.Line, Setting: place.Name})
	}
}

// key spells a setting as pg_settings does: DateStyle.
func (j *judge) key(name string) string {
	if p, ok := params.Find(j.major, name); ok {
		return p.Name
	}
	return name
}

// simulated returns a snapshot with one instance, whose settings the caller sets.
func (j *judge) simulated(host *snapshot.Snapshot) (*snapshot.Snapshot, *snapshot.Instance) {
	s := &snapshot.Snapshot{Instances: []snapshot.Instance{{Key: "1"}}}
	if host != nil {
		t := *host
		t.Instances = slices.Clone(host.Instances)
		s = &t
	}
	in := &s.Instances[0]
	in.Server.Version = known.Is(unit.Version(j.major * 10000))
	return s, in
}

// settings are what a server has that starts with the file: the line that counts
// where the server takes it, the default for everything else.
func (j *judge) settings() pg.Settings {
	set := pg.Settings{}
	for _, p := range params.All(j.major) {
		if p.Context != "internal" {
			set[p.Name] = setting(p, boot(p), "default")
		}
	}
	for name, s := range j.last {
		switch p, ok := params.Find(j.major, name); {
		case ok && !j.bad[name]:
			set[p.Name] = setting(p, setting(p, "", "").InBase(s.Value), "configuration file")
		case !ok && strings.Contains(name, "."):
			set[name] = pg.Setting{Name: name, Value: s.Value, Type: "string", Source: "configuration file"}
		}
	}
	return set
}

// boot is what a fresh cluster has, as far as that does not depend on the machine.
func boot(p params.Param) string {
	if p.Reset != "" {
		return p.Reset
	}
	return p.Boot
}

func setting(p params.Param, value, source string) pg.Setting {
	if p.Type == "enum" {
		value = strings.ToLower(value)
	}
	return pg.Setting{Name: p.Name, Value: value, Unit: p.Unit, Type: p.Type, Context: p.Context, Source: source, Min: p.Min, Max: p.Max, Enum: p.Enum, Boot: p.Boot}
}

// unit slips ----------------------------------------------------------------

// slip is what a number without a unit of a parameter is most probably meant
// otherwise below: nobody sets so little on purpose.
type slip struct {
	below float64 // in the base unit; more is taken as it stands
	meant string  // the unit that people have in mind
}

// slips: each bound is at most what the server's own documentation shows as a
// sensible value, or a tenth of the default; below it a server works badly or not
// at all. Zero and less than zero have meanings of their own and are left alone.
var slips = map[string]slip{
	// kB; the defaults are 4MB, 64MB, 64MB and off
	"work_mem": {1024, "MB"}, "maintenance_work_mem": {16 * 1024, "MB"}, "autovacuum_work_mem": {16 * 1024, "MB"},
	"logical_decoding_work_mem": {1024, "MB"}, "temp_file_limit": {100 * 1024, "MB"}, "log_rotation_size": {1024, "MB"},
	// pages of 8kB: 16384 of them are 128MB, which is the default, and as megabytes a usual setting
	"shared_buffers": {16384 + 1, "MB"}, "effective_cache_size": {16384 + 1, "GB"}, "temp_buffers": {128, "MB"}, "wal_buffers": {128, "MB"},
	// MB
	"max_wal_size": {128, "GB"}, "min_wal_size": {32, "GB"}, "max_slot_wal_keep_size": {128, "GB"},
	// ms: nothing that a person waits for ends within a tenth of a second
	"statement_timeout": {100, "s"}, "idle_in_transaction_session_timeout": {1000, "s"}, "idle_session_timeout": {1000, "s"},
	"transaction_timeout": {100, "s"}, "lock_timeout": {10, "s"}, "deadlock_timeout": {10, "s"}, "wal_sender_timeout": {1000, "s"},
	"wal_receiver_timeout": {1000, "s"}, "max_standby_streaming_delay": {100, "s"}, "max_standby_archive_delay": {100, "s"},
	"tcp_user_timeout": {100, "s"}, "client_connection_check_interval": {100, "s"},
	// s: the least that checkpoint_timeout takes is 30 s, and 5 min are the default
	"checkpoint_timeout": {60, "min"}, "archive_timeout": {30, "min"},
}

// slip tells a number without a unit that the server takes for far less than was meant.
func (j *judge) slip(s conf.Setting, p params.Param) {
	sl, ok := slips[p.Name]
	if !ok {
		return
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s.Value), 64)
	if err != nil || n <= 0 || n >= sl.below {
		return // with a unit, or of a plausible size
	}
	told := unit.ShowGUC(strconv.FormatFloat(n, 'f', -1, 64), p.Unit)
	j.found(&UnitSlip, s, "{name} = {value} has no unit: the server takes it for {told}. Was {value}{meant} meant?",
		"name", p.Name, "value", strings.TrimSpace(s.Value), "told", told, "meant", sl.meant)
}
