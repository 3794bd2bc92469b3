-- Reads pg_database_size: a stat(2) per file of each database. Needs: any role for the databases it may connect to.
-- Reveal: GRANT pg_monitor TO <role>
select d.datname,
       case when has_database_privilege(d.oid, 'connect') or pg_has_role('pg_read_all_stats', 'usage')
            then pg_database_size(d.oid) end as size,
       has_database_privilege(d.oid, 'connect') as may_connect
  from pg_database d
 order by d.oid
