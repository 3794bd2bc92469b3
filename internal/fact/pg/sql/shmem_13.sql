-- Reads pg_shmem_allocations. Needs: superuser.
-- Reveal: connect as a superuser
select coalesce(name, '<unused>') as name, allocated_size
  from pg_shmem_allocations
 order by allocated_size desc, name
