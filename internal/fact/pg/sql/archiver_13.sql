-- Reads pg_stat_archiver. Needs: any role.
-- Together: statistics
select archived_count, failed_count,
       extract(epoch from last_archived_time)::bigint as last_archived,
       extract(epoch from last_failed_time)::bigint as last_failed
  from pg_stat_archiver
