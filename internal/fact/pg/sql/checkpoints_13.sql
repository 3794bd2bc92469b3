-- Reads pg_stat_bgwriter. Needs: any role.
-- Together: statistics
select checkpoints_timed as timed, checkpoints_req as requested,
       checkpoint_write_time as write_time, checkpoint_sync_time as sync_time,
       buffers_checkpoint as buffers_written, buffers_clean, maxwritten_clean as max_written,
       buffers_backend, buffers_backend_fsync as backend_fsync, buffers_alloc,
       floor(extract(epoch from stats_reset))::bigint as stats_reset,
       extract(epoch from clock_timestamp() - stats_reset) as secs
  from pg_stat_bgwriter
