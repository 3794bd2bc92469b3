package pg

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Controlled is a setting that pg_control keeps: on a primary its own, on a
// standby that of the primary, as far as its WAL was replayed.
type Controlled struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// controlLabels are the settings that a standby may not have lower than its primary, with the label that pg_controldata
// gives each in every version since 9.4, in its order.
var controlLabels = []struct{ name, label string }{
	{"max_connections", "max_connections setting"},
	{"max_worker_processes", "max_worker_processes setting"},
	{"max_wal_senders", "max_wal_senders setting"},
	{"max_prepared_transactions", "max_prepared_xacts setting"},
	{"max_locks_per_transaction", "max_locks_per_xact setting"},
}

// ControlDataFile returns the evidence of what pg_controldata printed for an instance, as KeepControlLines keeps it.
func ControlDataFile(key string) string { return "pg/" + key + "/pg_controldata" }

// KeepControlLines keeps the lines of pg_controldata that are read here. Another one is the nonce of the cluster, from
// which the server makes salts: it belongs into no evidence.
func KeepControlLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if name, value, ok := controlLine(line); ok {
			b.WriteString(ControlLine(name, value))
		}
	}
	return b.String()
}

// ControlLine is the line of pg_controldata for a setting; "" if it has none.
func ControlLine(name string, value int64) string {
	for _, l := range controlLabels {
		if l.name == name {
			return l.label + ": " + strconv.FormatInt(value, 10) + "\n"
		}
	}
	return ""
}

// controlLine reads a line, and returns the name of the parameter.
func controlLine(line string) (name string, value int64, ok bool) {
	label, text, _ := strings.Cut(line, ":")
	for _, l := range controlLabels {
		if label == l.label {
			n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
			return l.name, n, err == nil && n >= 0
		}
	}
	return "", 0, false
}

// ReadControlled reads what pg_controldata printed, in the order of its lines.
func ReadControlled(fsys fs.FS, key string) known.Fact[[]Controlled] {
	return evidence.Read(fsys, ControlDataFile(key), func(b []byte) ([]Controlled, error) {
		out := []Controlled{}
		for _, l := range controlLabels {
			at := -1
			for line := range strings.Lines(string(b)) {
				name, value, ok := controlLine(line)
				if !ok || name != l.name {
					continue
				}
				if at >= 0 && out[at].Value != value {
					return nil, fmt.Errorf("two values of %s", l.label)
				}
				if at < 0 {
					at, out = len(out), append(out, Controlled{name, value})
				}
			}
			if at < 0 {
				return nil, fmt.Errorf("no line with %s", l.label)
			}
		}
		return out, nil
	})
}
