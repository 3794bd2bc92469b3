-- Reads the sequences of this database that have come half of their way, 100 at most. Needs: any role for those it may use.
-- Reveal: GRANT USAGE ON ALL SEQUENCES IN SCHEMA <schema> TO <role>
-- Costs a block of each sequence. The way ends where the type of the column that owns the sequence ends, if that comes first.
-- Of: each database
select nspname, relname, owner_table, owner_column, last, most
  from (select n.nspname, c.relname, c.oid, t.relname as owner_table, a.attname as owner_column,
               case when has_sequence_privilege(c.oid, 'usage, select') then pg_sequence_last_value(c.oid) end as last,
               least(s.seqmax, case a.atttypid when 'int2'::regtype then 32767
                                               when 'int4'::regtype then 2147483647
                                               else 9223372036854775807 end) as most
          from pg_sequence s
          join pg_class c on c.oid = s.seqrelid
          join pg_namespace n on n.oid = c.relnamespace
          left join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = c.oid and d.refclassid = 'pg_class'::regclass
                               and d.refobjsubid > 0 and d.deptype in ('a', 'i')
          left join pg_attribute a on a.attrelid = d.refobjid and a.attnum = d.refobjsubid
          left join pg_class t on t.oid = d.refobjid
         where c.relpersistence = 'p' and not s.seqcycle and s.seqincrement > 0) q
 where last >= most * 0.5
 order by last / most::numeric desc, oid
 limit 100
