package pg

import (
	"fmt"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"io/fs"
	"math"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Setting is a row of pg_settings. Value is what the instance has, not what
// this session set for itself: for a value set in the session it is reset_val.
type Setting struct {
	Name           string   `json:"name"`
	Value          string   `json:"value"` // in the base unit, as pg_settings.setting
	Unit           string   `json:"unit"`  // base unit: 8kB, kB, ms, …; "" for none
	Type           string   `json:"type"`  // bool, integer, real, string, enum
	Context        string   `json:"context"`
	Source         string   `json:"source"`
	Min            string   `json:"min"` // "" where there is none
	Max            string   `json:"max"`
	Enum           []string `json:"enum"` // what this build accepts
	Boot           string   `json:"boot"` // boot_val, the compiled-in default
	File           string   `json:"file"` // sourcefile; "" without pg_read_all_settings
	Line           int64    `json:"line"`
	PendingRestart bool     `json:"pending_restart"`
}

// Show returns the value as SHOW prints it: "128MB".
func (s Setting) Show() string { return unit.ShowGUC(s.Value, s.Unit) }

// Settings holds a server's settings by name.
type Settings map[string]Setting

// Text returns the value of a setting in its base unit; ok is false where this
// server has no such setting or does not show it.
func (s Settings) Text(name string) (string, bool) { v, ok := s[name]; return v.Value, ok }

// Bool returns a boolean setting.
func (s Settings) Bool(name string) (on, ok bool) {
	v, ok := s[name]
	return v.Value == "on", ok
}

// Int returns a whole-number setting in its base unit.
func (s Settings) Int(name string) (int64, bool) {
	v, ok := s[name]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	return n, err == nil
}

// Float returns a numeric setting in its base unit.
func (s Settings) Float(name string) (float64, bool) {
	v, ok := s[name]
	if !ok {
		return 0, false
	}
	n, err := unit.Figure(v.Value)
	return n, err == nil
}

// Bytes returns a memory setting in bytes; ok is false also for the special
// values below zero (-1: automatic or off), and for what 64 bits do not hold.
func (s Settings) Bytes(name string) (unit.Bytes, bool) {
	v, ok := s[name]
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(v.Value, 10, 64)
	mult, isMem := unit.MemoryUnit(v.Unit)
	if err != nil || !isMem || n < 0 || n > math.MaxInt64/int64(mult) {
		return 0, false
	}
	return unit.Bytes(n) * mult, true
}

// Seconds returns a time setting in seconds; ok is false for values below zero.
func (s Settings) Seconds(name string) (float64, bool) {
	v, ok := s[name]
	if !ok {
		return 0, false
	}
	n, err := unit.Figure(v.Value)
	d, isTime := unit.TimeUnit(v.Unit)
	if err != nil || !isTime || n < 0 || n > math.MaxInt64 { // 2^63 us are the longest that a setting could have
		return 0, false
	}
	return n * d.Seconds(), true
}

func (s Settings) version() (unit.Version, error) {
	n, ok := s.Int("server_version_num")
	if !ok || n < 90000 || n > 10000000 {
		return 0, fmt.Errorf("server_version_num %q", s["server_version_num"].Value)
	}
	return unit.Version(n), nil
}

// MajorOnly says whether only the major version is known: that of a description. A server has a point or a word
// behind it.
func (s Settings) MajorOnly() bool {
	v := s["server_version"].Value
	return v != "" && strings.Trim(v, "0123456789") == ""
}

// ReadSettings reads settings.json; for what ALTER ROLE or ALTER DATABASE
// overrides for the role that asked, see restore.
func ReadSettings(fsys fs.FS, key string) known.Fact[Settings] {
	return evidence.Read(fsys, Path(key, "settings"), func(b []byte) (Settings, error) {
		out := Settings{}
		err := parseRows(b, func(r *Row) error {
			s := Setting{
				Name: r.Text("name"), Value: r.Text("setting"), Unit: r.Text("unit"), Type: r.Text("vartype"),
				Context: r.Text("context"), Source: r.Text("source"), Min: r.Text("min_val"), Max: r.Text("max_val"),
				Enum: textArray(r.Text("enumvals")), Boot: r.Text("boot_val"), File: r.Text("sourcefile"),
				Line: r.Int("sourceline"), PendingRestart: r.Bool("pending_restart"),
			}
			if s.Name == "" {
				return fmt.Errorf("a setting without a name")
			}
			out[s.Name] = s
			return nil
		})
		if err == nil {
			out.restore(fsys, key)
		}
		return out, err
	})
}

// textArray splits PostgreSQL's text form of an array of simple words, {a,"b c"}.
func textArray(s string) []string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "{"), "}")
	if s == "" {
		return nil
	}
	parts := strings.Split(s, ",")
	for i, p := range parts {
		parts[i] = strings.Trim(p, `"`)
	}
	return parts
}

// FileSetting is a row of pg_file_settings, in the order in which the server
// reads: the last applied one of a name wins.
type FileSetting struct {
	File    string `json:"file"`
	Line    int64  `json:"line"`
	Seq     int64  `json:"seq"`
	Name    string `json:"name"`    // "" where a line could not be parsed
	Value   string `json:"value"`   // "(hidden)" for settings that may hold secrets
	Applied bool   `json:"applied"` // false: overridden later, wrong, or needs a restart
	Error   string `json:"error"`
}

// ReadFileSettings reads file_settings.json.
func ReadFileSettings(fsys fs.FS, key string) known.Fact[[]FileSetting] {
	return list(fsys, key, "file_settings", func(r *Row) FileSetting {
		return FileSetting{File: r.Text("sourcefile"), Line: r.Int("sourceline"), Seq: r.Int("seqno"),
			Name: r.Text("name"), Value: r.Text("setting"), Applied: r.Bool("applied"), Error: r.Text("error")}
	})
}

// RoleSetting is a setting that ALTER ROLE or ALTER DATABASE overrides.
type RoleSetting struct {
	Database string `json:"database"` // "" for all
	Role     string `json:"role"`     // "" for all
	Name     string `json:"name"`
	Value    string `json:"value"`
}

// ReadRoleSettings reads role_settings.json: one row an override.
func ReadRoleSettings(fsys fs.FS, key string) known.Fact[[]RoleSetting] {
	return list(fsys, key, "role_settings", func(r *Row) RoleSetting {
		return RoleSetting{Database: r.Text("datname"), Role: r.Text("rolname"), Name: r.Text("name"),
			Value: r.Text("setting")}
	})
}

// DefaultOf is a setting as a new cluster has it, as far as it does not depend on the host.
func DefaultOf(p params.Param) Setting {
	return Setting{Name: p.Name, Value: p.Fresh(), Unit: p.Unit, Type: p.Type, Context: p.Context, Min: p.Min,
		Max:  p.Max,
		Enum: p.Enum, Boot: p.Boot, Source: "default"}
}
