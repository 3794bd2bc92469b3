-- Reads the catalogs of this database in which tables, temporary ones too, leave rows. Needs: any role. Costs some stat(2).
-- Of: each database
select c.relname, pg_relation_size(c.oid) as size, c.reltuples, pg_stat_get_live_tuples(c.oid) as live, pg_stat_get_dead_tuples(c.oid) as dead,
       pg_stat_get_tuples_inserted(c.oid) as inserted
  from pg_class c
 where c.oid in ('pg_attribute'::regclass, 'pg_class'::regclass, 'pg_depend'::regclass, 'pg_type'::regclass, 'pg_index'::regclass)
 order by c.oid
