-- Reads pg_file_settings: the configuration files as they are now, in the order of reading. Needs: superuser.
-- Reveal: connect as a superuser
-- Values that may hold a secret are not shown; of names with a dot, which an application may have made up, only those of
-- PostgreSQL's own modules are.
select sourcefile, sourceline, seqno, name,
       case when setting = '' then ''
            when name in ('primary_conninfo', 'ssl_passphrase_command', 'archive_command', 'restore_command',
                          'archive_cleanup_command', 'recovery_end_command')
              or name like '%.%' and split_part(name, '.', 1) not in
                 ('auto_explain', 'pg_stat_statements', 'pg_prewarm', 'pg_trgm', 'plpgsql') then '(hidden)'
            else setting end as setting,
       applied, error
  from pg_file_settings
 order by seqno
