-- Reads the indexes of this database from 10 MB on that no query has read, 100 at most. Needs: any role. Costs a pass over
-- pg_index. Read is what was counted since the statistics were reset.
-- What also upholds something is left out: unique ones and exclusion constraints (no other constraint has an index), a replica
-- identity or a clustering, those on expressions, which have statistics of their own, and those that are part of a partitioned one.
-- Keys are looked up as in deep_duplicates.
-- Of: each database
select n.nspname, t.relname, u.indexrelname, u.relpages
  from (select i.indrelid, c.relname as indexrelname, c.relpages, c.oid
          from pg_class c
          join lateral (select * from pg_index where indexrelid = c.oid offset 0) i on true
         where c.relkind = 'i'
           and c.relpages >= 1280
           and c.relpersistence = 'p'
           and not c.relispartition
           and c.relnamespace not in ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
           and i.indisvalid
           and not (i.indisunique or i.indisexclusion or i.indisreplident or i.indisclustered)
           and i.indexprs is null
           and pg_stat_get_numscans(c.oid) = 0
         order by c.relpages desc, c.oid
         limit 100) u
  join pg_class t on t.oid = u.indrelid
  join pg_namespace n on n.oid = t.relnamespace
 order by u.relpages desc, u.oid
