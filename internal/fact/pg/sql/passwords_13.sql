-- Reads of which kind the passwords of the roles that may log in are; never a password or a part of its hash. Needs: superuser.
-- Reveal: connect as a superuser
-- One row a kind and superuser or not: how many roles, and the name of one.
select kind, rolsuper as superuser, count(*) as roles, count(*) filter (where expired) as expired,
       min(rolname::text) as rolname
  from (select rolname, rolsuper, coalesce(rolvaliduntil < clock_timestamp(), false) as expired,
               case when rolpassword is null then 'none'
                    when rolpassword like 'SCRAM-SHA-256$%' then 'scram-sha-256'
                    when rolpassword ~ '^md5[0-9a-f]{32}$' then 'md5'
                    else 'other' end as kind
          from pg_authid
         where rolcanlogin) r
 group by kind, rolsuper
 order by kind, rolsuper
