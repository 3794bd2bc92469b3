-- Reads the sequences of this database that have come half of their way, 100 at most. Needs: any role for those it may use.
-- Reveal: GRANT USAGE ON ALL SEQUENCES IN SCHEMA <schema> TO <role>
-- Costs a block of each sequence. The way ends where the type of the column that owns the sequence ends, if that comes first.
-- Keys are looked up as in deep_duplicates.
-- Of: each database
select n.nspname, u.relname, t.relname as owner_table, u.owner_column, u.last, u.most
  from (select q.*
          from (select c.relnamespace, c.relname, c.oid, d.refobjid, a.attname as owner_column,
                       case when has_sequence_privilege(c.oid, 'usage, select') then pg_sequence_last_value(c.oid) end as last,
                       least(s.seqmax, case a.atttypid when 'int2'::regtype then 32767
                                                       when 'int4'::regtype then 2147483647
                                                       else 9223372036854775807 end) as most
                  from pg_sequence s
                  join lateral (select * from pg_class where oid = s.seqrelid offset 0) c on true
                  left join lateral (select * from pg_depend where classid = 'pg_class'::regclass and objid = s.seqrelid offset 0) d
                            on d.refclassid = 'pg_class'::regclass and d.refobjsubid > 0 and d.deptype in ('a', 'i')
                  left join lateral (select attname, atttypid from pg_attribute
                                      where attrelid = d.refobjid and attnum = d.refobjsubid offset 0) a on true
                 where c.relpersistence = 'p' and not s.seqcycle and s.seqincrement > 0) q
         where last >= most * 0.5
         order by last / most::numeric desc, oid
         limit 100) u
  join pg_namespace n on n.oid = u.relnamespace
  left join pg_class t on t.oid = u.refobjid
 order by u.last / u.most::numeric desc, u.oid
