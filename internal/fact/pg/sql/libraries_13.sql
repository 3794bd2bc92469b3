-- Reads whether the libraries that are to be loaded at start or at log-in are installed. Needs: superuser.
-- Reveal: connect as a superuser
-- Of the running values and of those in the files, which the next start will take. A library is looked for as the server does
-- it with the default dynamic_library_path; with another one installed is not known (null).
select parameter, library, bool_or(in_force) as in_force, bool_or(in_files) as in_files,
       case when current_setting('dynamic_library_path') = '$libdir'
            then coalesce(bool_or(not (pg_stat_file(path || suffix, true)).isdir), false) end as installed
  from (select parameter, library, in_force, in_files,
               case when strpos(library, '/') > 0 then replace(library, '$libdir', libdir) else libdir || '/' || library end as path
          from (select name as parameter, in_force, in_files, trim(both ' "' from l) as library
                  from (select name, setting, true as in_force, false as in_files from pg_show_all_settings()
                         where name in ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries')
                        union all
                        (select distinct on (name) name, setting, false, true from pg_file_settings
                          where name in ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries')
                          order by name, seqno desc)) s
                 cross join unnest(string_to_array(setting, ',')) l) w
          cross join (select setting as libdir from pg_config where name = 'PKGLIBDIR') d
         where library <> '') p
 cross join unnest(array['', '.so', '.dylib', '.dll']) suffix
 group by parameter, library
 order by parameter, library
 limit 200
