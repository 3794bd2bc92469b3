-- Reads pg_index of this database for what is invalid and not being built now, 100 at most. Needs: any role. Costs a pass over
-- pg_index.
-- Of: each database
select n.nspname, t.relname, c.relname as indexrelname, c.relpages
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  join pg_namespace n on n.oid = t.relnamespace
 where not i.indisvalid
   and c.relkind = 'i'
   and not exists (select from pg_stat_get_progress_info('CREATE INDEX') p where p.relid = t.oid)
 order by c.relpages desc, c.oid
 limit 100
