// Package setting knows the parameters of PostgreSQL by their names, and makes facts of their values.
package setting

import (
	"strconv"
	"strings"
	"sync"

	"github.com/pgfettle/pgfettle/internal/base/regex"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/paste/amount"
	"github.com/pgfettle/pgfettle/internal/fact/paste/part"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Params are the parameters of all majors, the newest of a name, in lower case.
var Params = sync.OnceValue(func() map[string]params.Param {
	out := map[string]params.Param{}
	for _, m := range params.Covered() {
		for _, p := range params.All(m) {
			out[strings.ToLower(p.Name)] = p
		}
	}
	return out
})

// older are settings that servers before 13 had, which a paste may hold.
var older = map[string]string{"checkpoint_segments": "", "wal_keep_segments": "", "operator_precedence_warning": "",
	"replacement_sort_tuples": "", "vacuum_cleanup_index_scale_factor": "", "promote_trigger_file": "",
	"stats_temp_directory": "",
	"standby_mode":         "", "trigger_file": "",
	"max_fsm_pages": "", "max_fsm_relations": "", "custom_variable_classes": "", "sql_inheritance": "",
	"min_parallel_relation_size": "8kB",
	"force_parallel_mode":        "", "db_user_namespace": "", "old_snapshot_threshold": "min",
	"vacuum_defer_cleanup_age": ""}

// Known says whether a name is one of a parameter, of any version.
func Known(name string) bool {
	name = strings.ToLower(name)
	if _, ok := Params()[name]; ok {
		return true
	}
	_, ok := older[name]
	return ok
}

// Of makes the fact of a value as a person, SHOW or a file spells it (base ""), or as
// pg_settings has it in its base unit.
func Of(name, value, base string) part.Fact {
	f := part.Fact{Name: "setting", Of: name, Value: value}
	p, known := Params()[strings.ToLower(name)]
	if known {
		f.Of = p.Name
	}
	u := base
	if u == "" && known {
		u = p.Unit
	}
	if known && p.Type == "bool" || !known {
		if on, ok := params.ParseBool(value); known && ok {
			f.Value = map[bool]string{true: "on", false: "off"}[on]
		}
		if _, old := older[strings.ToLower(name)]; old && u == "" {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				f.Value = n
			}
		}
		if known || u == "" {
			return f
		}
	}
	if known && p.Type != "integer" && p.Type != "real" {
		return f
	}
	n, err := unit.ParseGUC(value, u)
	if err != nil {
		return f
	}
	mult, mem := unit.MemoryUnit(u)
	d, isTime := unit.TimeUnit(u)
	switch {
	case n < 0 || u == "":
		f.Value = number(n)
	case mem:
		if n > amount.Max/float64(mult) {
			return f
		}
		f.Value, f.Unit = int64(n*float64(mult)), "bytes"
	case isTime:
		f.Value, f.Unit = number(amount.Shifted(n*float64(d.Microseconds()), -6)), "s"
	default:
		f.Value = number(n)
	}
	return f
}

// number is a whole number where it is one.
func number(f float64) any {
	if f == float64(int64(f)) && f > -1e15 && f < 1e15 {
		return int64(f)
	}
	return f
}

// Row reads a value of a row: with its unit, as SHOW has it, or in the base unit
// of pg_settings where the column of units was not asked for.
func Row(name, value, base string, shown bool) part.Fact {
	if !shown && base == "" {
		if p, ok := Params()[strings.ToLower(name)]; ok && p.Unit != "" {
			if _, err := strconv.ParseFloat(value, 64); err == nil {
				base = p.Unit
			}
		}
	}
	if mult, ok := unit.MemoryUnit(base); ok && !shown {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 && n < amount.Max/int64(mult) {
			f := Of(name, "", "")
			f.Value, f.Unit = n*int64(mult), "bytes"
			return f
		}
	}
	return Of(name, value, base)
}

// Plausible says whether a parameter may have a value.
func Plausible(name, value string) bool {
	p, ok := Params()[strings.ToLower(name)]
	if !ok {
		return true
	}
	switch p.Type {
	case "bool":
		_, ok := params.ParseBool(value)
		return ok
	case "integer", "real":
		_, err := unit.ParseGUC(value, p.Unit)
		return err == nil
	case "enum":
		return value != "" && !strings.Contains(value, " ")
	}
	return true
}

// Current is a call of current_setting, with the name that it is asked for.
var Current = regex.New(`(?i)\bcurrent_setting\(\s*'([\w.]+)'`)
