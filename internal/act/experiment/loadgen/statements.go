package loadgen

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pgfettle/pgfettle/internal/act/experiment/clone"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Source is the database of a live server that a load is made from.
type Source struct {
	How      pgclient.Connect
	About    clone.About
	programs clone.Programs
}

// Ready finds the programs that take it into a server of a version.
func (s *Source) Ready(ctx context.Context, to unit.Version) (err error) {
	s.programs, err = clone.Find(ctx, s.About.Version, to)
	return err
}

// Look inspects the database of a live server from which a load is to be made, reading only its statistics. The
// workload has no scripts yet.
func Look(ctx context.Context, how pgclient.Connect) (*workload.Workload, *Source, error) {
	from, conn, err := clone.Look(ctx, how)
	if err != nil {
		return nil, nil, err
	}
	_, err = workload.Statements(ctx, conn)
	if err := errors.Join(err, conn.Close(context.WithoutCancel(ctx))); err != nil {
		return nil, nil, err
	}
	w := &workload.Workload{Name: workload.FromStatements,
		Title: say.M("a mix made from pg_stat_statements, on a copy of the database {database}", "database",
			from.About.Database), Synthetic: true}
	return w, &Source{How: how, About: from.About}, nil
}

// plan is the load before the server is asked for its statements.
func (s *Source) plan(ctx context.Context, version unit.Version) (*FromServer, error) {
	program, err := workload.FindPgbench(ctx, version)
	w := &workload.Workload{Name: workload.FromStatements, Synthetic: true, Protocol: workload.Prepared}
	return &FromServer{Pgbench: Pgbench{Workload: w, Program: program}, About: s.About, Programs: s.programs}, err
}

// Make makes the load: the server is asked for its statements, and they are tried on it
// in transactions that only read. notes say how near the mix comes to its original; Mix
// is what is kept of it.
func (s *Source) Make(ctx context.Context, version unit.Version) (load *FromServer, notes []say.Message, err error) {
	if load, err = s.plan(ctx, version); err != nil {
		return nil, nil, err
	}
	if load.Programs.Dump == "" {
		return nil, nil, errors.New("load from statements: no programs were looked for")
	}
	from, conn, err := clone.Look(ctx, s.How)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.WithoutCancel(ctx))) }()
	if from.System != s.About.System || from.Database != s.About.Database {
		return nil, nil, &say.Problem{Message: say.M("the server of the load is another one than a moment ago"),
			Code: say.CodeError}
	}
	mix, err := workload.Synthesize(ctx, conn, false)
	if err != nil {
		return nil, nil, err
	}
	load.Workload, load.Source, load.About, load.Taken = mix.Workload, from, from.About,
		time.Now().UTC().Format(time.RFC3339Nano)
	return load, compared(mix), nil
}

const (
	mostUnlike  = 8  // statements that are reported one by one
	mostReasons = 4  // why others are omitted
	mostQuery   = 60 // characters of a statement's text
)

// compared says how near a mix comes to its original. A text of each number is a separate template, not say.N: what
// shows the document recognizes it, by gapwords.
func compared(m *workload.Mix) []say.Message {
	near, blocks := 0, 0
	var unlike []workload.Mixed
	for _, s := range m.Statements {
		if s.Near {
			near++
		}
		if s.NearBlocks {
			blocks++
		}
		if !s.Near || !s.NearBlocks {
			unlike = append(unlike, s)
		}
	}
	out := []say.Message{say.M("Synthetic: {n} of {most} statements, {share} of the calls; {count} of them have the "+
		"rows "+
		"of a call within 20 % of the original, {size} find or read as many blocks a call.",
		"n", strconv.Itoa(len(m.Statements)), "most", strconv.Itoa(len(m.Statements)+len(m.Left)),
		"share", percent(float64(m.Covered)/float64(max(m.Calls, 1))), "count", strconv.Itoa(near),
		"size", strconv.Itoa(blocks))}
	for i, s := range unlike {
		if i == mostUnlike {
			n := len(unlike) - i
			text := say.Template("Not like it either: {n} more statements.")
			if n == 1 {
				text = "Not like it either: {n} more statement."
			}
			out = append(out, say.M(text, "n", n))
			break
		}
		out = append(out, say.M("Not like the original within 20 %: {query}: {share} of the calls and {count} here, "+
			"rows "+
			"a call {n} and {most}, blocks a call {size} and {limit}.", "query", cut(s.Query),
			"share", percent(s.Share), "count", percent(s.Weight), "n", figure(s.Rows), "most", figure(s.Seen),
			"size", figure(s.Blocks), "limit", figure(s.BlocksSeen)))
	}
	return append(out, left(m)...)
}

func percent(share float64) say.Number { return say.Number(fmt.Sprintf("%.1f %%", 100*share)) }

func figure(n float64) say.Number { return say.Number(fmt.Sprintf("%.4g", n)) }

// left says what is not in a mix, by its reason, the largest part first.
func left(m *workload.Mix) []say.Message {
	calls, n := map[string]int64{}, map[string]int{}
	var reasons []string
	for _, l := range m.Left {
		if n[l.Reason] == 0 {
			reasons = append(reasons, l.Reason)
		}
		calls[l.Reason] += l.Calls
		n[l.Reason]++
	}
	slices.SortStableFunc(reasons, func(a, b string) int {
		switch {
		case calls[a] > calls[b]:
			return -1
		case calls[a] < calls[b]:
			return 1
		}
		return strings.Compare(a, b)
	})
	var out []say.Message
	for i, r := range reasons {
		if i == mostReasons {
			text := say.Template("Left out for {n} other reasons: see pg_stat_statements for what is not among the " +
				"scripts.")
			if i == len(reasons)-1 {
				text = "Left out for {n} other reason: see pg_stat_statements for what is not among the scripts."
			}
			out = append(out, say.M(text, "n", len(reasons)-i))
			break
		}
		text := say.Template("Left out: {n} statements with {share} of the calls: {reason}.")
		if n[r] == 1 {
			text = "Left out: {n} statement with {share} of the calls: {reason}."
		}
		out = append(out, say.M(text, "n", n[r], "share", percent(float64(calls[r])/float64(max(m.Calls, 1))),
			"reason", r))
	}
	return out
}

// cut is the beginning of a statement, in one line.
func cut(query string) string {
	text := strings.Join(strings.Fields(query), " ")
	if r := []rune(text); len(r) > mostQuery {
		text = string(r[:mostQuery]) + "…"
	}
	return text
}

// Mix is what is kept of a load from statements, for a resume: it asks no live server
// again.
type Mix struct {
	Scripts []workload.Script `json:"scripts"`
	About   clone.About       `json:"about"`
	Taken   string            `json:"taken"`
	Title   string            `json:"title"`
	Words   string            `json:"words"`
}

// Mix is what is kept of the load.
func (f *FromServer) Mix() *Mix {
	return &Mix{Scripts: f.Workload.Scripts, About: f.About, Taken: f.Taken, Title: f.Workload.Title.English(),
		Words: f.Workload.About}
}

// load is the load that was made of it.
func (m *Mix) load(ctx context.Context, version unit.Version) (*FromServer, error) {
	f, err := (&Source{About: m.About}).plan(ctx, version)
	if err != nil {
		return nil, err
	}
	f.Workload.Scripts, f.Workload.Title, f.Workload.About, f.Taken = m.Scripts, say.Text(m.Title), m.Words, m.Taken
	return f, nil
}
