-- Reads the btree indexes of this database that are the same as another one, 100 at most. Needs: any role. Costs a pass over
-- pg_index. The same are columns, order, collation, operator class, expressions and condition.
-- Of those that are the same the one that has the most to uphold is kept: the primary key, that of a constraint, a unique
-- one, the oldest. Another unique one is no duplicate if it takes NULLs for the same (15+) and the kept one does not, or has a
-- constraint of its own.
-- Only those of one table with the same columns are looked at more closely. Whose constraint an index upholds is asked of pg_depend, as the
-- server itself does: no index of pg_constraint is on conindid.
-- Catalogs often have no statistics, or old ones: a join that the planner takes for one row becomes a square of the tables. Each row is
-- therefore looked up by its key, in a subquery that OFFSET 0 keeps apart.
-- Of: each database
select n.nspname, t.relname, d.indexrelname, d.kept, d.relpages
  from (select s.*
          from (select i.indrelid, c.relname as indexrelname, c.relpages, i.constrained, i.indisunique, c.oid,
                       first_value(c.relname) over same as kept, first_value(i.indisunique) over same as kept_unique, row_number() over same as place
                  from (select x.*, x.indisunique and coalesce(to_jsonb(x) ->> 'indnullsnotdistinct', 'false')::bool as nulls_same,
                               exists (select from (select * from pg_depend where classid = 'pg_class'::regclass and objid = x.indexrelid offset 0) d
                                        where d.objsubid = 0 and d.refclassid = 'pg_constraint'::regclass and d.deptype = 'i') as constrained
                          from (select *, count(*) over (partition by indrelid, indkey::text) as alike
                                  from pg_index
                                 where indislive and indisvalid) x
                         where alike > 1) i
                  join lateral (select oid, relname, relnamespace, relpages, relkind, relam, relispartition, relpersistence
                                  from pg_class where oid = i.indexrelid offset 0) c on true
                 where c.relam = (select oid from pg_am where amname = 'btree')
                   and c.relnamespace not in ('pg_catalog'::regnamespace, 'pg_toast'::regnamespace)
                   and c.relkind = 'i' and not c.relispartition and c.relpersistence <> 't'
                window same as (partition by i.indrelid, i.indkey::text, i.indclass::text, i.indcollation::text, i.indoption::text, i.indnkeyatts,
                                             i.nulls_same, pg_get_expr(i.indexprs, i.indrelid), pg_get_expr(i.indpred, i.indrelid)
                                order by i.indisprimary desc, i.constrained desc, i.indisreplident desc, i.indisunique desc, c.oid)) s
         where place > 1
           and not constrained
           and (kept_unique or not indisunique)
         order by relpages desc, oid
         limit 100) d
  join pg_class t on t.oid = d.indrelid
  join pg_namespace n on n.oid = t.relnamespace
 order by d.relpages desc, d.oid
