INSERT INTO pgbench_branches (bid, bbalance) SELECT b, 0 FROM generate_series({from}, {to}) b;
INSERT INTO pgbench_tellers (tid, bid, tbalance) SELECT t, (t - 1) / 10 + 1, 0 FROM generate_series(({from} - 1) * 10 + 1, {to} * 10) t;
INSERT INTO pgbench_accounts (aid, bid, abalance, filler) SELECT a, (a - 1) / 100000 + 1, 0, '' FROM generate_series(({from}::bigint - 1) * 100000 + 1, {to}::bigint * 100000) a;
