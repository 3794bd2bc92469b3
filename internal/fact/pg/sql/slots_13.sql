-- Reads pg_replication_slots. Needs: any role.
select slot_name, slot_type, active, temporary, wal_status,
       (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end) - restart_lsn as retained,
       greatest(age(xmin), age(catalog_xmin)) as xmin_age
  from pg_get_replication_slots()
 order by slot_name
