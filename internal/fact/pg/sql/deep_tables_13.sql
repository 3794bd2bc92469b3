-- Reads the 100 largest tables of this database by relpages. Needs: any role. Costs a pass over pg_class.
select n.nspname, c.relname, c.relpages,
       pg_stat_get_live_tuples(c.oid) as live, pg_stat_get_dead_tuples(c.oid) as dead,
       pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid) as changed,
       pg_stat_get_numscans(c.oid) as seq_scans,
       extract(epoch from greatest(pg_stat_get_last_vacuum_time(c.oid),
                                   pg_stat_get_last_autovacuum_time(c.oid)))::bigint as last_vacuum,
       extract(epoch from greatest(pg_stat_get_last_analyze_time(c.oid),
                                   pg_stat_get_last_autoanalyze_time(c.oid)))::bigint as last_analyze,
       case when c.relfrozenxid <> '0' then age(c.relfrozenxid) end as xid_age
  from (select oid, relname, relnamespace, relpages, relfrozenxid
          from pg_class
         where relkind in ('r', 'm', 't')
         order by relpages desc, oid
         limit 100) c
  join pg_namespace n on n.oid = c.relnamespace
 order by c.relpages desc, c.oid
