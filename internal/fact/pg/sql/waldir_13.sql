-- Reads the folder pg_wal, and how many segments its archive_status marks as not yet archived. Needs: pg_monitor.
-- Reveal: GRANT pg_monitor TO <role>
select count(*) as files, coalesce(sum(size), 0) as size,
       (select count(*) from pg_ls_archive_statusdir() where name ~ '^[0-9A-F]{24}\.ready$') as ready
  from pg_ls_waldir()
