// Genparams writes the table of parameter facts from real servers: it starts a
// throwaway instance of each given version, reads pg_settings, and writes one
// line for each fact that differs between versions.
//
//	PGFETTLE_TEST_PG=/path/to/13:/path/to/14:… go run ./genparams -o ../internal/fact/pg/params/params.tsv
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/pgfettle/pgfettle/internal/act/scratch"
	"github.com/pgfettle/pgfettle/tools/generator"
)

func main() { generator.Main("genparams", distinct) }

// distinct returns the table of the facts of all servers, each once.
func distinct(ctx context.Context, list []scratch.Binaries) (string, error) {
	facts := map[fact][]int{}
	var versions []string
	for _, b := range list {
		rows, version, err := read(ctx, b)
		if err != nil {
			return "", err
		}
		for _, f := range rows {
			if slices.Contains(facts[f], b.Version.Major()) {
				return "", fmt.Errorf("%s: the list names this major version twice", b)
			}
			facts[f] = append(facts[f], b.Version.Major())
		}
		versions = append(versions, version)
		fmt.Fprintf(os.Stderr, "%s: %d parameters\n", b, len(rows))
	}
	return table(versions, facts)
}

// fact is one parameter as one server has it; the fields are the columns.
type fact struct {
	name, typ, unit, context, min, max, enum, boot, reset string
}

// machine names the parameters whose value in a fresh cluster tells of the
// machine and not of PostgreSQL: paths, the locale and zone that initdb found,
// the limit of the stack, and what we set ourselves to start it.
func machine(name string) bool {
	switch name {
	case "config_file", "data_directory", "hba_file", "hosts_file", "ident_file", "external_pid_file",
		"listen_addresses", "port", "unix_socket_directories", "TimeZone", "log_timezone", "max_stack_depth":
		return true
	}
	return strings.HasPrefix(name, "lc_")
}

// buildPath names the parameters whose compiled-in default is a path of the
// machine that the server was built on.
func buildPath(name string) bool { return name == "krb_server_keyfile" }

// everywhere takes away what one build has and another may lack: the servers come from two
// builders, and the table has to be true of all.
func (f *fact) everywhere() {
	switch f.name {
	case "wal_compression", "default_toast_compression", "io_method":
		f.enum = strings.Join(slices.DeleteFunc(strings.Split(f.enum, ","), func(v string) bool {
			return v == "lz4" || v == "zstd" || v == "io_uring"
		}), ",")
	case "unix_socket_directories":
		f.boot = "/tmp" // of the sources; Debian's packages change it
	case "server_version":
		f.boot, _, _ = strings.Cut(f.boot, " ") // Debian adds the version of its package
	}
}

// read returns the parameters of a server and the version that it gives, such as 18.6 or 19rc1.
func read(ctx context.Context, b scratch.Binaries) (facts []fact, version string, err error) {
	i, err := scratch.New(ctx, b, scratch.Options{})
	if err != nil {
		return nil, "", err
	}
	defer func() {
		if e := i.Remove(); err == nil {
			err = e
		}
	}()
	if err := i.Start(ctx); err != nil {
		return nil, "", err
	}
	conn, err := pgx.Connect(ctx, i.ConnString())
	if err != nil {
		return nil, "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	version, _, _ = strings.Cut(conn.PgConn().ParameterStatus("server_version"), " ")
	rows, err := conn.Query(ctx,
		`select name, vartype, coalesce(unit, ''), context, coalesce(min_val, ''), coalesce(max_val, ''),
		coalesce(array_to_string(enumvals, ','), ''), coalesce(boot_val, ''),
		case when source in ('client', 'session') then '' else coalesce(reset_val, '') end
		from pg_settings`)
	if err != nil {
		return nil, "", err
	}
	facts, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) (fact, error) {
		var f fact
		err := r.Scan(&f.name, &f.typ, &f.unit, &f.context, &f.min, &f.max, &f.enum, &f.boot, &f.reset)
		f.everywhere()
		if machine(f.name) || f.reset == f.boot || f.name == "server_version" {
			f.reset = ""
		}
		if buildPath(f.name) {
			f.boot, f.reset = "", ""
		}
		for _, s := range []string{f.boot, f.reset} {
			if strings.Contains(s, i.Folder) {
				return f, fmt.Errorf("%s = %q is of this machine", f.name, s)
			}
		}
		return f, err
	})
	return facts, version, err
}
