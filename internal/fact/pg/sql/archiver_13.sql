-- Reads pg_stat_archiver. Needs: any role.
-- Together: statistics
select archived_count, failed_count,
       floor(extract(epoch from last_archived_time))::bigint as last_archived,
       floor(extract(epoch from last_failed_time))::bigint as last_failed
  from pg_stat_archiver
