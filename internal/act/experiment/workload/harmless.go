package workload

import (
	"context"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// quiet are volatile functions that change nothing and notify no one.
const quiet = "{random,clock_timestamp,timeofday,gen_random_uuid,uuid_generate_v4}"

// deepest bounds how far views of views are followed.
const deepest = 5

// harmless says why a statement must not be tried on a live server: a transaction
// that only reads still lets a function end sessions or reset statistics, and no
// rollback takes that back. So no function that calls itself volatile is called,
// and with writes only those that are not written in C: what they do is rolled
// back. Views are looked into. Nothing of another server is read.
func harmless(ctx context.Context, c *pgconn.PgConn, ts []token, writes bool, depth int) error {
	if depth > deepest {
		return say.Err("its views are nested deeper than {n}", "n", strconv.Itoa(deepest))
	}
	var called []string
	for i, t := range ts {
		if t.name() && i+1 < len(ts) && ts[i+1].punct("(") {
			called = append(called, t.text)
		}
	}
	if len(called) > 0 {
		r := c.ExecParams(ctx,
			`SELECT p.proname FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang WHERE p.provolatile = 'v' AND `+
				`p.proname = ANY ($1::text[])
			AND NOT p.proname = ANY ($2::text[]) AND ($3 = 'f' OR l.lanname IN ('internal', 'c')) ORDER BY 1 LIMIT 1`,
			[][]byte{[]byte(array(called)), []byte(quiet), boolean(writes)}, nil, nil, nil).Read()
		if r.Err != nil {
			return r.Err
		}
		if len(r.Rows) > 0 {
			return say.Err("it calls {name}, a volatile function that may do more than the statement shows",
				"name", string(r.Rows[0][0]))
		}
	}
	for _, s := range sources(ts) {
		r := c.ExecParams(ctx, `SELECT t.relkind, CASE WHEN t.relkind = 'v' THEN pg_get_viewdef(t.oid) END,
			EXISTS (SELECT FROM pg_partition_tree(t.oid) p JOIN pg_class k ON k.oid = p.relid WHERE k.relkind = 'f') `+
			`FROM pg_class t WHERE t.oid = to_regclass($1)`,
			[][]byte{[]byte(s.full())}, nil, nil, nil).Read()
		if r.Err != nil {
			return r.Err
		}
		for _, row := range r.Rows {
			switch {
			case string(row[0]) == "f" || string(row[2]) == "t":
				return say.Err("it reads {table}, a table of another server", "table", s.table)
			case string(row[0]) == "v":
				if err := harmless(ctx, c, tokens(string(row[1])), writes, depth+1); err != nil {
					return say.Err("its view {name}: {reason}", "name", s.table, "reason", err)
				}
			}
		}
	}
	return nil
}

// full is the name of a table as to_regclass reads it.
func (s source) full() string {
	if s.schema != "" {
		return conf.SQLName(s.schema) + "." + conf.SQLName(s.table)
	}
	return conf.SQLName(s.table)
}

func boolean(b bool) []byte {
	if b {
		return []byte("t")
	}
	return []byte("f")
}

// array spells an array of texts.
func array(in []string) string {
	var b strings.Builder
	b.WriteByte('{')
	for i, v := range in {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`)
	}
	b.WriteByte('}')
	return b.String()
}
