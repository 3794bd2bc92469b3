-- Reads pg_settings. Needs: any role; some values are shown only to members of pg_read_all_settings.
-- Reveal: GRANT pg_monitor TO <role>
-- The function stands for its view, as in all these queries: a fresh backend plans it in half the time.
-- What this session has set for itself is undone (reset_val), what the client asked for at its start is left out, as the
-- instance's own value is not seen then. What may hold a secret is not shown: «(disabled)» is the server's own word.
select name,
       case when v in ('', '(disabled)') then v
            when name in ('primary_conninfo', 'ssl_passphrase_command', 'archive_command', 'restore_command',
                          'archive_cleanup_command', 'recovery_end_command')
              or strpos(name, '.') > 0 and name ~* 'pass|secret|key|token|credential|salt' then '(hidden)'
            else v end as setting,
       unit, vartype, context, source, min_val, max_val, enumvals, boot_val, sourcefile, sourceline, pending_restart
  from (select *, case when source = 'session' then reset_val else setting end as v from pg_show_all_settings()) s
 where source <> 'client'
