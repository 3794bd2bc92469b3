-- Reads pg_stat_io, the rows with any activity. Needs: any role.
select backend_type, object, context, reads, writes, extends, fsyncs, evictions, read_time, write_time, fsync_time,
       extract(epoch from clock_timestamp() - stats_reset) as secs
  from pg_stat_io
 where coalesce(reads, 0) + coalesce(writes, 0) + coalesce(extends, 0) + coalesce(fsyncs, 0) + coalesce(evictions, 0) > 0
