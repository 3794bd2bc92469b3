package serverlog

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/params"
	"github.com/pgfettle/pgfettle/internal/fact/pglog"
)

const (
	// maxSets is how many pairs of a name and a value are counted; a hostile log has any number.
	maxSets = 1000
	// leastSets: a person who tries something in psql sets a parameter or two.
	leastSets = 3
	// shownSets is how many of them the finding names.
	shownSets = 10
)

// SessionSet is a value that sessions have set for themselves.
type SessionSet struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// how often: by SET statements, or in plans of auto_explain with another value than the server has
	Count  int64  `json:"count"`
	Server string `json:"server,omitempty"` // what the server has; "" if not known
}

// ofClients are parameters that drivers and pg_dump set at each connection, and that decide nothing about speed or
// locks.
var ofClients = map[string]bool{"client_min_messages": true, "extra_float_digits": true, "bytea_output": true,
	"xmloption": true, "xmlbinary": true, "check_function_bodies": true, "default_transaction_read_only": true,
	"default_transaction_isolation": true, "default_transaction_deferrable": true, "intervalstyle": true,
	"transaction_read_only": true, "transaction_isolation": true, "transaction_deferrable": true,
	"quote_all_identifiers": true,
	"row_security":          true, "synchronize_seqscans": true, "ssl_renegotiation_limit": true}

// plain reports whether a value is a number with or without a unit, or a word.
func plain(v string) bool {
	return len(v) <= 40 && strings.Trim(strings.ToLower(v), "abcdefghijklmnopqrstuvwxyz0123456789._- ") == ""
}

// sets counts what sessions set for themselves.
type sets struct {
	n           map[[2]string]int64 // by name and value
	total       int64
	first, last stamp
}

// take reads an entry that has a statement or a plan.
func (s *sets) take(c *Collector, e *pglog.Entry, sql []byte, at stamp) {
	if len(sql) > 3 && sql[0]|0x20 == 's' && sql[1]|0x20 == 'e' && sql[2]|0x20 == 't' {
		for _, x := range pglog.Sets(sql) {
			s.add(c, x, at, false)
		}
	}
	if c.o.Settings != nil {
		for _, x := range e.PlanSettings() {
			s.add(c, x, at, true)
		}
	}
}

// add counts a value. One in a plan counts only if the server has another: plans name all that differ from the default.
func (s *sets) add(c *Collector, x pglog.Set, at stamp, plan bool) {
	p, ok := parameter(x.Name)
	// Texts are left out: search_path and the like are names of a site.
	if !ok || p.Type == "string" || !plain(x.Value) || ofClients[strings.ToLower(p.Name)] ||
		strings.EqualFold(x.Value, "default") ||
		strings.HasSuffix(p.Name, "_timeout") && x.Value == "0" {
		return
	}
	have, told := c.o.Settings[p.Name]
	if plan && (!told || have.Show() == x.Value) {
		return
	}
	if s.total++; s.total == 1 {
		s.first = at
	}
	s.last = at
	key := [2]string{p.Name, x.Value}
	if _, ok := s.n[key]; !ok && len(s.n) >= maxSets {
		return
	}
	if s.n == nil {
		s.n = map[[2]string]int64{}
	}
	s.n[key]++
}

// parameter is one of any version: the log does not say of which it is.
func parameter(name string) (params.Param, bool) {
	for _, m := range slices.Backward(params.Majors()) {
		if p, ok := params.Find(m, name); ok {
			return p, true
		}
	}
	return params.Param{}, false
}

// report lists the values, the most frequent first.
func (s *sets) report(c *Collector) (out []SessionSet) {
	if s.total < leastSets {
		return nil
	}
	for key, n := range s.n {
		x := SessionSet{Name: key[0], Value: key[1], Count: n}
		if have, ok := c.o.Settings[key[0]]; ok {
			x.Server = have.Show()
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b SessionSet) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Value, b.Value))
	})
	return out
}

// sessionSettings tells which values of the server's configuration some sessions do not have.
func (c *Collector) sessionSettings(r *Report) (Finding, bool) {
	if len(r.SessionSets) == 0 {
		return Finding{}, false
	}
	names := map[string]bool{}
	f := Finding{ID: "session_settings", Severity: Notice, Count: c.sets.total, First: c.sets.first.String(),
		Last: c.sets.last.String()}
	for i, x := range r.SessionSets {
		names[x.Name] = true
		if i >= shownSets {
			continue
		}
		what := say.M("{name} = {value}", "name", x.Name, "value", x.Value)
		if x.Server != "" {
			what = say.M("{name} = {value} (server: {server})", "name", x.Name, "value", x.Value, "server", x.Server)
		}
		f.Evidence = append(f.Evidence, times(what, x.Count))
	}
	f.Verdict = say.N(len(names), "Sessions set {n} parameter themselves", "Sessions set {n} parameters themselves")
	f.Do = append(f.Do, say.M("For these sessions, the values in postgresql.conf and those of a plan do not apply. "+
		"Before you run EXPLAIN for their statements, set the same values."))
	if c.sets.n[[2]string{"enable_mergejoin", "off"}] > 0 && c.sets.n[[2]string{"cpu_operator_cost", "0.001"}] > 0 {
		f.Do = append(f.Do, say.M("The 1C platform sets enable_mergejoin = off and cpu_operator_cost = 0.001 at each "+
			"connection: pgfettle explain onec-session-values"))
	}
	return f, true
}
