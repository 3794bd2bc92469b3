package scratch

import (
	"context"
	"errors"
	"strconv"

	"github.com/pgfettle/pgfettle/internal/base/say"
)

// bootFolders are what the first step of initdb finds: InitializeDataDirectories of src/bin/initdb/initdb.c, 13 to 19.
var bootFolders = []string{"global", "pg_wal", "pg_wal/archive_status", "pg_wal/summaries", "pg_commit_ts",
	"pg_dynshmem", "pg_notify", "pg_serial", "pg_snapshots", "pg_subtrans", "pg_twophase", "pg_multixact",
	"pg_multixact/members", "pg_multixact/offsets", "base", "base/1", "pg_replslot", "pg_tblspc", "pg_stat",
	"pg_stat_tmp", "pg_xact", "pg_logical", "pg_logical/snapshots", "pg_logical/mappings"}

// NewBootstrapped makes the shadow of a new cluster with WAL segments of a size, without initdb: the control file,
// which is all of a cluster that a shadow has, is what its bootstrap writes first. That takes a twentieth of the time.
func NewBootstrapped(ctx context.Context, b Binaries, segment int64) (*Shadow, error) {
	acc, err := Unprivileged()
	if err != nil {
		return nil, err
	}
	p, err := newPlace(acc, "")
	if err != nil {
		return nil, err
	}
	i := &Instance{Binaries: b, Folder: p.path, DataDir: p.path, Account: acc, place: p}
	s, err := i.bootstrapped(ctx, segment)
	if e := p.remove(); e != nil {
		if s != nil {
			e = errors.Join(e, s.Remove())
		}
		return nil, errors.Join(err, e)
	}
	return s, err
}

// bootstrapped runs the first step of initdb, with nothing to insert into its catalogs.
func (i *Instance) bootstrapped(ctx context.Context, segment int64) (*Shadow, error) {
	major := i.Binaries.Version.Major()
	version := []byte(strconv.Itoa(major) + "\n")
	for _, dir := range bootFolders {
		if err := i.place.mkdir(dir); err != nil {
			return nil, say.Err("shadow data directory: {reason}", "reason", err)
		}
	}
	if err := errors.Join(i.place.write("PG_VERSION", version), i.place.write("base/1/PG_VERSION", version),
		i.place.write("postgresql.conf", nil)); err != nil {
		return nil, say.Err("shadow data directory: {reason}", "reason", err)
	}
	mb := segment >> 20
	args := []string{"--boot", "-X", strconv.FormatInt(segment, 10), "-F", "-D", i.DataDir, "-c",
		"shared_buffers=400kB", "-c", "max_connections=10", "-c", "dynamic_shared_memory_type=mmap", "-c",
		"min_wal_size=" + strconv.FormatInt(2*mb, 10) + "MB", "-c",
		"max_wal_size=" + strconv.FormatInt(4*mb, 10) + "MB"}
	if major < 15 {
		args = append(args, "-x", "1") // which process of bootstrap it is
	}
	ctx, cancel := context.WithTimeout(ctx, initTimeout)
	defer cancel()
	if _, err := i.run(ctx, "postgres", args...); err != nil {
		return nil, err
	}
	return NewShadow(i.Binaries, i.DataDir, i.Account)
}
