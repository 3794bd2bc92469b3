-- Reads pg_db_role_setting: what ALTER ROLE and ALTER DATABASE override. Needs: any role.
-- Values that may hold a secret are not shown; of names with a dot, which an application may have made up, only those of
-- PostgreSQL's own modules are.
select datname, rolname, name,
       case when setting = '' then ''
            when name in ('primary_conninfo', 'ssl_passphrase_command', 'archive_command', 'restore_command',
                          'archive_cleanup_command', 'recovery_end_command')
              or name like '%.%' and split_part(name, '.', 1) not in
                 ('auto_explain', 'pg_stat_statements', 'pg_prewarm', 'pg_trgm', 'plpgsql') then '(hidden)'
            else setting end as setting
  from (select d.datname, r.rolname, split_part(c, '=', 1) as name, substr(c, strpos(c, '=') + 1) as setting
          from pg_db_role_setting s
          cross join unnest(s.setconfig) c
          left join pg_database d on d.oid = s.setdatabase
          left join pg_roles r on r.oid = s.setrole) o
 order by datname, rolname, name
