-- Reads the settings of the primary that the control file keeps, for which there is no function. Needs: superuser.
-- Reveal: connect as a superuser
-- ControlFileData of src/include/catalog/pg_control.h has them 180 bytes in from 13 to 18, and 188 in 19 (1905: checkpoints also
-- note whether logical decoding is on), on every 64-bit platform. Only where its version number, 8 bytes in, is one of them in
-- little-endian order; else there is no row.
select v[1] as max_connections, v[2] as max_worker_processes, v[3] as max_wal_senders, v[4] as max_prepared_transactions,
       v[5] as max_locks_per_transaction
  from (select array(select get_byte(b, p) + get_byte(b, p + 1) * 256 + get_byte(b, p + 2) * 65536 + (get_byte(b, p + 3) & 127) * 16777216
                       from generate_series(first, first + 16, 4) p) as v
          from (select b, case get_byte(b, 8) + get_byte(b, 9) * 256 when 1300 then 180 when 1700 then 180 when 1800 then 180
                                                                       when 1905 then 188 end as first
                  from pg_read_binary_file('global/pg_control', 0, 512) b) f
         where first is not null) c
