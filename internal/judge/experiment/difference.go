package experiment

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"

	"github.com/pgfettle/pgfettle/internal/base/knob"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
)

// Difference is one value that two configurations do not share.
type Difference struct {
	Address string
	A, B    string // as spelled; "" if the configuration leaves the default
	Default string // of the server; "" if it is not known
}

// Differences returns what a server of a major version would have otherwise under b
// than under a, sorted. Values that are spelled otherwise and mean the same are
// no difference, nor is a default that one configuration spells out.
func Differences(a, b *Configuration, major int) []Difference {
	var out []Difference
	names := slices.Sorted(maps.Keys(a.Settings))
	for _, n := range slices.Sorted(maps.Keys(b.Settings)) {
		if _, both := a.Settings[n]; !both {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	for _, n := range names {
		one, hasOne := a.Settings[n]
		two, hasTwo := b.Settings[n]
		p, known := params.Find(major, n)
		boot := p.Boot
		if p.Reset != "" {
			boot = p.Reset
		}
		x, y := canonical(p, known, one), canonical(p, known, two)
		if !hasOne && known {
			x = canonical(p, known, boot)
		}
		if !hasTwo && known {
			y = canonical(p, known, boot)
		}
		if x == y && (hasOne == hasTwo || known) {
			continue
		}
		out = append(out, Difference{Address: string(knob.PG(n)), A: one, B: two, Default: unit.ShowGUC(boot, p.Unit)})
	}
	kernel := slices.Sorted(maps.Keys(a.Kernel))
	for _, k := range slices.Sorted(maps.Keys(b.Kernel)) {
		if _, both := a.Kernel[k]; !both {
			kernel = append(kernel, k)
		}
	}
	slices.Sort(kernel)
	for _, k := range kernel {
		if a.Kernel[k] != b.Kernel[k] {
			out = append(out, Difference{Address: string(k), A: a.Kernel[k], B: b.Kernel[k]})
		}
	}
	if a.Reconnect != b.Reconnect {
		out = append(out, Difference{Address: Reconnect, A: onOff(a.Reconnect), B: onOff(b.Reconnect), Default: "off"})
	}
	return out
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// canonical is a value so that equal ones are equal texts.
func canonical(p params.Param, known bool, value string) string {
	if !known {
		return value
	}
	switch p.Type {
	case "bool":
		if on, ok := params.ParseBool(value); ok {
			return onOff(on)
		}
	case "integer", "real":
		if n, ok := p.Number(value); ok {
			return strconv.FormatFloat(n, 'g', 12, 64)
		}
	case "enum":
		if on, ok := params.ParseBool(value); ok && slices.Contains(p.Enum, onOff(on)) {
			return onOff(on)
		}
		return strings.ToLower(value)
	}
	return value
}

// checkpointSettings are the settings whose effect is paid for at checkpoints: a run
// that ends before one is a loan.
var checkpointSettings = []string{"max_wal_size", "min_wal_size", "checkpoint_timeout", "checkpoint_completion_target",
	"checkpoint_flush_after", "wal_compression", "full_page_writes",
	"bgwriter_delay", "bgwriter_lru_maxpages", "bgwriter_lru_multiplier", "bgwriter_flush_after", "shared_buffers",
	"wal_buffers", "wal_recycle", "wal_init_zero"}

// CheckpointSettings returns the differences that move work to checkpoints or away from them.
func CheckpointSettings(d []Difference) []string {
	var out []string
	for _, x := range d {
		if n, ok := strings.CutPrefix(x.Address, "pg:"); ok && slices.Contains(checkpointSettings, n) {
			out = append(out, n)
		}
	}
	return out
}

// Buffers is the size of a configuration's shared buffers; 0: it cannot be read.
func (a *Configuration) Buffers(major int) unit.Bytes {
	p, ok := params.Find(major, "shared_buffers")
	if !ok {
		return 0
	}
	value, said := a.Settings["shared_buffers"]
	if !said {
		value = p.Reset
		if value == "" {
			value = p.Boot
		}
	}
	n, ok := p.Number(value) // blocks of 8 kB
	if !ok || n < 0 || n > 1<<30 {
		return 0
	}
	return unit.Bytes(n) * 8 * unit.KB
}

// Cautions says what must never leave the scratch instance.
func (a *Configuration) Cautions() []say.Message {
	off := func(name string) bool {
		v, ok := a.Settings[name]
		on, isBool := params.ParseBool(v)
		return ok && isBool && !on
	}
	var out []say.Message
	if off("fsync") {
		out = append(out, say.M("fsync = off: after a crash of the host the cluster may be corrupt beyond repair. It "+
			"is measured to "+
			"know its price; it is never recommended."))
	}
	if off("full_page_writes") {
		out = append(out, say.M("full_page_writes = off: a page that was half written when the host crashed cannot "+
			"be repaired. It is "+
			"never recommended."))
	}
	if off("synchronous_commit") {
		out = append(out, say.M("synchronous_commit = off: after a crash the last acknowledged commits may be lost "+
			"(up to three times wal_writer_delay). The cluster stays consistent. The owner of the data decides "+
			"whether that loss is acceptable, not a measurement."))
	}
	if off("autovacuum") {
		out = append(out, say.M("autovacuum = off: what it would have cleaned is not in the measured time. It is "+
			"never recommended."))
	}
	return out
}
