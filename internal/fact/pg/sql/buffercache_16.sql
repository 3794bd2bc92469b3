-- Reads pg_buffercache_summary() where the extension is in this database (1.4+). Needs: pg_monitor. It takes no lock, unlike the
-- view of the extension, which is never read.
-- Reveal: GRANT pg_monitor TO <role>
-- No query may name a function that is not there, so the text of one is made where it is.
select substring(x from '<used>([0-9]+)<')::bigint as used,
       substring(x from '<unused>([0-9]+)<')::bigint as unused,
       substring(x from '<dirty>([0-9]+)<')::bigint as dirty,
       substring(x from '<usage>([0-9.e+-]+)<')::float8 as usage,
       extract(epoch from clock_timestamp() - pg_postmaster_start_time()) as secs
  from (select query_to_xml(format('select buffers_used as used, buffers_unused as unused, buffers_dirty as dirty,
                                           usagecount_avg as usage from %I.pg_buffercache_summary()', n.nspname),
                            false, true, '')::text as x
          from pg_proc p
          join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e'
          join pg_extension e on d.refclassid = 'pg_extension'::regclass and d.refobjid = e.oid
          join pg_namespace n on n.oid = p.pronamespace
         where e.extname = 'pg_buffercache' and p.proname = 'pg_buffercache_summary') q
