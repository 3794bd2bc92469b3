-- Reads pg_extension of this database, and the control files for the newest versions of what is not built in. Needs: any role.
-- The control files, 50 of them, are read once, and not at all where there is plpgsql alone.
select e.extname, e.extversion,
       case when e.extname <> 'plpgsql'
            then (select jsonb_object_agg(name, default_version) from pg_available_extensions()) ->> e.extname end as default_version
  from pg_extension e
 order by e.extname
