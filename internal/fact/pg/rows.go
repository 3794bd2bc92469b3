package pg

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/evidence"
)

// Rows is the answer to a query: column names and rows of the server's own
// text values, nil for NULL.
type Rows struct {
	Columns []string    `json:"columns"`
	Rows    [][]*string `json:"rows"`
}

// Path returns the evidence name of a query's answer: pg/1/settings.json.
func Path(key, query string) string { return "pg/" + key + "/" + query + ".json" }

// Row gives the values of one row by column name. Errors gather in it: the
// first one is kept, and Err returns it after all values were asked for, so a
// reader is a list of assignments.
type Row struct {
	at   map[string]int
	vals []*string
	err  error
}

// Has says whether the answer has the column and its value is not NULL.
func (r *Row) Has(col string) bool {
	i, ok := r.at[col]
	return ok && i < len(r.vals) && r.vals[i] != nil
}

// Text returns a text; "" for NULL or where this version has no such column.
func (r *Row) Text(col string) string {
	if !r.Has(col) {
		return ""
	}
	return *r.vals[r.at[col]]
}

// Int returns a whole number; 0 for NULL: ask Has first where zero and NULL differ.
func (r *Row) Int(col string) int64 {
	if !r.Has(col) {
		return 0
	}
	n, err := strconv.ParseInt(r.Text(col), 10, 64)
	if err != nil {
		// numeric columns such as wal_bytes may come with a fraction or beyond int64
		f, ferr := unit.Figure(r.Text(col))
		if ferr != nil || !(math.Abs(f) <= 9e18) { // NaN is in no order
			r.fail(col, "whole number")
			return 0
		}
		return int64(f)
	}
	return n
}

// Bytes returns an amount given in bytes.
func (r *Row) Bytes(col string) unit.Bytes { return unit.Bytes(r.Int(col)) }

// Float returns a number; 0 for NULL.
func (r *Row) Float(col string) float64 {
	if !r.Has(col) {
		return 0
	}
	f, err := unit.Figure(r.Text(col))
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		r.fail(col, "number")
		return 0
	}
	return f
}

// Bool returns PostgreSQL's t or f; false for NULL.
func (r *Row) Bool(col string) bool {
	switch r.Text(col) {
	case "t", "true", "on":
		return true
	case "f", "false", "off", "":
		return false
	}
	r.fail(col, "boolean")
	return false
}

func (r *Row) fail(col, want string) {
	if r.err == nil {
		r.err = fmt.Errorf("column %s: %q is not a %s", col, r.Text(col), want)
	}
}

// parseRows parses an answer and hands each row to fn.
func parseRows(b []byte, fn func(*Row) error) error {
	var rows Rows
	if err := json.Unmarshal(b, &rows); err != nil {
		return err
	}
	at := make(map[string]int, len(rows.Columns))
	for i, c := range rows.Columns {
		at[c] = i
	}
	for n, vals := range rows.Rows {
		if len(vals) != len(rows.Columns) {
			return fmt.Errorf("row %d: %d values for %d columns", n+1, len(vals), len(rows.Columns))
		}
		r := Row{at: at, vals: vals}
		if err := fn(&r); err != nil {
			return fmt.Errorf("row %d: %w", n+1, err)
		}
		if r.err != nil {
			return fmt.Errorf("row %d: %w", n+1, r.err)
		}
	}
	return nil
}

// list reads an answer in which each row is one T.
func list[T any](fsys fs.FS, key, query string, one func(*Row) T) known.Fact[[]T] {
	return evidence.Read(fsys, Path(key, query), func(b []byte) ([]T, error) {
		out := []T{}
		err := parseRows(b, func(r *Row) error { out = append(out, one(r)); return nil })
		return out, err
	})
}

// single reads an answer of exactly one row.
func single[T any](fsys fs.FS, key, query string, one func(*Row) T) known.Fact[T] {
	return evidence.Read(fsys, Path(key, query), func(b []byte) (T, error) {
		var v T
		n := 0
		err := parseRows(b, func(r *Row) error { v = one(r); n++; return nil })
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows where one was expected", n)
		}
		return v, err
	})
}
