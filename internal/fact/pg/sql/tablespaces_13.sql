-- Reads pg_tablespace. Needs: any role.
select oid, spcname, pg_tablespace_location(oid) as location, spcoptions
  from pg_tablespace
 order by oid
