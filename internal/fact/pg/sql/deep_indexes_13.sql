-- Reads pg_index of this database for what is invalid and not being built now, 100 at most. Needs: any role. Costs a pass over
-- pg_index.
-- Keys are looked up as in deep_duplicates.
-- Of: each database
select n.nspname, t.relname, u.indexrelname, u.relpages
  from (select i.indrelid, c.relname as indexrelname, c.relpages, c.oid
          from pg_index i
          join lateral (select * from pg_class where oid = i.indexrelid offset 0) c on true
         where not i.indisvalid
           and c.relkind = 'i'
           and not exists (select from pg_stat_get_progress_info('CREATE INDEX') p where p.relid = i.indrelid)
         order by c.relpages desc, c.oid
         limit 100) u
  join pg_class t on t.oid = u.indrelid
  join pg_namespace n on n.oid = t.relnamespace
 order by u.relpages desc, u.oid
