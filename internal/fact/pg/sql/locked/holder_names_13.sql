-- Reads the names for the numbers of holders_13.sql; it fails where pg_authid or pg_database is what is locked. Needs: any role.
select distinct l.pid, pg_get_userbyid(a.usesysid) as rolname, (select datname from pg_database d where d.oid = a.datid) as datname
  from pg_lock_status() l
  join pg_stat_get_activity(null) a on a.pid = l.pid
 where l.granted
   and l.locktype = 'relation'
   and l.mode = 'AccessExclusiveLock'
   and l.relation < 16384
   and l.pid <> pg_backend_pid()
