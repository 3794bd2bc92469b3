-- Reads pg_stat_activity: counts and ages, never a query. Needs: pg_read_all_stats; without it the sessions of others are hidden.
-- Reveal: GRANT pg_monitor TO <role>
-- One row with total = t over all backends but ours, then one a role and state of the client backends. Sessions of which
-- we may not see the kind count as hidden.
select grouping(usesysid, kind, state) = 7 as total,
       pg_get_userbyid(usesysid) as usename, state,
       count(*) filter (where kind = 'client') as clients,
       count(*) filter (where kind = 'hidden') as hidden_count,
       count(*) filter (where kind = 'client' and wait_event_type = 'Lock') as waiting,
       max(greatest(extract(epoch from now - state_change), 0)) filter (where kind = 'client') as oldest_state,
       max(greatest(extract(epoch from now - xact_start), 0)) filter (where kind = 'client') as oldest_xact,
       max(age(backend_xmin)) as oldest_xmin,
       percentile_cont(0.5) within group (order by extract(epoch from now - backend_start)::float8)
         filter (where kind = 'client') as median_age,
       min(floor(extract(epoch from backend_start))::bigint) filter (where backend_type = 'checkpointer') as checkpointer_at
  from (select a.*, clock_timestamp() as now,
               case when backend_type = 'client backend' then 'client'
                    when backend_type is null and usesysid is not null and datid is not null then 'hidden'
                    else 'other' end as kind
          from pg_stat_get_activity(null) a
         where pid <> pg_backend_pid()) b
 group by grouping sets ((), (usesysid, kind, state))
having grouping(usesysid, kind, state) = 7 or count(*) filter (where kind = 'client') > 0
