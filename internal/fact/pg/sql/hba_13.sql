-- Reads pg_hba_file_rules: the lines of pg_hba.conf as they are now, in their order. Needs: superuser.
-- Reveal: connect as a superuser
-- Of an address only how far it reaches is told, of the lists of names only what they let in, of the options, which may hold
-- passwords, only the word of clientcert, which the view has not: 14 takes fewer words than 13. The first 1000 lines: longer files are made by programs, and their last lines are like the others.
with file as materialized (
       select regexp_split_to_array(encode(pg_read_binary_file(current_setting('hba_file')), 'escape'), chr(10)) as lines)
select line_number as line, type, auth_method as method,
       case when error is not null then ''
            when type = 'local' then 'socket'
            when address = 'samehost' or address like '127.%' or address = '::1' then 'loopback'
            when address = 'all' or netmask in ('0.0.0.0', '::') then 'anywhere'
            else 'network' end as reach,
       coalesce('replication' = any (database), false) as replication,
       coalesce('all' = any (user_name), false) as all_users,
       coalesce('all' = any (user_name) or exists
         (select from pg_roles r where r.rolsuper and r.rolcanlogin and r.rolname = any (user_name)), false) as superusers,
       error is not null as broken, error,
       case when current_setting('server_version_num')::int < 140000
            then substring((select lines[line_number] from file) from '^[^#]*clientcert *= *"?([a-z0-9-]+)') end as clientcert
  from pg_hba_file_rules
 order by line_number
 limit 1000
