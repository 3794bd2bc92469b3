-- Reads what pg_upgrade refuses in this database. Needs: any role. Costs a pass over pg_attribute, pg_inherits, and pg_proc.
-- There are 100 of a kind at most. What the new version must have installed is among them: extensions, libraries of C functions.
-- The kinds are those of pg_upgrade's own checks of 13 and later, and settings of functions, at which it fails without having
-- checked them. A type is found within domains, arrays, ranges, and row types as
-- well; edges leads from a type to those that contain it, without columns of built-in types that are never refused. What is in
-- nested is estimated far too high: with a limit, and where it is no join, it is hashed.
-- Of: each database
with recursive
     version (n) as (select current_setting('server_version_num')::int / 10000),
     bases (oid) as (
       select oid from pg_type
        where typnamespace = 'pg_catalog'::regnamespace
          and typname in ('regcollation', 'regconfig', 'regdictionary', 'regnamespace', 'regoper', 'regoperator', 'regproc',
                          'regprocedure', 'aclitem')
       union all
       select t.oid from pg_type t
        where t.typtype = 'c' and (t.oid < 16384 or t.typnamespace = (select oid from pg_namespace where nspname = 'information_schema'))),
     edges (inside, outside) as (
       select typbasetype, oid from pg_type where typtype = 'd'
       union all
       select typelem, oid from pg_type where typtype = 'b' and typelem <> 0
       union all
       select rngsubtype, rngtypid from pg_range
       union all
       select a.atttypid, c.reltype
         from pg_attribute a
         join pg_class c on c.oid = a.attrelid
        where c.reltype <> 0 and c.oid >= 16384 and a.attnum > 0 and not a.attisdropped
          and (a.atttypid >= 16384 or a.atttypid in (select oid from bases)
               or a.atttypid in (select t.typarray from pg_type t join bases b on b.oid = t.oid where t.typarray <> 0))),
     nested (oid, base) as (
       select oid, oid from bases
       union
       select e.outside, x.base from nested x join edges e on e.inside = x.oid),
     arrays (oid) as (
       select to_regprocedure(f)::oid
         from unnest(array['array_append(anyarray,anyelement)', 'array_cat(anyarray,anyarray)', 'array_prepend(anyelement,anyarray)',
                           'array_remove(anyarray,anyelement)', 'array_replace(anyarray,anyelement,anyelement)',
                           'array_position(anyarray,anyelement)', 'array_position(anyarray,anyelement,integer)',
                           'array_positions(anyarray,anyelement)', 'width_bucket(anyelement,anyarray)']) f
        where (select n from version) < 14)
(select 'type' as kind, n.nspname::text, c.relname::text, a.attname::text as owner_column, null::text as extname, null::text as library,
        (select min(x.base::regtype::text) from nested x where x.oid = a.atttypid) as detail
   from (select * from pg_attribute where not attisdropped and (atttypid in (select oid from nested limit 10000)) is true offset 0) a
   join lateral (select * from pg_class where oid = a.attrelid offset 0) c on c.relkind in ('r', 'm', 'i')
   join lateral (select * from pg_namespace where oid = c.relnamespace offset 0) n on true
  where n.nspname !~ '^pg_(toast_)?temp_' and n.nspname not in ('pg_catalog', 'information_schema')
  order by n.nspname, c.relname, a.attname
  limit 100)
 union all
(select 'gist', n.nspname, c.relname, null, null, null, min(o.opcname::text)
   from pg_opclass o
   join pg_index i on o.oid = any (i.indclass)
   join pg_class c on c.oid = i.indexrelid
   join pg_namespace n on n.oid = c.relnamespace
  where o.opcmethod = 783 and o.opcname in ('gist_inet_ops', 'gist_cidr_ops') and o.opcdefault
  group by n.nspname, c.relname
  order by n.nspname, c.relname
  limit 100)
 union all
(select distinct 'notnull', n.nspname, c.relname, a.attname, null, null, null
   from pg_inherits i
   join pg_attribute p on p.attrelid = i.inhparent and p.attnum > 0 and p.attnotnull and not p.attisdropped
   join pg_attribute a on a.attrelid = i.inhrelid and a.attname = p.attname and not a.attnotnull
   join pg_class c on c.oid = i.inhrelid
   join pg_namespace n on n.oid = c.relnamespace
  order by n.nspname, c.relname, a.attname
  limit 100)
 union all
(select 'postfix', n.nspname, o.oprname, null, null, null, o.oprleft::regtype::text
   from pg_operator o
   join pg_namespace n on n.oid = o.oprnamespace
  where o.oprright = 0 and o.oid >= 16384 and (select n from version) < 14
  order by n.nspname, o.oprname
  limit 100)
 union all
(select 'conversion', n.nspname, c.conname, null, null, null, null
   from pg_conversion c
   join pg_namespace n on n.oid = c.connamespace
  where c.oid >= 16384 and (select n from version) < 14
  order by n.nspname, c.conname
  limit 100)
 union all
(select distinct 'polymorphic', n.nspname, p.proname, null, null, null, 'aggregate'
   from pg_aggregate a
   join pg_proc p on p.oid = a.aggfnoid
   join pg_namespace n on n.oid = p.pronamespace
  where p.oid >= 16384 and a.aggtranstype in ('anyarray'::regtype, 'anyelement'::regtype)
    and (a.aggtransfn in (select oid from arrays) or a.aggfinalfn in (select oid from arrays))
  order by n.nspname, p.proname
  limit 100)
 union all
(select 'polymorphic', n.nspname, o.oprname, null, null, null, 'operator'
   from pg_operator o
   join pg_namespace n on n.oid = o.oprnamespace
  where o.oid >= 16384 and o.oprcode in (select oid from arrays) and o.oprleft in ('anyarray'::regtype, 'anyelement'::regtype)
  order by n.nspname, o.oprname
  limit 100)
 union all
(select 'subscription', n.nspname, c.relname, null, null, null, r.srsubstate::text
   from pg_subscription_rel r
   join pg_class c on c.oid = r.srrelid
   join pg_namespace n on n.oid = c.relnamespace
  where r.srsubstate not in ('i', 'r')
  order by n.nspname, c.relname
  limit 100)
 union all
(select 'extension', null, null, null, extname, null, extversion
   from pg_extension where extname <> 'plpgsql' order by extname limit 200)
 union all
(select 'function', n.nspname, p.proname, '(' || oidvectortypes(p.proargtypes) || ')', null, null, s
   from pg_proc p
   join pg_namespace n on n.oid = p.pronamespace
  cross join unnest(p.proconfig) s
  where p.oid >= 16384 and p.proconfig is not null and split_part(s, '=', 1) !~ '[.]|^search_path$'
  order by n.nspname, p.proname, 4, s
  limit 100)
 union all
(select distinct 'library', null, null, null, null, probin, null
   from pg_proc where prolang = 13 and probin is not null and oid >= 16384 order by probin limit 200)
