-- Reads pg_replication_slots, since 17 with how long a slot has been without a consumer. Needs: any role.
select slot_name, slot_type, active, temporary, wal_status,
       (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end) - restart_lsn as retained,
       greatest(age(xmin), age(catalog_xmin)) as xmin_age,
       floor(extract(epoch from clock_timestamp() - inactive_since))::bigint as idle_secs
  from pg_get_replication_slots()
 order by slot_name
