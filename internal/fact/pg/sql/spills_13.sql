-- Reads pg_stat_statements where the extension is in this database, without the texts of the statements. Needs: any role.
-- No query may name a function that is not there, so the text of one is made where it is.
select substring(x from '<statements>([0-9]+)<')::bigint as statements,
       substring(x from '<spilling>([0-9]+)<')::bigint as spilling,
       substring(x from '<calls>([0-9]+)<')::bigint as calls,
       substring(x from '<written>([0-9]+)<')::bigint as written,
       substring(x from '<most>([0-9]+)<')::bigint as most
  from (select query_to_xml(format(
                 'select count(*) as statements, count(*) filter (where temp_blks_written > 0) as spilling,
                         coalesce(sum(calls) filter (where temp_blks_written > 0), 0) as calls,
                         coalesce(sum(temp_blks_written), 0) as written,
                         coalesce(percentile_disc(0.9) within group (order by temp_blks_written / greatest(calls, 1))
                                  filter (where temp_blks_written > 0), 0) as most
                    from %I.pg_stat_statements(false)', n.nspname),
               false, true, '')::text as x
          from pg_proc p
          join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
          join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
          join pg_namespace n on n.oid = p.pronamespace
         where e.extname = 'pg_stat_statements' and p.proname = 'pg_stat_statements'
           and exists (select from pg_settings where name = 'pg_stat_statements.max')) q
