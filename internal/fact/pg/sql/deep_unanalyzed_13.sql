-- Reads which tables of this database have 10,000 rows or more and nothing in pg_statistic, 100 at most. Needs: superuser, as
-- pg_statistic holds values of the rows.
-- Reveal: connect as a superuser
-- Costs a pass over pg_class and pg_inherits. A partitioned table has the rows of its partitions.
-- Of: each database
select nspname, relname, relkind = 'p' as partitioned, rows
  from (select n.nspname, c.oid, c.relname, c.relkind,
               case when c.relkind = 'p'
                    then (select sum(greatest(k.reltuples, pg_stat_get_live_tuples(k.oid), 0))
                            from pg_partition_tree(c.oid) p
                            join pg_class k on k.oid = p.relid
                           where p.isleaf and k.relkind = 'r')
                    else greatest(c.reltuples, pg_stat_get_live_tuples(c.oid)) end::bigint as rows
          from pg_class c
          join pg_namespace n on n.oid = c.relnamespace
         where c.relkind in ('r', 'm', 'p')
           and c.relpersistence <> 't'
           and n.nspname not in ('pg_catalog', 'information_schema')
           and not exists (select from pg_statistic s where s.starelid = c.oid)) t
 where rows >= 10000
 order by rows desc, oid
 limit 100
