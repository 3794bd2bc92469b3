-- Reads which functions of products made from PostgreSQL are built in: version() of some is that of PostgreSQL. Needs: any role.
-- Only those of pg_catalog count, where no role without the rights of a superuser can make one.
select coalesce(bool_or(proname = 'pgpro_version'), false) as postgres_pro,
       coalesce(bool_or(proname = 'tantor_version'), false) as tantor,
       coalesce(bool_or(proname in ('product_version', 'sber_version')), false) as pangolin
  from pg_proc
 where proname in ('pgpro_version', 'tantor_version', 'product_version', 'sber_version')
   and pronamespace = 'pg_catalog'::regnamespace
