package pgctl

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/collect"
	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/pg/conf"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
)

// Session is one connection to the server of an instance.
type Session struct {
	conn        *pgconn.PgConn
	Postmaster  postmaster // its server, where it is seen
	release     func(*Session)
	Role        string
	Super       bool
	Version     int    // server_version_num
	AlterSystem bool   // ALTER SYSTEM is not switched off
	DataDir     string // "": the role may not see it
	configFile  string // "": the role may not see it
	began       string // start of the server by its clock, seconds since the epoch with their fraction
	Here        bool   // its data directory is the one that we see under that name
}

const (
	// sqlTimeout bounds one exchange: ALTER SYSTEM and pg_settings take
	// milliseconds, fsync of a busy disk a second.
	sqlTimeout = 20 * time.Second
	// statementTimeout is what the server is told, so that it ends a statement before we do.
	statementTimeout = "'15s'"
	// startSlack is how much later than its lock file a server may note its
	// start: it sizes and locks its shared memory in between.
	startSlack = 60
)

// Session connects to the server of an instance, or takes up the connection of
// the call before. No server there is nil without an error.
func (p *Server) Session(ctx context.Context, in *snapshot.Instance) (*Session, error) {
	return p.SessionIn(ctx, in, "")
}

// SessionIn is Session in a database; "" is the named one, or the usual ones.
func (p *Server) SessionIn(ctx context.Context, in *snapshot.Instance, database string) (*Session, error) {
	dir, _ := in.DataDirectory.Get()
	key := dir
	if database != "" {
		key += "\x00" + database // which no path has
	}
	how := pgclient.Connect{Conninfo: p.Conninfo, Peer: -1}
	var of postmaster
	if !p.named() {
		if p.Target.Reach("/") != "/" {
			return nil, nil // a tree of files
		}
		if dir == "" {
			return nil, noDirectory(in)
		}
		pm, up, err := p.postmaster(dir)
		if err == nil && !up {
			return nil, nil
		}
		of = pm
	}
	if s := p.idle(key); s != nil {
		if s.Postmaster.PID == of.PID && s.Postmaster.start == of.start && s.conn.CheckConn() == nil {
			return s, nil
		}
		s.hangUp()
	}
	if !p.named() {
		var err error
		how, err = collect.ConnectLocal(p.Target, dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case errors.Is(err, fs.ErrPermission):
			how, err = socketOf(in)
		}
		if err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, sqlTimeout)
	defer cancel()
	how.Database = database
	conn, err := pgclient.Open(ctx, how)
	if err != nil {
		return nil, err
	}
	s := &Session{conn: conn, Postmaster: of, release: func(s *Session) { p.keep(key, s) }}
	if err := s.ask(ctx, p, dir); err != nil {
		s.hangUp()
		return nil, err
	}
	return s, nil
}

// named reports whether the user has specified how to reach the server.
func (p *Server) named() bool { return p.Conninfo != "" || p.Environment }

// idle takes the connection that the call before left.
func (p *Server) idle(key string) *Session {
	p.lock.Lock()
	defer p.lock.Unlock()
	s := p.sessions[key]
	delete(p.sessions, key)
	return s
}

// keep leaves a connection for the next call.
func (p *Server) keep(key string, s *Session) {
	p.lock.Lock()
	old := p.sessions[key]
	if p.sessions == nil {
		p.sessions = map[string]*Session{}
	}
	p.sessions[key] = s
	p.lock.Unlock()
	if old != nil {
		old.hangUp()
	}
}

// Close ends the connections that are kept between calls.
func (p *Server) Close() {
	p.lock.Lock()
	defer p.lock.Unlock()
	for dir, s := range p.sessions {
		s.hangUp()
		delete(p.sessions, dir)
	}
}

// socketOf says how to reach a server whose lock file is closed to us: as its
// settings have it.
func socketOf(in *snapshot.Instance) (pgclient.Connect, error) {
	port, ok := in.Port.Get()
	set, ok2 := in.Server.Settings.Get()
	dirs, ok3 := set.Text("unix_socket_directories")
	list := conf.SplitList(dirs)
	if !ok || !ok2 || !ok3 || len(list) == 0 {
		return pgclient.Connect{}, &say.Problem{Message: say.M("no way to the server of {label} is known", "label",
			in.Label()),
			Code: say.CodeNoAccess,
			Hint: say.M("run pgfettle as root or as the owner of the data directory, or give a connection string")}
	}
	pm, ok := in.Postmaster().Get()
	if !ok {
		return pgclient.Connect{SocketDir: list[0], Port: port, Found: true, Peer: -1}, nil
	}
	return pgclient.Connect{SocketDir: list[0], Port: port, Found: true, Peer: pm.UID, Secrets: os.Geteuid() != 0}, nil
}

func (s *Session) ask(ctx context.Context, p *Server, dir string) error {
	err := s.Exec(ctx, "SET search_path = pg_catalog, pg_temp; SET statement_timeout = "+statementTimeout)
	if err != nil {
		return err
	}
	rows, err := s.Rows(ctx, `select current_user::text,
 (select rolsuper from pg_roles where rolname = current_user)::text,
 current_setting('server_version_num'),
 coalesce(current_setting('allow_alter_system', true), 'on'),
 coalesce((select setting from pg_settings where name = 'data_directory'), ''),
 coalesce((select setting from pg_settings where name = 'config_file'), ''),
 extract(epoch from pg_postmaster_start_time())::numeric::text`)
	if err != nil || len(rows) != 1 {
		return errors.Join(say.Err("the server's own account of itself"), err)
	}
	r := rows[0]
	s.Role, s.Super, s.AlterSystem, s.DataDir, s.configFile = r[0], r[1] == "true", r[3] == "on", r[4], r[5]
	if s.Version, err = strconv.Atoi(r[2]); err != nil {
		return say.Named("server_version_num", err)
	}
	if dir == "" {
		dir = s.DataDir
	}
	if s.DataDir != "" && path.Clean(s.DataDir) != path.Clean(dir) && !p.sameFolder(s.DataDir, dir) {
		return &say.Problem{Message: say.M("the server that answers is another one"), Code: say.CodeError,
			Detail: say.M("its data directory is {dataDir}, not {dir}", "dataDir", s.DataDir, "dir", dir),
			Hint:   say.M("give the connection string of the instance")}
	}
	s.began = r[6]
	began, err := strconv.ParseFloat(r[6], 64)
	if err != nil {
		return say.Named("pg_postmaster_start_time", err)
	}
	// a server of another host may have a directory of the same name
	if s.Postmaster.Dir = dir; dir == "" {
		return nil
	}
	files, err := p.Files(dir)
	if err != nil {
		return nil // of another host, or without an owner: what is there is not its
	}
	if l, err := collect.ReadLock(files, dir); err == nil && l.Began > 0 {
		s.Here = began-float64(l.Began) >= -1 && began-float64(l.Began) <= startSlack
	}
	return nil
}

func (p *Server) sameFolder(a, b string) bool {
	files, err := p.Files(b)
	if err != nil {
		return false
	}
	x, err1 := files.Stat(a)
	y, err2 := files.Stat(b)
	return err1 == nil && err2 == nil && x.Dev == y.Dev && x.Inode == y.Inode
}

// Release is the end of a call: a connection that still works is kept for the next.
func (s *Session) Release() {
	if s.conn.IsClosed() || s.conn.IsBusy() {
		s.hangUp()
		return
	}
	s.release(s)
}

func (s *Session) hangUp() {
	// a farewell; the kernel closes the socket anyway
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = s.conn.Close(ctx)
}

// Exec runs one statement in its own transaction.
func (s *Session) Exec(ctx context.Context, sql string) error {
	ctx, cancel := context.WithTimeout(ctx, sqlTimeout)
	defer cancel()
	_, err := s.conn.Exec(ctx, sql).ReadAll()
	return err
}

// Long runs one statement in its own transaction, however long that takes: a copy of a table takes hours.
func (s *Session) Long(ctx context.Context, sql string) error {
	if err := s.Exec(ctx, "SET statement_timeout = 0"); err != nil {
		return err
	}
	_, err := s.conn.Exec(ctx, sql).ReadAll()
	if s.conn.IsClosed() {
		return err
	}
	return errors.Join(err, s.Exec(ctx, "SET statement_timeout = "+statementTimeout))
}

// Code is the SQLSTATE of an error; "" if no server said it.
func Code(err error) string {
	if no, ok := errors.AsType[*pgconn.PgError](err); ok {
		return no.Code
	}
	return ""
}

// Rows runs one query; a NULL is an empty text.
func (s *Session) Rows(ctx context.Context, sql string, args ...string) ([][]string, error) {
	ctx, cancel := context.WithTimeout(ctx, sqlTimeout)
	defer cancel()
	values := make([][]byte, len(args))
	for i, a := range args {
		values[i] = []byte(a)
	}
	res := s.conn.ExecParams(ctx, sql, values, nil, nil, nil).Read()
	out := make([][]string, len(res.Rows))
	for i, row := range res.Rows {
		for _, v := range row {
			out[i] = append(out[i], string(v))
		}
	}
	return out, res.Err
}

// SettingRow is one row of pg_settings.
type SettingRow struct {
	Name, Value, VarType, Source string
	File, Line                   string // where it is from; "": no file, or not shown
	Pending                      bool
}

const settingColumns = `select name, setting, vartype, source, sourcefile, sourceline::text, pending_restart::text ` +
	`from pg_settings where name = any($1::text[])`

// Settings asks for settings by name; one that the server does not have is
// missing from the answer.
func (s *Session) Settings(ctx context.Context, names ...string) (map[string]SettingRow, error) {
	rows, err := s.Rows(ctx, settingColumns, textArray(names))
	if err != nil {
		return nil, say.Named("pg_settings", err)
	}
	out := map[string]SettingRow{}
	for _, r := range rows {
		out[r[0]] = SettingRow{r[0], r[1], r[2], r[3], r[4], r[5], r[6] == "true"}
	}
	return out, nil
}

// textArray spells names as an array of SQL.
func textArray(names []string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(n) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}

// OfInstance reports whether the value is the instance's, and not one that ALTER ROLE or ALTER DATABASE gave to the
// current role.
func (s SettingRow) OfInstance() bool {
	switch s.Source {
	case "user", "database", "database user", "global", "session", "client", "interactive":
		return false
	}
	return true
}
