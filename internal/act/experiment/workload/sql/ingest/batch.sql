\set first random(1, 1000000000)
-- A thousand rows in one statement: what a loader sends with COPY, which pgbench cannot.
INSERT INTO event (device, at, kind, value, note) SELECT pick(g, 1, :scale::bigint * 1000), clock_timestamp(), pick(g, 2, 50), pick(g, 3, 100000) / 100.0, repeat(to_hex(hashint8extended(g, 4)), 4) FROM generate_series(:first::bigint, :first::bigint + 999) g;
