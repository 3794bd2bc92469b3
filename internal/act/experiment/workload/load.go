package workload

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// Session is a connection to the database that is loaded; *pgconn.PgConn is one.
type Session interface {
	Exec(ctx context.Context, sql string) *pgconn.MultiResultReader
}

// dataset names the directory of the statements that make a workload's data: what comes before the rows, the rows of a
// part of the scale, what comes after them. Values are hashes of the row's number and not of a random series: they are
// the same on every version, in whatever parts the rows are made.
type dataset struct {
	name string
}

// chunk is the units of scale that one round of INSERTs makes: some seconds of
// work, so that progress is seen and Ctrl-C heard.
const chunk = 10

// Load makes the schema and the data in an empty database. progress, which may be nil, is called with the units of
// scale that are done. If it fails, cleaning up is left to the creator of the database.
func (w *Workload) Load(ctx context.Context, s Session, scale int, progress func(done, total int64)) error {
	if w.data.name == "" {
		return nil
	}
	if scale < 1 || scale > maxScale {
		return say.Err("scale {value}: it is from 1 to {most}", "value", strconv.Itoa(scale),
			"most", strconv.Itoa(maxScale))
	}
	if progress == nil {
		progress = func(int64, int64) {}
	}
	total := int64(scale)
	if err := w.run(ctx, s, "schema", scale, 0, 0); err != nil {
		return err
	}
	for from := 1; from <= scale; from += chunk {
		progress(int64(from-1), total)
		if err := w.run(ctx, s, "data", scale, from, min(from+chunk-1, scale)); err != nil {
			return err
		}
	}
	progress(total, total)
	return w.run(ctx, s, "after", scale, 0, 0)
}

// OnPgbench reports whether its data are the tables of pgbench -i.
func (w *Workload) OnPgbench() bool { return w.data.name == "pgbench" }

// Data is a hash over the statements that make the data.
func (w *Workload) Data() string {
	h := sha256.New()
	if w.data.name != "" {
		for _, file := range []string{"schema", "data", "after"} {
			fmt.Fprintf(h, "%q\n", text(w.data.name+"/"+file+".sql"))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// run runs the statements of one file, each for itself: VACUUM wants that.
func (w *Workload) run(ctx context.Context, s Session, file string, scale, from, to int) error {
	fill := strings.NewReplacer("{scale}", strconv.Itoa(scale), "{from}", strconv.Itoa(from), "{to}", strconv.Itoa(to))
	for _, sql := range statements(text(w.data.name + "/" + file + ".sql")) {
		if _, err := s.Exec(ctx, fill.Replace(sql)).ReadAll(); err != nil {
			return say.Err("data of the workload {name}: {reason}", "name", w.Name, "reason", err)
		}
	}
	return nil
}

// statements takes our own files apart: a statement ends where a line does with a
// semicolon, and a comment has lines of its own.
func statements(text string) []string {
	var out []string
	var b strings.Builder
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "--") {
			continue
		}
		b.WriteString(line)
		if strings.HasSuffix(trimmed, ";") {
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
		}
	}
	if rest := strings.TrimSpace(b.String()); rest != "" {
		out = append(out, rest)
	}
	return out
}

// Checksum is one number of all rows of all tables in the public schema that a load made, to compare two of them.
func Checksum(ctx context.Context, s Session) (string, error) {
	names, err := column(ctx, s,
		`SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' `+
			`ORDER BY relname COLLATE "C"`)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range names {
		sums, err := column(ctx, s,
			"SELECT count(*) || '/' || coalesce(sum(hashtextextended(t::text, 0)::numeric), 0) FROM public."+name+" t")
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "%s %s\n", name, strings.Join(sums, " "))
	}
	return b.String(), nil
}

// column runs a query and returns the first column of its rows.
func column(ctx context.Context, s Session, sql string) ([]string, error) {
	res, err := s.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, r := range res {
		for _, row := range r.Rows {
			if len(row) > 0 {
				out = append(out, string(row[0]))
			}
		}
	}
	return out, nil
}
