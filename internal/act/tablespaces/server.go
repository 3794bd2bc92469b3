package tablespaces

import (
	"context"
	"path"

	"github.com/pgfettle/pgfettle/internal/act/movewal"
	"github.com/pgfettle/pgfettle/internal/act/pgctl"
	"github.com/pgfettle/pgfettle/internal/act/target"
	"github.com/pgfettle/pgfettle/internal/base/say"
	"github.com/pgfettle/pgfettle/internal/fact/snapshot"
	"github.com/pgfettle/pgfettle/internal/judge/tablespaces"
)

// Instance asks what of an instance decides whether it can have a new tablespace. owner is the role that is to own it;
// "" is ours.
func (l *Looker) Instance(ctx context.Context, in *snapshot.Instance, owner string) (v tablespaces.Server, err error) {
	dir, view, err := l.dataDir(in)
	if err != nil {
		return v, err
	}
	st, err := l.Target.Stat(dir)
	if err != nil {
		return v, target.NoAccess(dir, err)
	}
	v.Label, v.Data, v.UID = in.Label(), dir, st.UID
	v.Manager, _ = in.Manager.Get()
	v.Contained = movewal.Contained(l.Target, view, in, dir)
	if v.WAL, err = view.Resolve(path.Join(dir, movewal.Name)); err != nil {
		return v, target.NoAccess(path.Join(dir, movewal.Name), err)
	}
	s, err := Session(ctx, l.Server, in, "")
	if err != nil {
		return v, err
	}
	defer s.Release()
	v.Role, v.Super, v.Major = s.Role, s.Super, s.Version/10000
	if err := ofServer(ctx, s, owner, &v); err != nil {
		return v, err
	}
	for i := range v.Spaces { // as the server has it a link may be on the way
		if real, err := view.Resolve(v.Spaces[i].Dir); v.Spaces[i].Dir != "" && err == nil {
			v.Spaces[i].Dir = real
		}
	}
	return v, nil
}

// ofServer asks the server itself.
func ofServer(ctx context.Context, s *pgctl.Session, owner string, v *tablespaces.Server) error {
	rows, err := s.Rows(ctx, `select pg_is_in_recovery()::text,
 ($1 <> '' and not exists (select from pg_roles where rolname::text = $1))::text,
 current_setting('temp_tablespaces'),
 (not exists (select from pg_db_role_setting d, unnest(d.setconfig) c where c like 'temp_tablespaces=%'))::text,
 (select rolsuper or pg_has_role(current_user, 'pg_read_all_stats', 'usage') from pg_roles
   where rolname = current_user)::text`, owner)
	if err != nil || len(rows) != 1 {
		return say.Err("the server's own account of its tablespaces: {error}", "error", err)
	}
	r := rows[0]
	v.Standby, v.NoOwner, v.Temp, v.ClusterWide, v.Unreadable = r[0] == "true", r[1] == "true", r[2], r[3] == "true",
		r[4] != "true"
	rows, err = s.Rows(ctx, `select spcname::text, pg_tablespace_location(oid) from pg_tablespace order by oid`)
	if err != nil {
		return say.Named("pg_tablespace", err)
	}
	for _, r := range rows {
		v.Spaces = append(v.Spaces, tablespaces.Place{Name: r[0], Dir: r[1]})
	}
	// who sends a base backup or receives WAL alone replays nothing
	rows, err = s.Rows(ctx, `select coalesce(nullif(application_name, ''), 'process ' || pid) from pg_stat_replication
 where coalesce(state, '') <> 'backup' and application_name <> 'pg_receivewal' order by 1`)
	if err != nil {
		return say.Named("pg_stat_replication", err)
	}
	for _, r := range rows {
		v.Replicas = append(v.Replicas, r[0])
	}
	rows, err = s.Rows(ctx, `select slot_name::text from pg_replication_slots
 where slot_type = 'physical' and not active and not temporary order by 1`)
	if err != nil {
		return say.Named("pg_replication_slots", err)
	}
	for _, r := range rows {
		v.IdleSlots = append(v.IdleSlots, r[0])
	}
	return nil
}
