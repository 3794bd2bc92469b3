-- Reads which tables of this database have 10,000 rows or more and nothing in pg_statistic, 100 at most. Needs: superuser, as
-- pg_statistic holds values of the rows.
-- Reveal: connect as a superuser
-- Costs a pass over pg_class and pg_inherits. A partitioned table has the rows of its partitions.
-- Keys are looked up as in deep_duplicates.
-- Of: each database
with recursive below (top, relid) as (
       select partrelid, partrelid from pg_partitioned_table
       union all
       select b.top, h.inhrelid from below b join lateral (select inhrelid from pg_inherits where inhparent = b.relid offset 0) h on true),
     sizes (relid, rows) as (
       select k.oid, greatest(k.reltuples, pg_stat_get_live_tuples(k.oid))::bigint
         from pg_class k
        where k.relkind in ('r', 'm')
       union all
       select b.top, sum(greatest(k.reltuples, pg_stat_get_live_tuples(b.relid), 0))::bigint
         from below b
         join lateral (select reltuples, relkind from pg_class where oid = b.relid offset 0) k on k.relkind = 'r'
        group by b.top)
select n.nspname, c.relname, c.relkind = 'p' as partitioned, z.rows
  from sizes z
  join lateral (select * from pg_class where oid = z.relid offset 0) c on true
  join lateral (select * from pg_namespace where oid = c.relnamespace offset 0) n on true
 where z.rows >= 10000
   and c.relpersistence <> 't'
   and n.nspname not in ('pg_catalog', 'information_schema')
   and (select true from pg_statistic s where s.starelid = z.relid limit 1) is null
 order by z.rows desc, c.oid
 limit 100
