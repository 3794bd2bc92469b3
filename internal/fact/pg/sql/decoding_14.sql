-- Reads pg_stat_replication_slots. Needs: any role.
-- Together: statistics
select slot_name, spill_txns, spill_count, spill_bytes, total_bytes, floor(extract(epoch from stats_reset))::bigint as stats_reset
  from pg_stat_replication_slots
 order by slot_name
