-- Reads who we are, where and since when. Needs: any role.
select current_user as role,
       current_setting('is_superuser') as superuser,
       pg_has_role(current_user, 'pg_monitor', 'usage') as monitor,
       current_database() as database,
       floor(extract(epoch from pg_postmaster_start_time()))::bigint as started_at,
       floor(extract(epoch from clock_timestamp()))::bigint as now,
       floor(extract(epoch from pg_conf_load_time()))::bigint as reload_at,
       pg_backend_pid() as pid,
       (select floor(extract(epoch from backend_start))::bigint
          from pg_stat_get_activity(pg_backend_pid())) as backend_start,
       version() as compiled
