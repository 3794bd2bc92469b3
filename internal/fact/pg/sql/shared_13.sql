-- Reads what pg_stat_database has of the shared catalogs, which belong to no database. Needs: any role.
select pg_stat_get_db_checksum_failures(0) as checksum_failures
