-- Reads pg_stat_activity: of each process the database, role and state, never a query. Needs: pg_read_all_stats; without it those of others are hidden.
-- Reveal: GRANT pg_monitor TO <role>
-- Our own session is among them: its process is too.
select pid, datname, usename, state, backend_type, pid = pg_backend_pid() as ours
  from pg_stat_activity
 order by pid
