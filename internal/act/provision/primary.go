package provision

import (
	"context"
	"encoding/json"
	"errors"
	"os/user"
	"path"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgfettle/pgfettle/internal/act/pgclient"
	"github.com/pgfettle/pgfettle/internal/act/pgclient/conninfo"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/known"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/base/unit"
	"github.com/pgfettle/pgfettle/internal/fact/newcluster"
	"github.com/pgfettle/pgfettle/internal/judge/creation"
)

// primaryFacts asks a primary for what a standby has to know. Databases that the role may not enter have a size that it
// may not know.
const primaryFacts = `WITH db AS (SELECT d.*, has_database_privilege(oid, 'CONNECT') OR
	pg_has_role('pg_read_all_stats', 'USAGE') AS seen FROM pg_database d)
SELECT json_build_object(
	'settings', (SELECT json_object_agg(n, current_setting(n, true)) FROM unnest($1::text[]) n),
	'system', (SELECT system_identifier::text FROM pg_control_system()),
	'bytes', (SELECT CASE WHEN bool_and(seen) THEN sum(CASE WHEN seen THEN pg_database_size(oid) END)::int8 END
		FROM db),
	'tablespaces', (SELECT json_agg(json_build_object('path', pg_tablespace_location(oid), 'bytes',
		CASE WHEN has_tablespace_privilege(oid, 'CREATE') OR pg_has_role('pg_read_all_stats', 'USAGE')
		THEN pg_tablespace_size(oid) END) ORDER BY spcname) FROM pg_tablespace WHERE oid NOT IN (1663, 1664)),
	'senders', (SELECT count(*) FROM pg_stat_replication),
	'slots', (SELECT json_agg(slot_name) FROM pg_replication_slots),
	'roles', (SELECT json_agg(rolname) FROM pg_roles WHERE rolname = $2),
	'superuser', (SELECT rolname FROM pg_roles WHERE oid = 10),
	'databases', (SELECT json_agg(json_build_object('name', datname, 'encoding', pg_encoding_to_char(encoding),
		'collate', datcollate, 'ctype', datctype, 'provider', coalesce(to_json(d)->>'datlocprovider', ''),
		'locale', coalesce(to_json(d)->>'datlocale', to_json(d)->>'daticulocale', ''))) FROM pg_database d))`

// Primary asks the server that an instance of an account is to follow, and tries the connection that the standby will
// have. Nothing is written. The error is a *say.Problem or the context's.
func Primary(ctx context.Context, t target.Target, text string, owner newcluster.Account) (*creation.Primary, error) {
	pairs, database, err := connection(text)
	if err != nil {
		return nil, err
	}
	p := &creation.Primary{Role: pairs.Get("user"), Where: where(pairs)}
	if p.Passfile, err = passfile(t, pairs.Get("passfile"), owner); err != nil {
		return nil, err
	}
	p.Conninfo = without(pairs, "passfile").String()
	up := Upstream(t, newcluster.Slot{Conninfo: p.Conninfo, Passfile: p.Passfile, Owner: owner})
	system, err := identify(ctx, up, p)
	if err != nil {
		return nil, err
	}
	conn, err := up.Database(ctx, database)
	if err != nil {
		return nil, noDatabase(err, p)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	if err := ask(ctx, conn, p, owner.Name); err != nil {
		return nil, err
	}
	if p.System != system {
		return nil, &say.Problem{Message: say.M("two servers answered at {where}", "where", p.Where), Detail: say.M(
			"the system identifiers are {a} and {b}", "a", system, "b", p.System), Hint: say.M("name one server: a " +
			"pooler or a balancer is no primary"), Code: say.CodeRefused}
	}
	return p, nil
}

// Upstream is a primary as the account of a standby reaches it.
func Upstream(t target.Target, s newcluster.Slot) pgclient.Upstream {
	u := pgclient.Upstream{Conninfo: s.Conninfo, Passfile: s.Passfile, Files: t}
	if t.UID() != s.Owner.UID {
		u.As = &target.User{UID: s.Owner.UID, GID: s.Owner.GID}
		u.Files = t.As(*u.As)
	}
	return u
}

// connection reads the connection string of a standby: it has to say on its own where and as whom, as the server that
// uses it later has no environment and no service file of ours.
func connection(text string) (pairs conninfo.Pairs, database string, err error) {
	const flag = "--standby-of"
	list, err := conninfo.Parse(text)
	if err != nil {
		return nil, "", say.Usage(say.M("{flag}: the connection string is not valid", "flag", flag),
			say.M("Write it as 'host=db1 port=5432 user=replicator'."))
	}
	for _, p := range list {
		switch p.Name {
		case "password", "sslpassword":
			return nil, "", say.Usage(say.M("{flag} takes no password", "flag", flag),
				say.M("Other users see it in the "+
					"list of processes. Put it into ~/.pgpass of the account that the standby runs as, or name a file "+
					"of it with "+
					"passfile=FILE."))
		case "service", "replication", "fallback_application_name", "client_encoding", "options", "hostaddr":
			return nil, "", say.Usage(say.M("{flag} does not take the keyword {name}", "flag", flag, "name", p.Name),
				say.M("Write it as 'host=db1 port=5432 user=replicator'."))
		case "dbname":
			database = p.Value
			continue
		}
		pairs = append(pairs, p)
	}
	for _, name := range []string{"host", "user"} {
		if pairs.Get(name) == "" {
			return nil, "", say.Usage(say.M("{flag}: {name}= is missing", "flag", flag, "name", name),
				say.M("Write it as 'host=db1 port=5432 user=replicator'."))
		}
	}
	return pairs, database, nil
}

func without(list conninfo.Pairs, name string) (out conninfo.Pairs) {
	for _, p := range list {
		if p.Name != name {
			out = append(out, p)
		}
	}
	return out
}

// where is a primary for people.
func where(pairs conninfo.Pairs) string {
	host, port := pairs.Get("host"), pairs.Get("port")
	if port == "" {
		port = "5432"
	}
	if strings.Contains(host, ",") || strings.Contains(port, ",") {
		return host + " (" + port + ")"
	}
	return host + ":" + port
}

// passfile is the password file of an account: the one that was named, or .pgpass in its home directory if there is
// one. It has to be one that the server itself will read later.
func passfile(t target.Target, named string, owner newcluster.Account) (string, error) {
	at := named
	if at == "" {
		u, err := user.LookupId(strconv.Itoa(owner.UID))
		if err != nil || !path.IsAbs(u.HomeDir) {
			return "", nil
		}
		at = path.Join(u.HomeDir, ".pgpass")
	} else if !path.IsAbs(at) || strings.ContainsAny(at, "\n\r\x00") {
		return "", say.Usage(say.M("--standby-of: {path} is not an absolute path", "path", say.Quoted(at)),
			say.M("Write the absolute path of the password file."))
	}
	as := t.As(target.User{UID: owner.UID, GID: owner.GID})
	in, err := as.Stat(at)
	if err != nil && named == "" {
		return "", nil // its own may lack
	}
	why := say.Message{}
	switch {
	case err != nil:
		why = say.Text(err.Error())
	case !in.Mode.IsRegular():
		why = say.M("it is not a file")
	case in.UID != owner.UID:
		why = say.M("it belongs to user {uid}", "uid", strconv.Itoa(in.UID))
	case in.Mode.Perm()&0o077 != 0:
		why = say.M("its mode is {mode}", "mode", "0"+strconv.FormatUint(uint64(in.Mode.Perm()), 8))
	default:
		return at, nil
	}
	return "", &say.Problem{Message: say.M("the password file {file} cannot be used by {owner}", "file", at, "owner",
		owner.Name), Detail: why, Hint: say.M("it has to belong to {owner} with mode 0600: install -m 600 -o "+
		"{owner} -g "+
		"{group} FILE {file}", "owner", owner.Name, "group", owner.Group, "file", at), Code: say.CodeRefused}
}

// identify makes the connection that a standby makes.
func identify(ctx context.Context, up pgclient.Upstream, p *creation.Primary) (system string, err error) {
	conn, err := up.Replication(ctx)
	if err != nil {
		return "", noReplication(err, p)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	res, err := conn.Exec(ctx, "IDENTIFY_SYSTEM").ReadAll()
	if err == nil && (len(res) != 1 || len(res[0].Rows) != 1 || len(res[0].Rows[0]) == 0) {
		err = say.Err("no answer to {text}", "text", "IDENTIFY_SYSTEM")
	}
	if err != nil {
		return "", &say.Problem{Message: say.M("the server at {where} does not answer as a primary does", "where",
			p.Where),
			Detail: say.OfError(err), Hint: say.M("name the server itself: a pooler does not pass replication on"),
			Code: say.CodeRefused}
	}
	return string(res[0].Rows[0][0]), nil
}

// noReplication says what is missing on the primary for the connection of a standby.
func noReplication(err error, p *creation.Primary) error {
	no, ok := errors.AsType[*say.Problem](err)
	if !ok {
		return err
	}
	out := *no
	switch pgclient.CauseOf(err) {
	case "28P01":
		out.Hint = say.M("put the line HOST:PORT:*:{role}:PASSWORD into a password file of the standby's account: its "+
			"~/.pgpass, or passfile=FILE in CONNINFO", "role", p.Role)
	case "28000":
		out.Hint = say.M("on the primary, the role needs REPLICATION and LOGIN, and pg_hba.conf a line: host "+
			"replication "+
			"{role} ADDRESS/32 scram-sha-256 (ADDRESS: of this host)", "role", p.Role)
	case "42501":
		out.Hint = say.M("on the primary: ALTER ROLE {role} REPLICATION;", "role", p.Role)
	case "53300":
		out.Hint = say.M("on the primary, increase max_wal_senders, which takes a restart")
	}
	return &out
}

// noDatabase says what is missing for the questions that a replication connection cannot be asked.
func noDatabase(err error, p *creation.Primary) error {
	no, ok := errors.AsType[*say.Problem](err)
	if !ok {
		return err
	}
	out := *no
	out.Hint = say.M("the replication connection works, but the tablespaces, the slots and the size of the primary "+
		"are "+
		"asked for in a database, and the slot is made there: let {role} connect to one, such as postgres: in "+
		"pg_hba.conf: host postgres {role} ADDRESS/32 scram-sha-256; or name one with dbname= in CONNINFO", "role",
		p.Role)
	return &out
}

// ask reads what SQL tells of a primary.
func ask(ctx context.Context, conn *pgconn.PgConn, p *creation.Primary, owner string) error {
	names := "{" + strings.Join(creation.Asked(), ",") + "}"
	res := conn.ExecParams(ctx, primaryFacts, [][]byte{[]byte(names), []byte(owner)}, nil, nil, nil).Read()
	bad := func(err error) error {
		return &say.Problem{Message: say.M("the primary at {where} did not answer", "where", p.Where),
			Detail: say.OfError(err), Hint: say.M("connect as a role that may read the catalogs"),
			Code: say.CodeRefused}
	}
	if res.Err != nil {
		return bad(res.Err)
	}
	var f struct {
		Settings          map[string]string
		System, Superuser string
		Bytes             *int64
		Tablespaces       []struct {
			Path  string
			Bytes *int64
		}
		Slots, Roles []string
		Senders      int
		Databases    []creation.Database
	}
	if len(res.Rows) != 1 {
		return bad(say.Err("no answer to {text}", "text", "SELECT"))
	}
	if err := json.Unmarshal(res.Rows[0][0], &f); err != nil {
		return bad(err)
	}
	version, err := strconv.Atoi(f.Settings["server_version_num"])
	if err != nil {
		return bad(err)
	}
	p.Version, p.Settings, p.System, p.Superuser = unit.Version(version), f.Settings, f.System, f.Superuser
	p.Senders, p.Slots, p.Databases, p.Roles = f.Senders, f.Slots, f.Databases, f.Roles
	for _, x := range f.Tablespaces {
		s := creation.Space{Path: x.Path, Bytes: known.Missed[unit.Bytes](known.Gap{Fact: "size of a tablespace"})}
		if x.Bytes != nil {
			s.Bytes = known.Is(unit.Bytes(*x.Bytes))
		}
		p.Tablespaces = append(p.Tablespaces, s)
	}
	p.Bytes = known.Missed[unit.Bytes](known.Gap{Fact: "size of the primary"})
	if f.Bytes != nil {
		p.Bytes = known.Is(unit.Bytes(*f.Bytes))
	}
	return nil
}
