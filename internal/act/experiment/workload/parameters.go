package workload

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// parameter is what may be in place of one.
type parameter struct {
	values []string
	typ    string // of a value, as the server spells it
	array  bool   // the values are arrays, written as texts
	above  int    // number of the parameter that begins the range which this one ends
}

// sql is the expression that stands for the parameter: one of its values. The
// planner folds it to a constant where it knows the index, as it does where a
// client sends a value.
func (p *parameter) sql(index string) string {
	var b strings.Builder
	b.WriteString("(ARRAY[")
	for i, v := range p.values {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(literal(v))
	}
	if p.array {
		return b.String() + "]::text[])[" + index + "]::" + p.typ
	}
	return b.String() + "]::" + p.typ + "[])[" + index + "]"
}

// literal is a string constant that means the same whatever
// standard_conforming_strings is, and holds no colon for pgbench to find.
func literal(s string) string {
	return "E'" + strings.NewReplacer(`\`, `\\`, "'", "''", ":", `\x3a`, "\n", `\n`, "\r", `\r`).Replace(s) + "'"
}

// parameters finds values for all parameters of a statement.
func parameters(ctx context.Context, c *pgconn.PgConn, ts []token, oids []uint32, rows int64) (map[int]*parameter,
	error) {
	out := map[int]*parameter{}
	from := sources(ts)
	lows := map[string]int{} // columns by the parameter that begins a range of theirs
	for i, t := range ts {
		if t.kind != param || out[t.n] != nil {
			continue
		}
		if t.n < 1 || t.n > len(oids) {
			return nil, say.Err("the parameter {name} has no type", "name", t.text)
		}
		typ, element, err := typeOf(ctx, c, oids[t.n-1])
		if err != nil {
			return nil, err
		}
		p := &parameter{typ: typ}
		out[t.n] = p
		u := useOf(ts, i)
		switch {
		case u.limit: // as many rows as a call of the original had
			p.values = []string{strconv.FormatInt(max(rows, 1), 10)}
			continue
		case u.offset:
			p.values = []string{"0"}
			continue
		case u.column == "" && typ == "boolean":
			p.values = []string{"true", "false"}
			continue
		case u.column == "":
			return nil, say.Err("the possible values of parameter {name} are unknown", "name", t.text)
		}
		key := u.qualifier + "." + u.column
		d, err := distributionOf(ctx, c, from, u)
		if err != nil {
			return nil, err
		}
		ranged := u.low || u.high
		p.values = d.pick(values, ranged)
		if u.high && lows[key] != 0 {
			p.above = lows[key]
		}
		if u.low {
			lows[key] = t.n
		}
		if element != "" {
			p.array = true
			p.values = arrays(p.values)
		}
		if len(p.values) == 0 {
			return nil, say.Err("the statistics of {column} hold no value for the parameter {name}",
				"column", strings.TrimPrefix(key, "."), "name", t.text)
		}
	}
	return out, nil
}

// typeOf spells a type, and the element's where it is an array.
func typeOf(ctx context.Context, c *pgconn.PgConn, oid uint32) (typ, element string, err error) {
	rows, err := column(ctx, c,
		fmt.Sprintf(
			"SELECT format_type(oid, NULL) || E'\\n' || CASE WHEN typcategory = 'A' THEN format_type(typelem, NULL) "+
				"ELSE '' END FROM pg_type WHERE oid = %d", oid))
	if err != nil {
		return "", "", err
	}
	if len(rows) == 0 {
		return "", "", say.Err("the type {name} is not known", "name", strconv.FormatUint(uint64(oid), 10))
	}
	typ, element, _ = strings.Cut(rows[0], "\n")
	return typ, element, nil
}

// distribution is what the planner's statistics say of a column.
type distribution struct {
	common []string // most common values
	freqs  []float64
	bounds []string // of a histogram with as many rows in each part
}

// distributionOf finds the column that a parameter is compared with, and reads
// its statistics.
func distributionOf(ctx context.Context, c *pgconn.PgConn, from []source, u use) (*distribution, error) {
	var found *distribution
	name := u.column
	for _, s := range from {
		if u.qualifier != "" && s.alias != u.qualifier {
			continue
		}
		res := c.ExecParams(ctx,
			`SELECT a.attname, s.most_common_vals::text::text[], s.most_common_freqs::float8[], `+
				`s.histogram_bounds::text::text[]
			FROM pg_class t JOIN pg_namespace n ON n.oid = t.relnamespace JOIN pg_attribute a ON a.attrelid = t.oid `+
				`AND a.attnum > 0 AND NOT a.attisdropped
			LEFT JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = t.relname AND s.attname = a.attname
			WHERE t.oid = to_regclass($1) AND a.attname = $2 ORDER BY s.inherited DESC NULLS LAST LIMIT 1`,
			[][]byte{[]byte(s.full()), []byte(u.column)}, nil, nil, nil).Read()
		if res.Err != nil {
			return nil, res.Err
		}
		rows := res.Rows
		if len(rows) == 0 {
			continue
		}
		if found != nil {
			return nil, say.Err("the column {name} may be of several tables", "name", name)
		}
		d := &distribution{common: list(rows[0][1]), bounds: list(rows[0][3])}
		for _, f := range list(rows[0][2]) {
			v, err := unit.Figure(f)
			if err != nil || math.IsNaN(v) {
				v = 0
			}
			d.freqs = append(d.freqs, v)
		}
		found = d
	}
	if found == nil {
		return nil, say.Err("the column {name} is of no table of the statement", "name", name)
	}
	if len(found.common) == 0 && len(found.bounds) == 0 {
		return nil, say.Err("there are no statistics of the column {name}", "name", name)
	}
	return found, nil
}

// pick returns n values, each for as many rows of the table: the common ones as
// often as they are, the rest evenly out of the histogram. For a range the
// histogram alone, in its order.
func (d *distribution) pick(n int, ranged bool) []string {
	bounds := usable(d.bounds)
	if ranged && len(bounds) > 1 {
		return spread(bounds, n)
	}
	var out []string
	for i, v := range d.common {
		if i >= len(d.freqs) || len(usable([]string{v})) == 0 {
			continue
		}
		for range int(math.Round(d.freqs[i] * float64(n))) {
			out = append(out, v)
		}
	}
	if len(bounds) > 0 && len(out) < n {
		out = append(out, spread(bounds, n-len(out))...)
	}
	if len(out) == 0 { // many values, each too rare for one of n
		out = spread(usable(d.common), n)
	}
	if ranged {
		slices.Sort(out)
	}
	return out[:min(len(out), n)]
}

// spread takes n values out of a list, evenly, and in its order; all where there
// are fewer.
func spread(list []string, n int) []string {
	if len(list) <= n {
		return list
	}
	out := make([]string, 0, n)
	for i := range n {
		out = append(out, list[(2*i+1)*len(list)/(2*n)])
	}
	return out
}

// usable omits values that are no keys, or that no script can hold.
func usable(in []string) []string {
	var out []string
	for _, v := range in {
		if len(v) <= longestValue && utf8.ValidString(v) && strings.IndexByte(v, 0) < 0 {
			out = append(out, v)
		}
	}
	return out
}

// arrays makes arrays of some values each, as texts.
func arrays(in []string) []string {
	var out []string
	for i := 0; i < len(in); i += elements {
		var some []string
		for j := range elements { // from all over the list
			some = append(some, in[(i/elements+j*max(len(in)/elements, 1))%len(in)])
		}
		out = append(out, array(some))
	}
	return out
}

// list takes the text of an array of one dimension apart, as the server writes it. NULL elements are omitted.
func list(b []byte) []string {
	s := string(b)
	if len(s) < 2 || s[0] != '{' {
		return nil
	}
	var out []string
	for i := 1; i < len(s) && s[i] != '}'; {
		var e strings.Builder
		inQuotes := s[i] == '"'
		if inQuotes {
			i++
		}
		for i < len(s) {
			c := s[i]
			if inQuotes && c == '"' {
				i++
				break
			}
			if !inQuotes && (c == ',' || c == '}') {
				break
			}
			if c == '\\' && i+1 < len(s) {
				i++
				c = s[i]
			}
			e.WriteByte(c)
			i++
		}
		if inQuotes || e.String() != "NULL" {
			out = append(out, e.String())
		}
		if i < len(s) && s[i] == ',' {
			i++
		}
	}
	return out
}
