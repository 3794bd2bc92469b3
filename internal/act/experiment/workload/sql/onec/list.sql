-- A page of a list with a filter that a person ticked together.
\set p1 random(1, 500 * :scale)
\set p2 random(1, 500 * :scale)
\set p3 random(1, 500 * :scale)
\set p4 random(1, 500 * :scale)
\set w1 random(1, 100)
\set w2 random(1, 100)
\set day random(0, 1800)
SELECT DISTINCT d.at, d.ref, d.number, d.total, p.name, c.name, o.name, w.name
FROM document d
 LEFT JOIN partner p ON p.area = d.area AND p.ref = d.partner
 LEFT JOIN contract c ON c.area = d.area AND c.ref = d.contract
 LEFT JOIN organization o ON o.area = d.area AND o.ref = d.organization
 LEFT JOIN warehouse w ON w.area = d.area AND w.ref = d.warehouse
WHERE d.area = 0 AND d.at >= timestamp '2021-01-01' + :day * interval '1 day' AND (d.partner IN (ref(4, :p1), ref(4, :p2), ref(4, :p3), ref(4, :p4)) OR d.warehouse = ref(2, :w1) OR d.warehouse = ref(2, :w2))
ORDER BY d.at, d.ref LIMIT 45;
