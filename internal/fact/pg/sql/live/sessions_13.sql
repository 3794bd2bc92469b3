-- Reads pg_stat_activity: what each process of the server does now. Needs: pg_read_all_stats; without it those of others are hidden.
-- Reveal: GRANT pg_monitor TO <role>
-- A statement that sets a password holds it: its text is left out.
select pid, datname, usename, application_name, backend_type, state, wait_event_type, wait_event,
       extract(epoch from now - query_start) as query_age, extract(epoch from now - xact_start) as xact_age,
       case when query ~* 'password' then '(left out: it may hold a password)' else left(query, 200) end as query,
       pid = pg_backend_pid() as ours
  from (select a.*, clock_timestamp() as now from pg_stat_activity a) b
 order by pid
