package output

import (
	"strings"

	"github.com/pgfettle/pgfettle/internal/base/regex"
)

// diskspd is the tables of DiskSpd: of all requests, of reads, and of writes, each with a row for a thread and their
// sum.
type diskspd struct {
	of      string     // which table is open: Total IO, Read IO, Write IO
	columns []string   // of it, with their units; nil: none is open
	rows    []Neighbor // of threads, until the sum is there
}

var (
	spdTable = regex.New(`^\s*(Total|Read|Write) ?IO\s*$`)
	spdHead  = regex.New(`^\s*\|?\s*(?:thread|(?:Total|Read|Write) ?IO)?\s*\|\s*bytes\s*\|\s*I/Os\s*\|`)
	spdRow   = regex.New(`^\s*\|?\s*(total:|[0-9]{1,4}|(?:Total|Read|` +
		`Write) ?IO)\s*\|((?:\s*[0-9][0-9.,]*\s*\|?){4,8})(.*)$`)
)

// diskspd takes a line of such a table.
func (n *neighbors) diskspd(s scanned) bool {
	d := &n.spd
	if m := spdTable.FindStringSubmatch(s.text); m != nil {
		n.threads()
		d.of, d.columns = m[1]+" IO", nil
		return true
	}
	if !strings.Contains(s.text, "|") {
		return false
	}
	if spdHead.MatchString(s.text) {
		n.threads()
		cells := cellsOf(s.text)
		if name := strings.ToLower(cells[0]); strings.HasSuffix(name, "io") { // it names the table
			d.of = strings.ToUpper(name[:1]) + strings.TrimSpace(strings.TrimSuffix(name[1:], "io")) + " IO"
		}
		d.columns = cells[1:]
		return true
	}
	m := spdRow.FindStringSubmatch(s.text)
	if m == nil || d.columns == nil && m[1] != "total:" {
		return false
	}
	name := d.of
	if strings.HasSuffix(strings.ToUpper(m[1]), "IO") {
		name = strings.TrimSpace(strings.TrimSuffix(m[1], "IO")) + " IO"
	}
	x := Neighbor{Program: "diskspd", Line: s.number, Text: short(d.named(name, cellsOf(m[2])), maxFirst)}
	if digit(m[1][0]) {
		d.rows = append(d.rows, x)
		return true
	}
	d.rows = nil
	n.keep(x)
	return true
}

// named is a row with the names of its columns.
func (d *diskspd) named(name string, cells []string) string {
	var out []string
	for i, c := range cells {
		if i < len(d.columns) && d.columns[i] != "" {
			c = d.columns[i] + " " + c
		}
		out = append(out, c)
	}
	text := strings.Join(out, ", ")
	if name != "" {
		text = name + ": " + text
	}
	return text
}

// threads keeps the rows of threads, of which there is no sum.
func (n *neighbors) threads() {
	for _, x := range n.spd.rows {
		n.keep(x)
	}
	n.spd.rows = nil
}

// cellsOf splits a row at its bars.
func cellsOf(l string) []string {
	var out []string
	for c := range strings.SplitSeq(strings.Trim(strings.TrimSpace(l), "|"), "|") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}
