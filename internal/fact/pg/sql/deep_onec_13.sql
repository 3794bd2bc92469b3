-- Reads whether this database is an infobase of 1C:Enterprise: counts of its tables and types, never a name. Needs: any role.
-- Costs a pass over pg_class. The fixed tables exist in each infobase; the others are one for each object of the application. No
-- string has a backslash, which a server for 1C takes for an escape.
-- Of: each database
select count(*) filter (where not relname ~ '^_') as fixed,
       count(*) filter (where relname ~ '^_(reference|document|inforg|accumrg|enum)[0-9]+$') as objects,
       (select count(*) from pg_type where typname in ('mchar', 'mvarchar') and typtype = 'b') as types
  from pg_class
 where relkind in ('r', 'p') and relpersistence = 'p'
   and relname ~ '^(_.*|config|configsave|params|files|dbschema|ibversion|v8users)$'
