package monitor

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/history"
	"github.com/pgfettle/pgfettle/internal/fact/pg"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// settings are values in force by name, with where each comes from.
type settings map[string]history.Setting

// alterSystem is the file that ALTER SYSTEM writes, and nothing else should.
const alterSystem = "postgresql.auto.conf"

// told are settings of the context internal that can change: by an upgrade, pg_checksums, a new cluster in place of the
// old one.
var told = map[string]bool{"server_version": true, "data_checksums": true, "wal_segment_size": true, "block_size": true}

// serverSettings are the values in force of an instance, and what ALTER ROLE and ALTER DATABASE override. before is
// what they were. ok is false if the server did not report its settings: then nothing is known, and nothing has
// changed.
func serverSettings(in *snapshot.Instance, before map[string]string) (out settings, ok bool) {
	set, ok := in.Server.Settings.Get()
	if !ok {
		return nil, false
	}
	out = make(settings, len(set))
	for name, s := range set {
		if s.Context == "internal" && !told[name] || strings.HasPrefix(name, "transaction_") {
			continue // of the session, or moving by itself
		}
		one := history.Setting{Value: cut(s.Show()), Where: origin(s)}
		if path.Base(s.File) == alterSystem {
			one.Who = "ALTER SYSTEM"
		}
		out[name] = one
	}
	roles, ok := in.Server.RoleSettings.Get()
	if !ok { // what they override is what it was
		for name, v := range before {
			if strings.Contains(name, " (") {
				out[name] = history.Setting{Value: v}
			}
		}
	}
	for _, r := range roles {
		out[cut(overrideName(r))] = history.Setting{Value: cut(r.Value), Where: "pg_db_role_setting",
			Who: overrideWho(r)}
	}
	return out, true
}

// origin says where a value comes from: file and line, else the word that
// pg_settings has for it.
func origin(s pg.Setting) string {
	switch {
	case s.File != "" && s.Line > 0:
		return s.File + ":" + strconv.FormatInt(s.Line, 10)
	case s.File != "":
		return s.File
	}
	return s.Source
}

// overrideName names an override beside the instance's own value:
// «work_mem (role app, database shop)».
func overrideName(r pg.RoleSetting) string {
	var of []string
	if r.Role != "" {
		of = append(of, "role "+r.Role)
	}
	if r.Database != "" {
		of = append(of, "database "+r.Database)
	}
	if len(of) == 0 {
		of = append(of, "all roles") // ALTER ROLE ALL
	}
	return r.Name + " (" + strings.Join(of, ", ") + ")"
}

func overrideWho(r pg.RoleSetting) string {
	if r.Role == "" && r.Database != "" {
		return "ALTER DATABASE"
	}
	return "ALTER ROLE"
}

// hostSettings are the values of the kernel and of what is mounted, by the
// addresses of their knobs. What could not be read keeps the value that it had:
// unknown is no change.
func hostSettings(s *snapshot.Snapshot, before map[string]string) settings {
	h, out := &s.Host, settings{}
	put := func(name, where string, f known.Fact[string]) {
		if v, ok := f.Get(); ok {
			out[name] = history.Setting{Value: cut(v), Where: where}
		} else if v, ok := before[name]; ok && f.State() != known.Absent {
			out[name] = history.Setting{Value: v}
		}
	}
	for name, f := range h.Sysctls {
		put("sysctl:"+name, "/proc/sys/"+strings.ReplaceAll(name, ".", "/"), f)
	}
	const thp = "/sys/kernel/mm/transparent_hugepage/"
	put("thp:enabled", thp+"enabled", h.THP.Enabled)
	put("thp:defrag", thp+"defrag", h.THP.Defrag)
	put("thp:shmem_enabled", thp+"shmem_enabled", h.THP.ShmemEnabled)
	put("boot:cmdline", "/proc/cmdline", known.Map(h.CmdLine, func(words []string) string {
		return strings.Join(words, " ")
	}))
	put("kernel", "/proc/sys/kernel/osrelease", known.Map(h.Kernel, spelled))
	blocks, seen := h.Blocks.Get()
	for _, b := range blocks {
		at := "/sys/class/block/" + b.Name + "/queue/"
		put("block:"+b.Name+"/scheduler", at+"scheduler", b.Scheduler)
		put("block:"+b.Name+"/read_ahead_kb", at+"read_ahead_kb", known.Map(b.ReadAhead, kilobytes))
		put("block:"+b.Name+"/write_cache", at+"write_cache", b.WriteCache)
		put("block:"+b.Name+"/nr_requests", at+"nr_requests", known.Map(b.Requests, decimal))
	}
	mounts := mountSettings(s, out)
	for name, v := range before { // of devices and mounts that could not be read
		if strings.HasPrefix(name, "block:") && !seen || strings.HasPrefix(name, "mount:") && !mounts {
			out[name] = history.Setting{Value: v}
		}
	}
	return out
}

// mountSettings adds the options of the mounts that instances are on; false if one of them could not be seen.
func mountSettings(s *snapshot.Snapshot, out settings) bool {
	all := s.Host.Mounts.Known() && len(s.Instances) > 0
	for i := range s.Instances {
		places, ok := s.Instances[i].Places.Get()
		all = all && ok
		for _, p := range places {
			if m, ok := s.MountOf(p.Path); ok {
				out["mount:"+strings.TrimSuffix(m.Point, "/")+"/options"] = history.Setting{
					Value: cut(strings.Join(m.Options, ",")), Where: "/proc/self/mountinfo"}
			}
		}
	}
	return all
}

// written is what the configuration files of an instance say now, by name: the
// last line of each that is in order, also where the server has not read it yet.
func written(in *snapshot.Instance) (map[string]pg.FileSetting, bool) {
	rows, ok := in.Server.FileSettings.Get()
	if !ok {
		return nil, false
	}
	out := map[string]pg.FileSetting{}
	for _, r := range rows {
		if r.Name != "" && (r.Error == "" || r.Error == needsRestart) {
			out[strings.ToLower(r.Name)] = r
		}
	}
	return out, true
}

// needsRestart is what pg_file_settings says of a line whose value is in order
// and waits for a restart.
const needsRestart = "setting could not be applied"

// waiting are values that are in the configuration files since the last look, and not yet in effect: they wait for a
// reload or for a restart. before is what was written then; if nil, nothing is known about it, and nothing is reported.
func waiting(in *snapshot.Instance, now map[string]pg.FileSetting, before map[string]string) []history.Event {
	set, ok := in.Server.Settings.Get()
	if !ok || before == nil {
		return nil
	}
	var out []history.Event
	for _, name := range slices.Sorted(maps.Keys(now)) {
		w := now[name]
		was, stood := before[name]
		s, there := set[name]
		if !there || stood && was == w.Value || s.InBase(w.Value) == s.Value {
			continue
		}
		e := history.Event{Kind: history.SettingChanged, Instance: in.Label(), Subject: name, Before: s.Show(),
			After:  w.Value,
			Where:  w.File + ":" + strconv.FormatInt(w.Line, 10),
			Detail: "written, not in effect until a reload"}
		if path.Base(w.File) == alterSystem {
			e.Who = "ALTER SYSTEM"
		}
		if s.PendingRestart || s.Context == "postmaster" {
			e.Detail = "written, not in effect until a restart"
		}
		out = append(out, e)
	}
	return out
}

// changes are the settings that differ, sorted; without a baseline none: what a
// first look finds was not changed by anybody.
func changes(instance string, before map[string]string, now settings) []history.Event {
	if before == nil {
		return nil
	}
	// Another version brings its own settings, which no user has set.
	other := before["server_version"] != now["server_version"].Value
	// So does an instance that was not there: its devices and mounts are examined now.
	fresh := func(name string) bool {
		return other || strings.HasPrefix(name, "block:") || strings.HasPrefix(name, "mount:")
	}
	var out []history.Event
	for _, name := range slices.Sorted(maps.Keys(now)) {
		s := now[name]
		if was, ok := before[name]; ok && was != s.Value || !ok && !fresh(name) && s.Where != "default" {
			out = append(out, history.Event{Kind: history.SettingChanged, Instance: instance, Subject: name,
				Before: was, After: s.Value, Who: s.Who, Where: s.Where})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := now[name]; !ok && !fresh(name) {
			out = append(out, history.Event{Kind: history.SettingChanged, Instance: instance, Subject: name,
				Before: before[name]})
		}
	}
	return out
}

// values omits all but the values.
func (s settings) values() map[string]string {
	out := make(map[string]string, len(s))
	for name, v := range s {
		out[name] = v.Value
	}
	return out
}

func spelled(k unit.Kernel) string { return k.Release }

func kilobytes(b unit.Bytes) string { return strconv.FormatInt(int64(b/unit.KB), 10) }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// mostText bounds names and values, so that what was kept is what is compared
// with: the history keeps 256 bytes of a name, and events a kilobyte.
const mostText = 250

// cut shortens a text that is too long; its hash keeps two of them apart.
func cut(s string) string {
	if len(s) <= mostText {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	return strings.ToValidUTF8(s[:mostText-20], "") + "… " + hex.EncodeToString(sum[:6])
}
