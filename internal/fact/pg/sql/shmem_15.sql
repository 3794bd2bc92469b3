-- Reads pg_shmem_allocations. Needs: pg_read_all_stats.
-- Reveal: GRANT pg_monitor TO <role>
select coalesce(name, '<unused>') as name, allocated_size
  from pg_shmem_allocations
 order by allocated_size desc, name
