-- Reads the 100 largest tables of this database by relpages. Needs: any role. Costs a pass over pg_class.
-- A table that was never vacuumed nor analyzed has no relpages: it is taken at 100 rows a page.
-- Of the options of a table only those of autovacuum are shown. The scores are those by which autovacuum itself chooses: it
-- begins with the highest score, and vacuum_score is dead rows / threshold × autovacuum_vacuum_score_weight.
-- Of: each database
select n.nspname, c.relname, c.relpages, c.reltuples,
       pg_stat_get_live_tuples(c.oid) as live, pg_stat_get_dead_tuples(c.oid) as dead,
       pg_stat_get_tuples_updated(c.oid) + pg_stat_get_tuples_deleted(c.oid) as changed,
       pg_stat_get_numscans(c.oid) as seq_scans, pg_stat_get_tuples_returned(c.oid) as seq_rows,
       floor(extract(epoch from greatest(pg_stat_get_last_vacuum_time(c.oid),
                                         pg_stat_get_last_autovacuum_time(c.oid))))::bigint as last_vacuum,
       floor(extract(epoch from greatest(pg_stat_get_last_analyze_time(c.oid),
                                         pg_stat_get_last_autoanalyze_time(c.oid))))::bigint as last_analyze,
       case when c.relfrozenxid <> '0' then age(c.relfrozenxid) end as xid_age,
       (select split_part(o, '=', 2) from unnest(c.reloptions) o where o like 'autovacuum_enabled=%')::bool as av_enabled,
       (select split_part(o, '=', 2) from unnest(c.reloptions) o where o like 'autovacuum_vacuum_threshold=%') as av_threshold,
       (select split_part(o, '=', 2) from unnest(c.reloptions) o where o like 'autovacuum_vacuum_scale_factor=%') as av_scale,
       exists (select from pg_stat_get_progress_info('VACUUM') p where p.relid = c.oid) as vacuuming,
       s.score, s.vacuum_score
  from (select oid, relname, relnamespace, relpages, reltuples, relfrozenxid, reloptions
          from pg_class
         where relkind in ('r', 'm', 't')
           and relpersistence <> 't'
         order by greatest(relpages, (pg_stat_get_live_tuples(oid) + pg_stat_get_dead_tuples(oid)) / 100) desc, oid
         limit 100) c
  join pg_namespace n on n.oid = c.relnamespace
  left join pg_stat_get_autovacuum_scores() s on s.oid = c.oid
 order by c.relpages desc, c.oid
