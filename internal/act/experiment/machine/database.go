package machine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sys/unix"

	"github.com/pgfettle/pgfettle/internal/act/experiment/loadgen"
	"github.com/pgfettle/pgfettle/internal/act/experiment/workload"
	"github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"
	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
)

// Database is a database that a person keeps for measurements, on a server of this host. An experiment on it starts and
// configures no server: what differs between its configurations is what a session can set.
type Database struct {
	Version unit.Version
	Cluster string // system identifier
	OID     string
	// Settable are the parameters that a session of the role can set, by their names in lower case, and their values in
	// one that sets none, as SHOW has them.
	Settable map[string]string
	// Others are the sessions of others in it.
	Others int
	// Standby says that its server is in recovery.
	Standby bool
	// Tables counts what users have made in it; Loaded is what an experiment has loaded, or pgbench -i.
	Tables int
	Loaded Loaded

	conn loadgen.Conn
	pid  int // of the postmaster
}

// Loaded is what a database holds for a load; its zero value is nothing that is known.
type Loaded struct {
	Data  string // identity of the data, as loadgen.Load has it; "": only pgbench's own tables are there
	Scale int    // 0: not known
}

// loadedTable says in a database what an experiment has loaded into it.
const loadedTable = "pgfettle_load"

// Text is how a person names it, without a password.
func (d *Database) Text() string {
	c := d.conn
	var out []string
	for _, p := range (conninfo.Pairs{{Name: "host", Value: c.Host}, {Name: "port", Value: strconv.Itoa(c.Port)},
		{Name: "user", Value: c.User}, {Name: "dbname", Value: c.DB}}) {
		if p.Value != "" && !strings.ContainsAny(p.Value, ` '\`+"\t\n") {
			out = append(out, p.Name+"="+p.Value)
		} else {
			out = append(out, conninfo.Pairs{p}.String())
		}
	}
	return strings.Join(out, " ")
}

// Same reports whether both are one database.
func (d *Database) Same(e *Database) bool { return d.Cluster == e.Cluster && d.OID == e.OID }

// Holds reports whether the data of a load are in it, and whether it is empty, so that they can be loaded.
func (d *Database) Holds(w *workload.Workload) (fits, empty bool) {
	fits = d.Loaded.Data == w.Data() && d.Loaded.Scale > 0
	if w.OnPgbench() && d.Loaded.Data == "" {
		fits = d.Loaded.Scale > 0
	}
	return fits, d.Tables == 0
}

const onlySocket = "name the server's Unix socket, as in 'host=/run/postgresql dbname=scratch user=bench': the CPU " +
	"time of the server is that of its process"

// FindDatabase looks at the database of a connection string. The error says what is missing for it to be measured.
func FindDatabase(ctx context.Context, text string) (*Database, error) {
	refuse := func(code int, m, hint say.Message) (*Database, error) {
		return nil, &say.Problem{Message: m, Hint: hint, Code: code}
	}
	cfg, err := pgconn.ParseConfig(text)
	if err != nil { // it may hold the password
		return refuse(say.CodeUsage, say.M("the connection string cannot be read"), say.M("write it as in "+
			"'host=/run/postgresql dbname=scratch user=bench'"))
	}
	if !strings.HasPrefix(cfg.Host, "/") || len(cfg.Fallbacks) > 0 {
		return refuse(say.CodeUsage, say.M("{host} is not the directory of a Unix socket", "host",
			say.Quoted(cfg.Host)),
			say.M(onlySocket))
	}
	if cfg.Database == "" {
		cfg.Database = cfg.User // as the server would
	}
	cfg.RuntimeParams["application_name"] = "pgfettle"
	c, err := pgconn.ConnectConfig(ctx, cfg)
	if err != nil {
		hint := say.M("Try the same with psql.")
		if strings.Contains(err.Error(), "Peer authentication") {
			hint = say.M("Run pgfettle as the user whose name the role has: sudo -u {role} pgfettle …", "role",
				cfg.User)
		}
		return refuse(say.CodeNoAccess, say.M("the database cannot be reached: {reason}", "reason", err), hint)
	}
	d := &Database{conn: loadgen.Conn{Host: cfg.Host, Port: int(cfg.Port), User: cfg.User, DB: cfg.Database,
		Password: cfg.Password, Account: scratch.AccountAs(nil)}}
	d.pid, err = peer(c.Conn())
	if err := errors.Join(err, c.Close(ctx)); err != nil { // it would count among the sessions
		return nil, err
	}
	if _, _, err := times(d.pid); err != nil {
		return refuse(say.CodeRefused, say.M("the server of the database is not a process that can be seen here"),
			say.M("Run pgfettle on the host of the server, outside of a container, or in the container of the server."))
	}
	return d, d.look(ctx)
}

// Try opens a session with settings: the server refuses values that it cannot have.
func (d *Database) Try(ctx context.Context, settings map[string]string) error {
	n := d.node(settings)
	c, err := pgconn.Connect(ctx, n.conn.ConnString())
	if err != nil {
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok {
			return say.Err("the server refuses it: {reason}", "reason", refused.Message)
		}
		return err
	}
	return c.Close(ctx)
}

// peer is the process that listens on a Unix socket: of a server its postmaster, as this process sees it.
func peer(c any) (pid int, err error) {
	u, ok := c.(syscall.Conn)
	if !ok {
		return 0, errors.New("a connection without a descriptor")
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	if e := raw.Control(func(fd uintptr) {
		cred, err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); e != nil || err != nil {
		return 0, errors.Join(e, err)
	}
	return int(cred.Pid), nil
}

// othersSQL counts the sessions of others in the database.
const othersSQL = `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
          and backend_type = 'client backend'`

// A backend ends only some time after its client has gone: on a busy host that of the command before would be taken for
// somebody's. One that is still there after 5 seconds is.
const (
	othersLooks = 20
	othersEvery = 250 * time.Millisecond
)

// lookSQL asks what has to be known before anything is measured: version, cluster, database, standby, whether the role
// sees what others do and may run CHECKPOINT, sessions of others in the database, what users have made in it, whether
// an experiment or pgbench has.
const lookSQL = `select current_setting('server_version_num'), (select system_identifier from pg_control_system()),
       (select oid from pg_database where datname = current_database()), pg_is_in_recovery(),
       pg_has_role('pg_read_all_stats', 'usage'),
       current_setting('is_superuser') = 'on' or exists (select from pg_roles where rolname = 'pg_checkpoint' and ` +
	`pg_has_role(oid, 'usage')),
       (` + othersSQL + `),
       (select count(*) from pg_class c join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'p', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
           and c.relpersistence <> 't' and not exists (select from pg_depend x where x.classid = 'pg_class'::regclass
           and x.objid = c.oid and x.deptype = 'e')),
       to_regclass('` + loadedTable + `') is not null, to_regclass('pgbench_branches') is not null`

// settableSQL asks for the parameters that a session of the role can set at its start, and their values.
const settableSQL = `select lower(name), current_setting(name) from pg_settings where context in ('user', 'backend')
    or context in ('superuser', 'superuser-backend') and current_setting('is_superuser') = 'on'`

func (d *Database) look(ctx context.Context) error {
	n := d.node(nil)
	rows, err := n.rows(ctx, lookSQL)
	if err != nil {
		return err
	}
	if len(rows) != 1 || len(rows[0]) != 10 {
		return say.Err("the database: {n} rows", "n", len(rows))
	}
	r := rows[0]
	version, err := strconv.Atoi(r[0])
	if err != nil {
		return say.Named("server_version_num", err)
	}
	d.Version, d.Cluster, d.OID, d.Standby = unit.Version(version), r[1], r[2], r[3] == "t"
	n.major = d.Version.Major()
	role := say.Quoted(d.conn.User)
	switch {
	case r[4] != "t":
		return &say.Problem{Message: say.M("role {role} does not see the sessions and statistics of others", "role",
			role), Hint: say.M("As a superuser: GRANT pg_monitor TO {role};", "role", d.conn.User),
			Code: say.CodeNoAccess}
	case r[5] != "t" && n.major >= 15:
		return &say.Problem{Message: say.M("role {role} may not run CHECKPOINT, with which each run begins and ends",
			"role", role), Hint: say.M("As a superuser: GRANT pg_checkpoint TO {role};", "role", d.conn.User),
			Code: say.CodeNoAccess}
	case r[5] != "t":
		return &say.Problem{Message: say.M("role {role} may not run CHECKPOINT, with which each run begins and ends",
			"role", role), Hint: say.M("Before PostgreSQL 15 only a superuser may: name one in the conninfo."),
			Code: say.CodeNoAccess}
	}
	if d.Others, err = strconv.Atoi(r[6]); err != nil {
		return err
	}
	for i := 1; d.Others > 0 && i < othersLooks; i++ {
		if err := wait(ctx, othersEvery); err != nil {
			return err
		}
		if rows, err = n.rows(ctx, othersSQL); err != nil {
			return err
		}
		if len(rows) != 1 || len(rows[0]) != 1 {
			return say.Err("the database: {n} rows", "n", len(rows))
		}
		if d.Others, err = strconv.Atoi(rows[0][0]); err != nil {
			return err
		}
	}
	if d.Tables, err = strconv.Atoi(r[7]); err != nil {
		return err
	}
	if rows, err = n.rows(ctx, settableSQL); err != nil {
		return err
	}
	d.Settable = map[string]string{}
	for _, r := range rows {
		d.Settable[r[0]] = r[1]
	}
	return d.loaded(ctx, n, r[8] == "t", r[9] == "t")
}

// loaded reads what an experiment, or pgbench -i, has loaded.
func (d *Database) loaded(ctx context.Context, n *session, marked, pgbench bool) error {
	var sql string
	switch {
	case marked:
		sql = "select data, scale from " + loadedTable
	case pgbench:
		sql = "select '', count(*) from pgbench_branches"
	default:
		return nil
	}
	rows, err := n.rows(ctx, sql)
	if err != nil {
		return err
	}
	if len(rows) != 1 || len(rows[0]) != 2 {
		return say.Named(loadedTable, say.Err("{n} rows", "n", len(rows)))
	}
	d.Loaded.Data = rows[0][0]
	d.Loaded.Scale, err = strconv.Atoi(rows[0][1])
	return err
}

// session is a database of a person's with the settings of a configuration, which each session sets at its start.
type session struct {
	server
	d    *Database
	conn loadgen.Conn
}

func (d *Database) node(settings map[string]string) *session {
	n := &session{d: d, conn: d.conn}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		n.conn.Session = append(n.conn.Session, name+"="+settings[name])
	}
	n.server = server{conninfo: d.conn.ConnString(), major: d.Version.Major(), pid: func() int { return d.pid },
		alive: n.Alive}
	return n
}

func (n *session) Conn() loadgen.Conn { return n.conn }

// Close leaves the server as it is.
func (n *session) Close() error { return nil }

func (n *session) Alive() error {
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", n.d.pid)); err != nil {
		return say.Err("its postmaster, process {pid}, has ended", "pid", strconv.Itoa(n.d.pid))
	}
	return nil
}

// Settings are those of a session of the configuration.
func (n *session) Settings(ctx context.Context) ([]Setting, error) {
	return n.settings(ctx, n.conn.ConnString())
}

// Prepare vacuums what was loaded, and writes down what that is, for the next experiment.
func (n *session) Prepare(ctx context.Context) error {
	l := n.d.Loaded
	_, err := n.rows(ctx, "create table "+loadedTable+" (data text not null, scale int not null)")
	if err == nil {
		_, err = n.rows(ctx, fmt.Sprintf("insert into %s values ('%s', %d)", loadedTable,
			strings.ReplaceAll(l.Data, "'", "''"), l.Scale))
	}
	if err == nil {
		_, err = n.rows(ctx, "vacuum (freeze, analyze)")
	}
	return err
}

// Prewarm does nothing: the caches of a server that runs are as its users have them.
func (n *session) Prewarm(context.Context) (say.Message, error) { return say.Message{}, nil }

// Checkpointed is not asked: its runs do not last checkpoint cycles.
func (n *session) Checkpointed() (uint64, error) {
	return 0, say.Err("the control file of a server that was not made here is not read")
}
