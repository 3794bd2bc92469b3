-- Reads pg_database and pg_stat_database. Needs: any role. Sizes are not asked for: they cost a stat(2) per file.
-- Together: statistics
select d.datname, d.datistemplate, d.datallowconn, d.datconnlimit, age(d.datfrozenxid) as xid_age,
       mxid_age(d.datminmxid) as mxid_age, pg_stat_get_db_numbackends(d.oid) as numbackends,
       pg_stat_get_db_xact_commit(d.oid) as xact_commit, pg_stat_get_db_xact_rollback(d.oid) as xact_rollback,
       pg_stat_get_db_blocks_fetched(d.oid) - pg_stat_get_db_blocks_hit(d.oid) as blks_read,
       pg_stat_get_db_blocks_hit(d.oid) as blks_hit, pg_stat_get_db_temp_files(d.oid) as temp_files,
       pg_stat_get_db_temp_bytes(d.oid) as temp_bytes,
       pg_stat_get_db_tuples_updated(d.oid) as tup_updated, pg_stat_get_db_tuples_deleted(d.oid) as tup_deleted, pg_stat_get_db_deadlocks(d.oid) as deadlocks,
       pg_stat_get_db_conflict_all(d.oid) as conflicts,
       pg_stat_get_db_checksum_failures(d.oid) as checksum_failures,
       floor(extract(epoch from pg_stat_get_db_stat_reset_time(d.oid)))::bigint as stats_reset
  from pg_database d
 order by d.oid
