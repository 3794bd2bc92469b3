-- Reads the btree indexes of this database that are the same as another one, 100 at most. Needs: any role. Costs a pass over
-- pg_index. The same are columns, order, collation, operator class, expressions and condition.
-- Of those that are the same the one that has the most to uphold is kept: the primary key, that of a constraint, a unique
-- one, the oldest. Another unique one is no duplicate if it takes NULLs for the same (15+) and the kept one does not, or has a
-- constraint of its own.
-- Of: each database
select nspname, relname, indexrelname, kept, relpages
  from (select n.nspname, t.relname, c.relname as indexrelname, c.relpages, k.oid as constrained, i.indisunique, c.oid,
               first_value(c.relname) over same as kept, first_value(i.indisunique) over same as kept_unique, row_number() over same as place
          from (select *, coalesce(to_jsonb(x) ->> 'indnullsnotdistinct', 'false') as nulls_same from pg_index x where indislive) i
          join pg_class c on c.oid = i.indexrelid
          join pg_am m on m.oid = c.relam and m.amname = 'btree'
          join pg_class t on t.oid = i.indrelid
          join pg_namespace n on n.oid = t.relnamespace and n.nspname not in ('pg_catalog', 'pg_toast')
          left join lateral (select oid from pg_constraint where conindid = c.oid and contype in ('p', 'u', 'x') limit 1) k on true
         where c.relkind = 'i' and i.indisvalid and not c.relispartition and c.relpersistence <> 't'
        window same as (partition by i.indrelid, i.indkey::text, i.indclass::text, i.indcollation::text, i.indoption::text, i.indnkeyatts, i.nulls_same,
                                     pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid)
                        order by i.indisprimary desc, k.oid is not null desc, i.indisreplident desc, i.indisunique desc, c.oid)) d
 where place > 1
   and constrained is null
   and (kept_unique or not indisunique)
 order by relpages desc, oid
 limit 100
