-- The four tables of pgbench -i, which its built-in scripts need. aid is always
-- a bigint: pgbench itself takes one from scale 20,000 on.
CREATE TABLE pgbench_history (tid int, bid int, aid bigint, delta int, mtime timestamp, filler char(22));
CREATE TABLE pgbench_tellers (tid int NOT NULL, bid int, tbalance int, filler char(84)) WITH (fillfactor = 100);
CREATE TABLE pgbench_accounts (aid bigint NOT NULL, bid int, abalance int, filler char(84)) WITH (fillfactor = 100);
CREATE TABLE pgbench_branches (bid int NOT NULL, bbalance int, filler char(88)) WITH (fillfactor = 100);
