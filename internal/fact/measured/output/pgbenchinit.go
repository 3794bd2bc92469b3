package output

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// PgbenchInit is what pgbench -i says of filling its tables. It measures no transactions.
type PgbenchInit struct {
	Rows     int64    `json:"rows,omitempty"`       // of pgbench_accounts, of which so many were to be
	Done     int64    `json:"rows_done,omitempty"`  // by the last line of progress
	Seconds  *float64 `json:"seconds,omitempty"`    // in all; since 13
	Generate *float64 `json:"generate_s,omitempty"` // of it: the rows
	Vacuum   *float64 `json:"vacuum_s,omitempty"`   //
	Keys     *float64 `json:"primary_keys_s,omitempty"`
	Finished bool     `json:"finished,omitempty"`
}

var (
	// «2000000 of 2000000 tuples (100%) of pgbench_accounts done (elapsed 6.12 s, remaining 0.00 s)»
	initRows = regex.New(`\b([0-9]{1,15}) of ([0-9]{1,15}) tuples \([0-9]{1,3}%\)(?: of \w+)? done` +
		`(?: \(elapsed ([0-9.]{1,12}) s)?`)
	// «done in 9.87 s (drop tables 0.00 s, create tables 0.02 s, client-side generate 6.40 s, …).»
	initDone = regex.New(`^\s*done in ([0-9.]{1,12}) s \((.{1,200})\)\.?\s*$`)
	// the same, without the end that a terminal has put into the next line
	initBroken = regex.New(`^\s*done in ([0-9.]{1,12}) s \([^()]{1,200}$`)
	initPart   = regex.New(`(client-side generate|server-side generate|vacuum|primary keys) ([0-9.]{1,12}) s`)
	initHead   = regex.New(`^\s*(?:dropping old tables|creating tables|generating data(?: \([a-z-]+\))?|` +
		`creating primary keys|vacuuming)\.\.\.`)
)

type pgbenchInit struct {
	of     PgbenchInit
	line   int
	broken string // the line of its end, which a terminal has broken
}

// initialization takes the lines of pgbench -i. They belong to the run that follows; where none
// does, they are an output of their own.
func (p *pgbench) initialization(s scanned, raw string) bool {
	if p.init != nil && p.init.broken != "" {
		whole, apart := p.init.broken+raw, p.init.broken+" "+raw
		p.init.broken = ""
		if initDone.MatchString(whole) {
			p.init.of.parts(whole)
			p.init.of.parts(apart)
			return true
		}
	}
	if strings.TrimSpace(raw) == "done." && p.init != nil && !p.init.of.Finished { // 12 and earlier
		p.init.of.Finished = true
		return true
	}
	if !holds(raw, " tuples (", "done in ", "...") {
		return false
	}
	begin := func() *PgbenchInit {
		if p.out != nil {
			p.end()
		}
		if p.init == nil || p.init.of.Finished {
			p.init = &pgbenchInit{line: s.number}
		}
		return &p.init.of
	}
	if all := initRows.FindAllStringSubmatch(raw, 64); all != nil {
		x, m := begin(), all[len(all)-1] // a terminal wrote them over each other
		x.Done, _ = whole(m[1])
		x.Rows, _ = whole(m[2])
		return true
	}
	if m := initDone.FindStringSubmatch(raw); m != nil {
		x := begin()
		x.Seconds, x.Finished = value(m[1]), true
		x.parts(m[2])
		return true
	}
	if m := initBroken.FindStringSubmatch(raw); m != nil {
		x := begin()
		x.Seconds, x.Finished = value(m[1]), true
		p.init.broken = raw
		x.parts(raw)
		return true
	}
	if initHead.MatchString(raw) && strings.TrimSpace(raw) != "vacuuming..." {
		begin()
		return true
	}
	return false
}

// parts reads how long the parts of an initialization took.
func (x *PgbenchInit) parts(text string) {
	for _, part := range initPart.FindAllStringSubmatch(text, 8) {
		switch part[1] {
		case "vacuum":
			x.Vacuum = value(part[2])
		case "primary keys":
			x.Keys = value(part[2])
		default:
			x.Generate = value(part[2])
		}
	}
}

func value(s string) *float64 {
	v, ok := figure(s)
	if !ok {
		return nil
	}
	return &v
}

// alone makes an output of an initialization that no run followed.
func (p *pgbench) alone() {
	if p.init == nil || p.r.runs > 0 || p.init.of.Rows == 0 && p.init.of.Seconds == nil {
		return
	}
	o := p.r.open(PgbenchRun, p.init.line)
	o.Pgbench, o.Cut = &Pgbench{Init: &p.init.of}, !p.init.of.Finished
	p.init = nil
}
