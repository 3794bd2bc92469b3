-- A report: a temporary table of 100 to 50,000 rows (most are small), statistics
-- of it, and the joins that need them.
\set e random(0, 1000)
\set rows int(100 * pow(500, :e / 1000.0))
\set day random(0, 1700)
\set index random(0, 1)
\set w1 random(1, 100)
\set w2 random(1, 100)
\set w3 random(1, 100)
\set g1 random(1, 100)
\set g2 random(1, 100)
CREATE TEMP TABLE tt1 (area numeric(7,0), item bytea, warehouse bytea, partner bytea, contract bytea, month timestamp, quantity numeric(22,3), amount numeric(22,2));
INSERT INTO tt1 SELECT m.area, m.item, m.warehouse, m.partner, m.contract, date_trunc('month', m.period), sum(m.quantity), sum(m.amount) FROM (SELECT * FROM movement WHERE area = 0 AND period >= timestamp '2021-01-01' + :day * interval '1 day' AND active ORDER BY period LIMIT :rows) m GROUP BY m.area, m.item, m.warehouse, m.partner, m.contract, date_trunc('month', m.period);
\if :index
CREATE INDEX tt1_key ON tt1 (area, item, warehouse);
\endif
ANALYZE tt1;
SELECT o.name, w.name, p.name, c.name, i.name, u.name, sum(t.quantity), sum(t.amount), sum(b.quantity)
FROM tt1 t
 LEFT JOIN item i ON i.area = t.area AND i.ref = t.item
 LEFT JOIN measure u ON u.area = i.area AND u.ref = i.measure
 LEFT JOIN warehouse w ON w.area = t.area AND w.ref = t.warehouse
 LEFT JOIN organization o ON o.area = w.area AND o.ref = w.organization
 LEFT JOIN partner p ON p.area = t.area AND p.ref = t.partner
 LEFT JOIN contract c ON c.area = t.area AND c.ref = t.contract
 LEFT JOIN total b ON b.area = t.area AND b.period = t.month AND b.item = t.item AND b.warehouse = t.warehouse
WHERE t.area = 0 AND (t.warehouse = ref(2, :w1) OR t.warehouse = ref(2, :w2) OR t.warehouse = ref(2, :w3) OR i.parent IN (ref(6, :g1), ref(6, :g2)))
GROUP BY o.name, w.name, p.name, c.name, i.name, u.name ORDER BY o.name, w.name, i.name;
CREATE TEMP TABLE tt2 (area numeric(7,0), item bytea);
INSERT INTO tt2 SELECT DISTINCT area, item FROM tt1;
ANALYZE tt2;
SELECT DISTINCT i.name, i.article, m.period, m.quantity FROM tt2 t JOIN item i ON i.area = t.area AND i.ref = t.item JOIN movement m ON m.area = t.area AND m.item = t.item JOIN warehouse w ON w.area = m.area AND w.ref = m.warehouse JOIN organization o ON o.area = w.area AND o.ref = w.organization WHERE m.period >= timestamp '2021-01-01' + (:day + 30) * interval '1 day' AND m.period < timestamp '2021-01-01' + (:day + 60) * interval '1 day' ORDER BY i.name, m.period LIMIT 1000;
TRUNCATE tt1;
DROP TABLE tt1;
TRUNCATE tt2;
DROP TABLE tt2;
