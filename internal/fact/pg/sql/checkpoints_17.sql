-- Reads pg_stat_checkpointer and pg_stat_bgwriter. Needs: any role. Restartpoints of a standby count as checkpoints, as
-- they did before 17.
select c.num_timed + c.restartpoints_timed as timed, c.num_requested + c.restartpoints_req as requested,
       c.write_time, c.sync_time, c.buffers_written, b.buffers_clean, b.maxwritten_clean as max_written, b.buffers_alloc,
       floor(extract(epoch from c.stats_reset))::bigint as stats_reset,
       extract(epoch from clock_timestamp() - c.stats_reset) as secs
  from pg_stat_checkpointer c, pg_stat_bgwriter b
