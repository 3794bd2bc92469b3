-- Reads pg_stat_wal and the position in the WAL. Needs: any role.
-- Together: statistics
select wal_records, wal_fpi, wal_bytes, wal_buffers_full,
       floor(extract(epoch from stats_reset))::bigint as stats_reset,
       extract(epoch from clock_timestamp() - stats_reset) as secs,
       case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() - '0/0'::pg_lsn end as insert_lsn
  from pg_stat_wal
