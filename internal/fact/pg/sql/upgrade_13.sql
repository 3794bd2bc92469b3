-- Reads what an upgrade to a later major version meets in the shared catalogs. Needs: any role.
-- These are names with line feeds, encodings, locale providers, logical slots, subscriptions, the name of the first superuser, and
-- what template0 was made with. No string has a backslash, which not every server takes for an ordinary character.
(select 'name' as kind, datname::text, null::text as rolname, null::text as spcname, null::text as slot_name, null::text as detail,
        1::bigint as n
   from pg_database where datname ~ ('[' || chr(10) || chr(13) || ']') order by datname limit 20)
 union all
(select 'name', null, rolname::text, null, null, null, 1 from pg_roles where rolname ~ ('[' || chr(10) || chr(13) || ']') order by rolname limit 20)
 union all
(select 'name', null, null, spcname::text, null, null, 1 from pg_tablespace where spcname ~ ('[' || chr(10) || chr(13) || ']') order by spcname limit 20)
 union all
(select 'encoding', min(datname::text), null, null, null, pg_encoding_to_char(encoding)::text, count(*)
   from pg_database group by encoding order by count(*) desc, 6 limit 50)
 union all
(select 'provider', min(datname::text), null, null, null, coalesce(to_jsonb(d) ->> 'datlocprovider', 'c'), count(*)
   from pg_database d group by 6 order by count(*) desc, 6)
 union all
(select 'slot', database::text, null, null, slot_name::text, plugin::text, 1
   from pg_replication_slots where slot_type = 'logical' and not temporary order by slot_name limit 200)
 union all
select 'subscriptions', null, null, null, null, null, count(*) from pg_subscription
 union all
select 'superuser', null, rolname::text, null, null, null, 1 from pg_roles where oid = 10
 union all
select 'template', null, null, null, null, word || '=' || value, 1
  from pg_database d,
       lateral (values ('encoding', pg_encoding_to_char(d.encoding)::text), ('collate', d.datcollate::text),
                       ('ctype', d.datctype::text)) v (word, value)
 where d.datname = 'template0'
