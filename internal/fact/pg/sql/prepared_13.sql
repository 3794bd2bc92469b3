-- Reads pg_prepared_xacts without the identifiers. Needs: any role.
select (select datname from pg_database where oid = dbid) as database, extract(epoch from clock_timestamp() - prepared) as age, age(transaction) as xid_age
  from pg_prepared_xact()
 order by prepared
