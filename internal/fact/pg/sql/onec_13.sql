-- Reads the signs of 1C:Enterprise that all databases share, and those of this one: counts, never a name. Needs: any role.
-- The platform looks for tablespaces of these two names at each connection; application_name is shown to any role.
select (select count(*) from pg_stat_get_activity(null)
         where application_name ~* '^(1cv8|rphost)') as sessions,
       (select count(*) from pg_tablespace where spcname in ('v81c_data', 'v81c_index')) as tablespaces,
       (select count(*) from pg_get_replication_slots() where plugin = 'dbcopies_decoding') as slots,
       (select count(*) from pg_type where typname in ('mchar', 'mvarchar') and typtype = 'b') as types
