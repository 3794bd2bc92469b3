\set n 25000 * :scale
\set third :n / 3
\set p1 random(1, :n)
\set p2 random(1, :n)
\set p3 random(1, :n)
\set p4 random(1, :n)
\set p5 random(1, :n)
\set p6 random(1, :n)
\set p7 random(1, :n)
\set p8 random(1, :n)
\set p9 random(1, :n)
\set p10 random(1, :n)
\set r1 random(1, :n - 99)
\set r2 random(1, :n - 99)
\set r3 random(1, :n - 99)
\set r4 random(1, :n - 99)
-- Each transaction writes three rows of three parts of the table, in their order:
-- two transactions never wait for one another in a circle.
\set u1 random(1, :third)
\set u2 random(:third + 1, 2 * :third)
\set u3 random(2 * :third + 1, :n)
\set k random(1, :n)
BEGIN;
SELECT c FROM {table} WHERE id = :p1;
SELECT c FROM {table} WHERE id = :p2;
SELECT c FROM {table} WHERE id = :p3;
SELECT c FROM {table} WHERE id = :p4;
SELECT c FROM {table} WHERE id = :p5;
SELECT c FROM {table} WHERE id = :p6;
SELECT c FROM {table} WHERE id = :p7;
SELECT c FROM {table} WHERE id = :p8;
SELECT c FROM {table} WHERE id = :p9;
SELECT c FROM {table} WHERE id = :p10;
SELECT c FROM {table} WHERE id BETWEEN :r1 AND :r1 + 99;
SELECT sum(k) FROM {table} WHERE id BETWEEN :r2 AND :r2 + 99;
SELECT c FROM {table} WHERE id BETWEEN :r3 AND :r3 + 99 ORDER BY c;
SELECT DISTINCT c FROM {table} WHERE id BETWEEN :r4 AND :r4 + 99 ORDER BY c;
UPDATE {table} SET k = k + 1 WHERE id = :u1;
UPDATE {table} SET c = filler(:k, :u2, 120) WHERE id = :u2;
DELETE FROM {table} WHERE id = :u3;
INSERT INTO {table} (id, k, c, pad) VALUES (:u3, :k, filler(:k, 1, 120), filler(:k, 2, 60)) ON CONFLICT (id) DO UPDATE SET k = excluded.k;
END;
