package workload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pgfettle/pgfettle/internal/fact/gapwords"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Bounds of a mix.
const (
	mostStatements = 40        // of most calls; the tail of a workload adds scripts, and little of its load
	longest        = 20_000    // bytes of a statement's text
	values         = 100       // of a parameter: one for each percent of a column's distribution
	elements       = 10        // of a parameter that is an array
	trials         = 20        // executions of a statement, to compare its rows
	explained      = 5         // more of them, to compare its blocks, which vary less
	shares         = 10_000    // sum of the weights, so that a share is right to 0.01 %
	near           = 0.20      // what may differ from the original
	trialTimeout   = "10s"     // of one execution on the way
	lockTimeout    = "2s"      // another session's lock is not waited for
	longestValue   = 200       // bytes; a longer one is no key
	seedOfTrials   = uint64(6) // any; the same each time
)

// Mix is a workload made from the statistics of a live server, with what is known
// of how near it comes to the original.
type Mix struct {
	Workload   *Workload
	Statements []Mixed
	Left       []Left
	Calls      int64 // of all statements that were examined
	Covered    int64 // of those that are in the mix
}

// Mixed is a statement of the mix.
type Mixed struct {
	ID     string // queryid
	Query  string
	Script string
	Calls  int64
	Share  float64 // of the calls that the mix covers
	Weight float64 // the share that its script has
	Rows   float64 // per call in the original
	Seen   float64 // per call in the trials, with the values that were made up
	Near   bool    // both shares and both rows are alike within 20 %
	// Blocks are those of tables and indexes that a call found or read, in the
	// original and in the trials; NearBlocks: alike within 20 %, or by one block.
	Blocks, BlocksSeen float64
	NearBlocks         bool
}

// Left is a statement that is not in the mix.
type Left struct {
	ID     string
	Query  string
	Calls  int64
	Reason string
}

// Line says how near the mix is.
func (m *Mix) Line() string {
	ok := 0
	for _, s := range m.Statements {
		if s.Near {
			ok++
		}
	}
	return fmt.Sprintf(
		"synthetic: %d of %d statements, %.1f %% of the calls; %d of them have the rows of a call within %.0f %% of "+
			"the original",
		len(m.Statements), len(m.Statements)+len(m.Left), 100*float64(m.Covered)/float64(max(m.Calls, 1)), ok, 100*near)
}

// statement is one of pg_stat_statements.
type statement struct {
	id, query   string
	calls, rows int64
	blocks      int64
}

// Statements counts the statements that a mix can be made from.
func Statements(ctx context.Context, c *pgconn.PgConn) (int, error) {
	all, err := readStatements(ctx, c)
	if err == nil && len(all) == 0 {
		err = &say.Problem{Message: say.M("pg_stat_statements has seen no statement of this database"),
			Hint: say.M("name the database that is used (dbname of the conninfo, or PGDATABASE), or let it collect " +
				"for a day"),
			Code: say.CodeError}
	}
	return len(all), err
}

// Synthesize makes a mix from pg_stat_statements of the database that the
// connection leads to. It reads statistics and tries each statement some times in
// transactions that only read, or with writes in ones that are rolled back.
// Values of parameters are those that the planner's statistics hold, so they are
// real ones: the scripts are as private as the data.
func Synthesize(ctx context.Context, c *pgconn.PgConn, writes bool) (*Mix, error) {
	// What is asked and tried here shall not be counted among what users do. Only a
	// superuser may say so; the statements of others count themselves, 20 times each.
	_, _ = c.Exec(ctx, "SET pg_stat_statements.track = 'none'").ReadAll()
	defer func() { _, _ = c.Exec(ctx, "RESET pg_stat_statements.track").ReadAll() }()
	all, err := readStatements(ctx, c)
	if err != nil {
		return nil, err
	}
	m := &Mix{}
	rng := rand.New(rand.NewPCG(seedOfTrials, seedOfTrials))
	var scripts []Script
	for _, s := range all {
		m.Calls += s.calls
		if len(scripts) >= mostStatements {
			m.Left = append(m.Left, Left{s.id, s.query, s.calls,
				fmt.Sprintf("the mix holds the %d statements of most calls", mostStatements)})
			continue
		}
		text, seen, blocks, err := try(ctx, c, s, writes, rng)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err != nil {
			if c.IsClosed() {
				return nil, say.Err("making of a workload: the connection is lost: {reason}", "reason", err)
			}
			m.Left = append(m.Left, Left{s.id, s.query, s.calls, reason(err)})
			continue
		}
		m.Covered += s.calls
		name := fmt.Sprintf("s%02d", len(scripts)+1)
		scripts = append(scripts, Script{Name: name, Text: text})
		m.Statements = append(m.Statements, Mixed{ID: s.id, Query: s.query, Script: name, Calls: s.calls,
			Rows: float64(s.rows) / float64(s.calls), Seen: seen,
			Blocks: float64(s.blocks) / float64(s.calls), BlocksSeen: blocks})
	}
	if len(scripts) == 0 {
		p := &say.Problem{Message: say.M("none of the server's statements can be made into a workload"),
			Hint: say.M("give scripts of your own with -f"), Code: say.CodeError}
		if len(m.Left) > 0 {
			p.Detail = say.M("the first of {n} statements left out: {reason}", "n", len(m.Left), "reason",
				gapwords.Arg(m.Left[0].Reason))
		}
		return m, p
	}
	m.weigh(scripts)
	m.Workload = &Workload{Name: FromStatements, Title: say.M("made from pg_stat_statements"),
		Synthetic: true, Writes: writes,
		Protocol: Prepared, Scripts: scripts,
		About: m.Line() +
			". Statements come in any order and with values that the statistics hold, each drawn for itself: what " +
			"belongs together in a transaction or in a key does not here."}
	return m, nil
}

// weigh gives each script the share of its statement, and compares.
func (m *Mix) weigh(scripts []Script) {
	sum := 0
	for i, s := range m.Statements {
		m.Statements[i].Share = float64(s.Calls) / float64(m.Covered)
		scripts[i].Weight = max(1, int(math.Round(shares*m.Statements[i].Share)))
		sum += scripts[i].Weight
	}
	for i := range m.Statements {
		s := &m.Statements[i]
		s.Weight = float64(scripts[i].Weight) / float64(sum)
		s.Near = alike(s.Share, s.Weight) && alike(s.Rows, s.Seen)
		s.NearBlocks = alike(s.Blocks, s.BlocksSeen) || math.Abs(s.Blocks-s.BlocksSeen) <= 1
	}
}

// alike holds a figure against the original's.
func alike(original, got float64) bool { return math.Abs(original-got) <= near*original }

// reason is an error in one clause, with what the server said.
func reason(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return "the server refuses it: " + pe.Message
	}
	return err.Error()
}

// readStatements reads the statements of this database, of most calls first, those
// of all users and of the top level alone. The view's schema is asked for, as the
// extension may be in any.
func readStatements(ctx context.Context, c *pgconn.PgConn) ([]statement, error) {
	where, err := column(ctx, c,
		"SELECT quote_ident(n.nspname) || CASE WHEN EXISTS (SELECT FROM pg_attribute WHERE attrelid = v.oid AND "+
			"attname = 'toplevel') THEN ' t' ELSE ' f' END "+
			"FROM pg_class v JOIN pg_namespace n ON n.oid = v.relnamespace JOIN pg_depend d ON d.objid = v.oid AND "+
			"d.classid = 'pg_class'::regclass AND d.deptype = 'e' "+
			"JOIN pg_extension e ON e.oid = d.refobjid WHERE e.extname = 'pg_stat_statements' AND v.relname = "+
			"'pg_stat_statements'")
	if err != nil {
		return nil, say.Err("statements of the server: {reason}", "reason", err)
	}
	if len(where) == 0 {
		return nil, &say.Problem{Message: say.M("the database has no pg_stat_statements"),
			Hint: say.M("CREATE EXTENSION pg_stat_statements, with the library in shared_preload_libraries, and let " +
				"it collect for a day"), Code: say.CodeError}
	}
	schema, top, _ := strings.Cut(where[0], " ")
	filter := ""
	if top == "t" {
		filter = " AND toplevel"
	}
	res, err := c.Exec(ctx, "SELECT queryid, left(min(query), "+strconv.Itoa(longest+1)+
		"), sum(calls)::bigint, sum(rows)::bigint, sum(shared_blks_hit + shared_blks_read)::bigint FROM "+schema+
		".pg_stat_statements "+
		"WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND calls > 0"+filter+
		" GROUP BY queryid ORDER BY sum(calls) DESC, queryid LIMIT 500").ReadAll()
	if err != nil {
		return nil, &say.Problem{Message: say.M("pg_stat_statements cannot be read"), Detail: gapwords.Of(reason(err)),
			Hint: say.M("it has to be in shared_preload_libraries, and texts of others need the role " +
				"pg_read_all_stats"),
			Code: say.CodeError}
	}
	var out []statement
	for _, r := range res {
		for _, row := range r.Rows {
			calls, err1 := strconv.ParseInt(string(row[2]), 10, 64)
			rows, err2 := strconv.ParseInt(string(row[3]), 10, 64)
			blocks, err3 := strconv.ParseInt(string(row[4]), 10, 64)
			if err := errors.Join(err1, err2, err3); err != nil {
				return nil, say.Err("statements of the server: {reason}", "reason", err)
			}
			out = append(out, statement{string(row[0]), string(row[1]), calls, rows, blocks})
		}
	}
	return out, nil
}

// fit says why a statement cannot be in a mix, by its text alone.
func fit(query string, ts []token, writes bool) error {
	switch {
	case len(query) > longest:
		return say.Err("its text is longer than {n} bytes", "n", strconv.Itoa(longest))
	case strings.HasPrefix(query, "<insufficient privilege>"):
		return say.Err("its text is hidden: it needs the role pg_read_all_stats")
	case !utf8.ValidString(query) || strings.IndexByte(query, 0) >= 0:
		return say.Err("its text is not in UTF-8")
	case len(ts) == 0:
		return say.Err("it is empty")
	}
	first := 0
	for first < len(ts)-1 && ts[first].punct("(") {
		first++
	}
	reads := ts[first].is("select", "with", "values", "table")
	if !reads && !ts[first].is("update", "delete", "merge", "insert") {
		return say.Err("it is no query but a command")
	}
	for i, t := range ts {
		switch {
		case t.is("insert"), t.is("merge"):
			return say.Err("it inserts rows, whose new keys cannot be made up")
		case t.is("update", "delete") && !(i > 0 && ts[i-1].is("for", "key", "on")) && !writes:
			return say.Err("it writes, and only reading was asked for")
		case t.is("for") && i+1 < len(ts) && ts[i+1].is("update", "share", "no", "key") && !writes:
			return say.Err("it locks rows, and only reading was asked for")
		case t.is("into") && reads:
			return say.Err("it makes a table")
		case t.punct(";") && i < len(ts)-1:
			return say.Err("it is more than one statement")
		case t.punct(":") && i+1 < len(ts) && t.end == ts[i+1].at && ts[i+1].kind == word,
			t.kind == str && colonName(t.text), t.kind == quoted && colonName(t.text):
			return say.Err("it holds a colon before a name, which pgbench would take for a variable")
		case t.is("pg_stat_statements"):
			return say.Err("it reads the statistics themselves")
		}
	}
	if what := reachesOut(query); !what.IsZero() {
		return say.ErrOf(what)
	}
	return nil
}

func colonName(s string) bool {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == ':' && letter(s[i+1]) {
			return true
		}
	}
	return false
}

// try makes a script of a statement and executes it some times; the rows and the
// blocks of a call come back.
func try(ctx context.Context, c *pgconn.PgConn, s statement, writes bool, rng *rand.Rand) (script string,
	rows, blocks float64, err error) {
	ts := tokens(s.query)
	if err := fit(s.query, ts, writes); err != nil {
		return "", 0, 0, err
	}
	mode := "READ ONLY"
	if writes {
		mode = "READ WRITE"
	}
	begin := "BEGIN " + mode + "; SET LOCAL statement_timeout = '" + trialTimeout + "'; SET LOCAL lock_timeout = '" +
		lockTimeout + "'; SET LOCAL standard_conforming_strings = on"
	if _, err := c.Exec(ctx, begin).ReadAll(); err != nil {
		return "", 0, 0, err
	}
	if err := harmless(ctx, c, ts, writes, 0); err != nil {
		_, e := c.Exec(ctx, "ROLLBACK").ReadAll()
		return "", 0, 0, errors.Join(err, e)
	}
	defer func() {
		if _, e := c.Exec(ctx, "ROLLBACK").ReadAll(); e != nil {
			err = errors.Join(err, e)
		}
	}()
	// PREPARE takes one statement alone, whatever the text holds.
	d, err := c.Prepare(ctx, "", s.query, nil)
	if err != nil {
		return "", 0, 0, err
	}
	rowsEach := int64(math.Ceil(float64(s.rows) / float64(s.calls)))
	ps, err := parameters(ctx, c, ts, d.ParamOIDs, rowsEach)
	if err != nil {
		return "", 0, 0, err
	}
	numbered := rewrite(s.query, ts, ps, func(v int) string { return "$" + strconv.Itoa(v) })
	if _, err := c.Prepare(ctx, trialName, numbered.sql, nil); err != nil {
		return "", 0, 0, err
	}
	defer func() {
		if e := c.Deallocate(ctx, trialName); e != nil && err == nil && !c.IsClosed() {
			err = e
		}
	}()
	var sum int64
	for range trials {
		r := c.ExecPrepared(ctx, trialName, numbered.draw(rng), nil, nil).Read()
		if r.Err != nil {
			return "", 0, 0, r.Err
		}
		sum += r.CommandTag.RowsAffected()
	}
	for range explained {
		n, err := blocksOf(ctx, c, numbered.draw(rng))
		if err != nil {
			return "", 0, 0, err
		}
		blocks += n / explained
	}
	return rewrite(s.query, ts, ps, func(v int) string { return ":v" + strconv.Itoa(v) }).script(),
		float64(sum) / trials, blocks, nil
}

// blocksOf executes the prepared trial once more and returns what it found in shared buffers or read into them.
func blocksOf(ctx context.Context, c *pgconn.PgConn, drawn [][]byte) (float64, error) {
	sql := "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) EXECUTE " + trialName
	if len(drawn) > 0 { // our own numbers
		sql += "(" + string(bytes.Join(drawn, []byte(","))) + ")"
	}
	out, err := column(ctx, c, sql)
	if err != nil {
		return 0, err
	}
	var plans []struct {
		Plan struct {
			Hit  float64 `json:"Shared Hit Blocks"`
			Read float64 `json:"Shared Read Blocks"`
		}
	}
	if err := json.Unmarshal([]byte(strings.Join(out, "\n")), &plans); err != nil {
		return 0, say.Err("its plan cannot be read: {reason}", "reason", err)
	}
	if len(plans) != 1 {
		return 0, say.Err("it has {n} plans", "n", strconv.Itoa(len(plans)))
	}
	return plans[0].Plan.Hit + plans[0].Plan.Read, nil
}

const trialName = "pgfettle_trial"

// rewritten is a statement whose parameters have become elements of arrays that
// variables choose.
type rewritten struct {
	sql  string
	vars []variable
}

// variable is an index that is drawn: at random, or some places above another.
type variable struct {
	n     int // of values
	above int // number of the variable whose value it is not below; 0: none
}

// span is how far the upper end of a range lies above the lower one at most:
// twenty places of a hundred.
const span = 20

// rewrite puts arrays of values in place of parameters. Each occurrence of a parameter has the same variable.
func rewrite(query string, ts []token, ps map[int]*parameter, name func(v int) string) rewritten {
	var out rewritten
	number := map[int]int{}
	var b strings.Builder
	at := 0
	for _, t := range ts {
		if t.kind != param {
			continue
		}
		b.WriteString(query[at:t.at])
		at = t.end
		p := ps[t.n]
		v := number[t.n]
		if v == 0 && len(p.values) > 1 {
			x := variable{n: len(p.values)}
			if p.above != 0 {
				x.above = number[p.above]
			}
			out.vars = append(out.vars, x)
			v = len(out.vars)
			number[t.n] = v
		}
		index := "1"
		if v > 0 {
			index = name(v)
		}
		b.WriteString(p.sql(index))
	}
	b.WriteString(query[at:])
	out.sql = strings.TrimRight(b.String(), "; \t\r\n")
	return out
}

// script is the statement for pgbench.
func (r rewritten) script() string {
	var b strings.Builder
	for i, v := range r.vars {
		if v.above != 0 {
			fmt.Fprintf(&b, "\\set v%d least(%d, :v%d + random(0, %d))\n", i+1, v.n, v.above, span)
		} else {
			fmt.Fprintf(&b, "\\set v%d random(1, %d)\n", i+1, v.n)
		}
	}
	b.WriteString(r.sql)
	b.WriteString("\n;\n") // a comment may end the statement
	return b.String()
}

// draw makes values of the variables, as the script would.
func (r rewritten) draw(rng *rand.Rand) [][]byte {
	var out [][]byte
	drawn := make([]int, len(r.vars))
	for i, v := range r.vars {
		drawn[i] = 1 + rng.IntN(v.n)
		if v.above != 0 {
			drawn[i] = min(v.n, drawn[v.above-1]+rng.IntN(span+1))
		}
		out = append(out, []byte(strconv.Itoa(drawn[i])))
	}
	return out
}
