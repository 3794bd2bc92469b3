package pg

import (
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// The columns of settings.json that FromFiles fills.
var fileColumns = []string{"name", "setting", "unit", "vartype", "context", "source", "min_val", "max_val", "enumvals",
	"boot_val",
	"sourcefile", "sourceline", "pending_restart"}

// computedAtStart reports whether no file has a value, but only a server that has started.
func computedAtStart(name string) bool {
	return params.ComputedAtStart(name) || name == "in_hot_standby" || name == "server_version" ||
		name == "server_version_num"
}

// FromFiles returns the settings that a stopped server would start with, in the
// form of settings.json: its configuration files over the defaults of its major
// version. given are values that something else tells, such as the control file,
// in the base unit. Their source is "configuration file", "default" or "override";
// no running server has taken them. What the server would refuse is left out.
func FromFiles(major int, r conf.Resolved, refused []ConfigFault, given map[string]string) Rows {
	winners := map[string]conf.Setting{}
	for _, s := range r.Settings {
		if s.Wins {
			winners[s.Name] = s
		}
	}
	out := Rows{Columns: fileColumns}
	seen := map[string]bool{}
	for _, p := range params.All(major) {
		low := strings.ToLower(p.Name)
		seen[low] = true
		value, ok := given[low]
		if !ok && computedAtStart(low) || slices.ContainsFunc(refused,
			func(f ConfigFault) bool { return f.Name == low }) {
			continue
		}
		s := Setting{Name: p.Name, Value: p.Boot, Unit: p.Unit, Type: p.Type, Context: p.Context, Source: "default",
			Min: p.Min, Max: p.Max, Enum: p.Enum, Boot: p.Boot}
		w, set := winners[low]
		switch {
		case ok:
			s.Value, s.Source = value, "override"
		case p.Context == "internal":
			if p.Reset != "" {
				s.Value = p.Reset
			}
		case set:
			s.Value, s.Source, s.File, s.Line = s.InBase(w.Value), "configuration file", w.File, int64(w.Line)
		}
		out.Rows = append(out.Rows, s.row())
	}
	var own []string // of extensions: the server takes any name with a point in it
	for name := range winners {
		if !seen[name] && strings.Contains(name, ".") {
			own = append(own, name)
		}
	}
	sort.Strings(own)
	for _, name := range own {
		w := winners[name]
		out.Rows = append(out.Rows, Setting{Name: name, Value: w.Value, Type: "string", Context: "user",
			Source: "configuration file",
			File:   w.File, Line: int64(w.Line)}.row())
	}
	return out
}

func (s Setting) row() []*string {
	opt := func(v string) *string {
		if v == "" {
			return nil
		}
		return &v
	}
	enum, line, no := "", "", "f"
	if len(s.Enum) > 0 {
		enum = "{" + strings.Join(s.Enum, ",") + "}"
	}
	if s.Line > 0 {
		line = strconv.FormatInt(s.Line, 10)
	}
	return []*string{&s.Name, &s.Value, opt(s.Unit), &s.Type, &s.Context, &s.Source, opt(s.Min), opt(s.Max), opt(enum),
		opt(s.Boot), opt(s.File), opt(line), &no}
}

// WALBuffersOf returns the wal_buffers, in blocks, that a server makes of -1: a
// thirty-second of shared_buffers, from 8 blocks to one WAL segment
// (XLOGChooseNumBuffers, the same in 13 to 18).
func WALBuffersOf(sharedBuffers int64, segment unit.Bytes) int64 {
	return max(min(sharedBuffers/32, int64(segment/8192)), 8)
}

// Values returns the settings of FromFiles by name, in lower case.
func (r Rows) Values() map[string]string {
	out := map[string]string{}
	for _, row := range r.Rows {
		if len(row) > 1 && row[0] != nil && row[1] != nil {
			out[strings.ToLower(*row[0])] = *row[1]
		}
	}
	return out
}
