// Package dump takes a database of a live server into a scratch instance, with
// pg_dump and pg_restore and a pipe between them: no file is written on the way.
// On the live server that is one transaction which only reads.
package clone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
)

// Programs are pg_dump and pg_restore of one version.
type Programs struct {
	Dump, Restore string // paths
	Version       unit.Version
}

// Find returns the programs that can take a database of one version into a server
// of another: pg_dump of the source's major version or of a newer one, which is
// not newer than the server that gets it, as that would not know all of what
// pg_restore says.
func Find(ctx context.Context, from, to unit.Version) (Programs, error) {
	if to.Major() < from.Major() {
		return Programs{}, &say.Problem{Message: say.M("a database of PostgreSQL {from} does not go into the older "+
			"{to}", "from", from, "to", to),
			Hint: say.M("run the experiment with version {major} or newer: --pg {major}", "major",
				fmt.Sprint(from.Major())),
			Code: say.CodeUsage}
	}
	return choose(workload.Installed(ctx, "pg_dump"), workload.Installed(ctx, "pg_restore"), from, to)
}

// choose takes the lowest version that will do: the nearest to the source.
func choose(dumps, restores []workload.Pgbench, from, to unit.Version) (Programs, error) {
	var best Programs
	for _, d := range dumps {
		i := slices.IndexFunc(restores, func(r workload.Pgbench) bool { return r.Version == d.Version })
		if m := d.Version.Major(); i >= 0 && m >= from.Major() && m <= to.Major() &&
			(best.Dump == "" || d.Version < best.Version) {
			best = Programs{Dump: d.Path, Restore: restores[i].Path, Version: d.Version}
		}
	}
	if best.Dump != "" {
		return best, nil
	}
	what := strconv.Itoa(from.Major())
	if to.Major() > from.Major() {
		what += " to " + strconv.Itoa(to.Major())
	}
	p := &say.Problem{Message: say.M("pg_dump and pg_restore of version {what} are not installed", "what", what),
		Code: say.CodeError,
		Hint: say.M("install postgresql-client-{major} (Debian, Ubuntu) or postgresql{major} (RPMs of the PostgreSQL "+
			"project)", "major", fmt.Sprint(from.Major()))}
	var have []string
	for _, d := range dumps {
		have = append(have, d.Version.String())
	}
	if len(have) > 0 {
		p.Detail = say.M("here are those of {have}", "have", say.Names(have, 0))
	}
	return Programs{}, p
}

// Source is a database of a live server.
type Source struct {
	Args    []string `json:"-"` // of pg_dump, to reach it: no secret is among them
	Env     []string `json:"-"` // that it needs; may hold a password
	Account scratch.Account
	About
	super bool // it is a superuser who reads it
}

// About is what is known of it before it is read.
type About struct {
	Database   string       `json:"database"`
	Version    unit.Version `json:"version"`
	System     string       `json:"system,omitempty"` // identifier; "": hidden
	Bytes      unit.Bytes   `json:"bytes"`
	Encoding   string       `json:"encoding"`
	Provider   string       `json:"provider"` // of the collation: c, i, b
	Collate    string       `json:"collate"`
	CType      string       `json:"ctype"`
	Locale     string       `json:"locale,omitempty"`
	SearchPath string       `json:"search_path,omitempty"` // of its sessions, where it is not the usual one
	Extensions []string     `json:"extensions,omitempty"`
	Roles      []string     `json:"-"`
}

// mostNames bounds the roles that are made: policies name a few of them.
const mostNames = 10_000

// Look connects to a server and asks what a copy needs to know. The connection is
// the caller's to close. Nothing is asked that reads a table of a user.
func Look(ctx context.Context, how pgclient.Connect) (*Source, *pgconn.PgConn, error) {
	conn, err := pgclient.Open(ctx, how)
	if err != nil {
		return nil, nil, err
	}
	s := &Source{}
	if err := s.look(ctx, conn); err != nil {
		return nil, nil, errors.Join(say.Err("database of the workload: {reason}", "reason", err),
			conn.Close(context.WithoutCancel(ctx)))
	}
	user, err := firstRow(ctx, conn, "SELECT current_user")
	if err == nil {
		err = s.reach(how, user[0])
	}
	if err != nil {
		return nil, nil, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return s, conn, nil
}

func (s *Source) look(ctx context.Context, conn *pgconn.PgConn) error {
	// What is asked here is no load of the users; only a superuser may say so.
	_, _ = rows(ctx, conn, "SET pg_stat_statements.track = 'none'")
	if _, err := rows(ctx, conn, "SET default_transaction_read_only = on"); err != nil {
		return err
	}
	// Columns that a version does not have are NULL in the row's JSON.
	r, err := firstRow(ctx, conn,
		`SELECT d.datname, current_setting('server_version_num'), pg_database_size(d.oid), `+
			`pg_encoding_to_char(d.encoding), d.datcollate, d.datctype,
		coalesce(to_jsonb(d)->>'datlocprovider', 'c'), coalesce(to_jsonb(d)->>'datlocale', `+
			`to_jsonb(d)->>'daticulocale', ''),
		CASE WHEN current_setting('search_path') = '"$user", public' THEN '' ELSE current_setting('search_path') END,
		(SELECT count(*) FROM pg_foreign_server), (SELECT count(*) FROM pg_class WHERE relkind = 'm'), `+
			`current_setting('is_superuser')
		FROM pg_database d WHERE d.datname = current_database()`)
	if err != nil {
		return err
	}
	num, err1 := strconv.Atoi(r[1])
	size, err2 := strconv.ParseInt(r[2], 10, 64)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	s.About = About{Database: r[0], Version: unit.Version(num), Bytes: unit.Bytes(size), Encoding: r[3], Collate: r[4],
		CType: r[5], Provider: r[6], Locale: r[7], SearchPath: r[8]}
	s.super = r[11] == "on"
	if r[9] != "0" && r[10] != "0" {
		return &say.Problem{Message: say.M("the database {database} has foreign servers and materialized views, "+
			"which a copy may fill from those servers", "database", s.Database),
			Hint: say.M("an experiment touches no other server: drop the views in a copy of your own, and name that " +
				"as TARGET"), Code: say.CodeRefused}
	}
	if id, err := firstRow(ctx, conn, "SELECT system_identifier FROM pg_control_system()"); err == nil {
		s.System = id[0]
	}
	for _, list := range []struct {
		sql string
		to  *[]string
	}{
		{"SELECT extname FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY 1", &s.Extensions},
		{`SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' AND rolname <> 'postgres' ORDER BY 1 LIMIT ` +
			strconv.Itoa(mostNames), &s.Roles},
	} {
		all, err := rows(ctx, conn, list.sql)
		if err != nil {
			return err
		}
		for _, row := range all {
			*list.to = append(*list.to, row[0])
		}
	}
	return nil
}

// reach says how pg_dump gets there.
func (s *Source) reach(how pgclient.Connect, user string) (err error) {
	s.Env = []string{"PGAPPNAME=pgfettle", "PGCLIENTENCODING=UTF8"}
	if how.SocketDir != "" {
		s.Account = scratch.AccountAs(how.As)
		s.Args = []string{"-h", how.SocketDir, "-p", strconv.Itoa(how.Port), "-U", user}
		// pg_dump's questions are no load of the users; no pooler is in between
		if s.super && slices.Contains(s.Extensions, "pg_stat_statements") {
			s.Env = append(s.Env, "PGOPTIONS=-c pg_stat_statements.track=none")
		}
	} else {
		s.Account = scratch.AccountAs(nil)
		pairs, err := conninfo.Parse(how.Conninfo)
		if err != nil {
			return err
		}
		if len(pairs) > 0 && !slices.ContainsFunc(pairs, func(p conninfo.Pair) bool { return p.Name == "dbname" }) {
			pairs = append(pairs, conninfo.Pair{Name: "dbname",
				Value: s.Database}) // which libpq would take from the user's name
		}
		args, env := split(pairs)
		s.Args, s.Env = args, append(s.Env, env...)
	}
	if !s.Account.Switch { // the user's own .pgpass, certificates and services
		for _, v := range os.Environ() {
			if strings.HasPrefix(v, "PG") && !strings.HasPrefix(v, "PGAPPNAME=") &&
				!strings.HasPrefix(v, "PGOPTIONS=") || strings.HasPrefix(v, "HOME=") {
				s.Env = append([]string{v}, s.Env...)
			}
		}
	}
	return nil
}

// Words says what taking it does to the server, for who decides.
func (s *About) Words() say.Message {
	return say.M("The database {database} ({size}) is read whole, once, by one pg_dump: a transaction that only "+
		"reads. Meanwhile, its locks block schema changes (DDL), and VACUUM keeps the rows that it may still see. It "+
		"waits for a lock of another session for {limit}, then gives up.", "database", s.Database,
		"size", s.Bytes, "limit", say.Number(fmt.Sprintf("%.0f s", lockTimeout.Seconds())))
}

const (
	// lockTimeout bounds the wait for a lock: behind one that waits, everybody waits.
	lockTimeout = 10 * time.Second
	// slowest is the rate at which a copy that is alive has to come on the whole.
	slowest   = 5 * unit.MB
	leastTime = 10 * time.Minute
)

// bound is how long a copy may take.
func bound(data unit.Bytes) time.Duration {
	return max(leastTime, time.Duration(min(float64(data)/float64(slowest), 7*24*3600))*time.Second)
}

// Into is where a copy goes: the scratch instance.
type Into struct {
	Host    string // folder of the socket
	Port    int
	User    string
	DB      string // it is dropped and recreated as the source's is
	Account scratch.Account
}

func (t Into) conninfo(db string) string {
	return fmt.Sprintf("host='%s' port=%d user=%s dbname=%s", t.Host, t.Port, t.User, db)
}

// Copy recreates the database in the scratch instance, and copies schema and data. notes are the differences.
func Copy(ctx context.Context, s *Source, p Programs, t Into) (notes []say.Message, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, bound(s.Bytes),
		&say.Problem{Message: say.M("the copy of the database {database} took longer than {minute}", "database",
			s.Database, "minute", bound(s.Bytes).Round(time.Minute)),
			Hint: say.M("a slow network or disk: make a copy of your own nearby, and name that as TARGET"),
			Code: say.CodeError})
	defer cancel()
	if notes, err = s.make(ctx, t); err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	var (
		dumped, restored scratch.Ended
		err1, err2       error
		both             sync.WaitGroup
	)
	both.Go(func() {
		dumped, err1 = s.Account.Run(ctx, scratch.Client{Env: s.Env, Out: w,
			Argv: append([]string{p.Dump, "--format=custom", "--compress=0", "--no-password",
				"--lock-wait-timeout=" + strconv.Itoa(int(lockTimeout.Milliseconds())), "--no-subscriptions",
				"--no-publications", "--no-security-labels"}, append(s.Args, dbArg(s)...)...)})
		err1 = errors.Join(err1, w.Close())
	})
	both.Go(func() {
		restored, err2 = t.Account.Run(ctx, scratch.Client{In: r,
			Argv: []string{p.Restore, "--exit-on-error", "--no-owner", "--no-privileges", "--no-tablespaces",
				"--no-comments",
				"-h", t.Host, "-p", strconv.Itoa(t.Port), "-U", t.User, "-d", t.DB}})
		err2 = errors.Join(err2, r.Close()) // ends pg_dump too
	})
	both.Wait()
	if err := errors.Join(err1, err2); err != nil {
		return nil, say.Err("copy of the database {database}: {reason}", "database", s.Database, "reason", err)
	}
	return notes, failed(s, dumped, restored)
}

// dbArg names the database, where the connection string does not.
func dbArg(s *Source) []string {
	if slices.Contains(s.Args, "-d") {
		return nil
	}
	return []string{"-d", conninfo.Pairs{{Name: "dbname",
		Value: s.Database}}.String()} // a bare name could be one of a connection string
}

// failed is the error of the program that failed first: the other one only sees
// its pipe break.
func failed(s *Source, dumped, restored scratch.Ended) error {
	who, e := "pg_restore", restored
	switch {
	case dumped.Code == 0 && restored.Code == 0:
		return nil
	case dumped.Code != 0 && !strings.Contains(dumped.Stderr, "Broken pipe"):
		who, e = "pg_dump", dumped
	}
	detail := ""
	for line := range strings.Lines(e.Stderr) {
		if line = strings.TrimSpace(line); strings.Contains(line, "error:") || strings.Contains(line, "ERROR:") {
			detail = line
			break
		}
	}
	if lines := strings.Split(strings.TrimSpace(e.Stderr), "\n"); detail == "" {
		detail = lines[len(lines)-1]
	}
	return &say.Problem{Message: say.M("{who} failed with the database {database}", "who", who, "database", s.Database),
		Detail: say.Text(detail),
		Hint: say.M("pg_dump and pg_restore of this database fail in the same way if you run them manually; the live " +
			"server is unchanged"),
		Code: say.CodeError}
}

// make makes the database in the scratch instance: its encoding, its collation
// where the system has it, the extensions that it needs and the roles that
// policies may name.
func (s *Source) make(ctx context.Context, t Into) (notes []say.Message, err error) {
	c, err := pgconn.Connect(ctx, t.conninfo("template1"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = c.Close(context.WithoutCancel(ctx)) }()
	if err := s.missing(ctx, c); err != nil {
		return nil, err
	}
	if _, err := rows(ctx, c, "DROP DATABASE IF EXISTS "+conf.SQLName(t.DB)); err != nil {
		return nil, err
	}
	create := "CREATE DATABASE " + conf.SQLName(t.DB) + " TEMPLATE template0 ENCODING " + conf.SQLString(s.Encoding)
	like := create + " LC_COLLATE " + conf.SQLString(s.Collate) + " LC_CTYPE " + conf.SQLString(s.CType)
	switch s.Provider {
	case "i":
		like += " LOCALE_PROVIDER icu ICU_LOCALE " + conf.SQLString(s.Locale)
	case "b":
		like += " LOCALE_PROVIDER builtin BUILTIN_LOCALE " + conf.SQLString(s.Locale)
	}
	if _, err := rows(ctx, c, like); err != nil {
		var refused *pgconn.PgError
		if !errors.As(err, &refused) {
			return nil, err
		}
		if _, err := rows(ctx, c, create+" LC_COLLATE 'C' LC_CTYPE 'C'"); err != nil {
			return nil, say.Err("database of the copy: {reason}", "reason", err)
		}
		name := s.Collate
		if s.Locale != "" {
			name = s.Locale
		}
		notes = append(notes, say.M("The collation {name} of the original is not available here ({error}): texts are "+
			"compared as in C, which is faster.", "name", name, "error", refused.Message))
	}
	if s.SearchPath != "" { // a list of names that the server itself has put together
		if _, err := rows(ctx, c, "ALTER DATABASE "+conf.SQLName(t.DB)+" SET search_path = "+s.SearchPath); err != nil {
			return nil, say.Err("search_path of the copy: {reason}", "reason", err)
		}
	}
	for _, role := range s.Roles {
		if _, err := rows(ctx, c, "CREATE ROLE "+conf.SQLName(role)+" NOLOGIN"); err != nil {
			return nil, say.Err("roles of the copy: {reason}", "reason", err)
		}
	}
	return notes, nil
}

// missing names the extensions that are not installed with the server here.
func (s *Source) missing(ctx context.Context, c *pgconn.PgConn) error {
	have, err := rows(ctx, c, "SELECT name FROM pg_available_extensions")
	if err != nil {
		return err
	}
	var lack []string
	for _, name := range s.Extensions {
		if !slices.ContainsFunc(have, func(r []string) bool { return r[0] == name }) {
			lack = append(lack, name)
		}
	}
	if len(lack) == 0 {
		return nil
	}
	return &say.Problem{Message: say.M("extensions of the database {database} are not installed with the server of "+
		"the experiment: {lack}", "database", s.Database, "lack", say.Names(lack, 0)),
		Hint: say.M("install their packages for that version, or name server programs that have them with --bin"),
		Code: say.CodeError}
}

// rows runs a statement.
func rows(ctx context.Context, c *pgconn.PgConn, sql string) ([][]string, error) {
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil {
		return nil, err
	}
	var out [][]string
	for _, r := range results {
		for _, row := range r.Rows {
			line := make([]string, len(row))
			for i, v := range row {
				line[i] = string(v)
			}
			out = append(out, line)
		}
	}
	return out, nil
}

func firstRow(ctx context.Context, c *pgconn.PgConn, sql string) ([]string, error) {
	all, err := rows(ctx, c, sql)
	if err != nil {
		return nil, err
	}
	if len(all) != 1 {
		return nil, say.Err("{n} rows where one was asked for", "n", strconv.Itoa(len(all)))
	}
	return all[0], nil
}
