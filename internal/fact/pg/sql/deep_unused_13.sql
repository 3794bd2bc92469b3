-- Reads the indexes of this database from 10 MB on that no query has read, 100 at most. Needs: any role. Costs a pass over
-- pg_index. Read is what was counted since the statistics were reset.
-- What also upholds something is left out: unique ones, those of a constraint, a replica identity or a clustering, those on
-- expressions, which have statistics of their own, and those that are part of a partitioned one.
-- Of: each database
select n.nspname, t.relname, c.relname as indexrelname, c.relpages
  from pg_index i
  join pg_class c on c.oid = i.indexrelid
  join pg_class t on t.oid = i.indrelid
  join pg_namespace n on n.oid = t.relnamespace
 where c.relkind = 'i'
   and c.relpages >= 1280
   and c.relpersistence = 'p'
   and not c.relispartition
   and i.indisvalid
   and not (i.indisunique or i.indisexclusion or i.indisreplident or i.indisclustered)
   and i.indexprs is null
   and n.nspname not in ('pg_catalog', 'pg_toast')
   and pg_stat_get_numscans(c.oid) = 0
   and not exists (select from pg_constraint k where k.conindid = c.oid)
 order by c.relpages desc, c.oid
 limit 100
