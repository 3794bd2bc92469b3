-- Reads the folder pg_wal. Needs: pg_monitor.
-- Reveal: GRANT pg_monitor TO <role>
select count(*) as files, coalesce(sum(size), 0) as size
  from pg_ls_waldir()
