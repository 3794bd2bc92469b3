-- Reads pg_tablespace_size: a stat(2) per file of each tablespace. Needs: any role for the tablespaces it may create in.
-- Reveal: GRANT pg_monitor TO <role>
select t.oid, t.spcname,
       case when has_tablespace_privilege(t.oid, 'create') or pg_has_role('pg_read_all_stats', 'usage')
            then pg_tablespace_size(t.oid) end as size
  from pg_tablespace t
 order by t.oid
