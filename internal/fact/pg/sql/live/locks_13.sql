-- Reads who waits for a lock of whom: pg_blocking_pids takes every partition of the lock table for a moment, so it is
-- asked of the fifty that wait longest. Process 0 stands for a prepared transaction. Needs: pg_read_all_stats.
-- Reveal: GRANT pg_monitor TO <role>
select distinct w.pid, b.pid as blocker
  from (select pid from pg_stat_activity where wait_event_type = 'Lock' order by query_start nulls last, pid limit 50) w
 cross join lateral unnest(pg_blocking_pids(w.pid)) as b(pid)
 order by w.pid, b.pid
