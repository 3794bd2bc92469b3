-- Reads the control file and whether the server is in recovery. Needs: any role.
select s.system_identifier, floor(extract(epoch from c.checkpoint_time))::bigint as checkpoint_at,
       i.data_page_checksum_version <> 0 as checksums, i.bytes_per_wal_segment as wal_segment,
       i.database_block_size as block_size, pg_is_in_recovery() as in_recovery
  from pg_control_system() s, pg_control_checkpoint() c, pg_control_init() i
