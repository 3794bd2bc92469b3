-- A document is posted: its lines, its movements, the totals. The lock on the
-- warehouse stands for the platform's own lock: totals are never taken crosswise.
\set warehouse random(1, 100)
\set contract random(1, 1000 * :scale)
\set day random(0, 1824)
BEGIN;
-- A number that no run has had: with the same seed again, the keys are new.
SELECT nextval('document_id') AS id \gset
SELECT ref FROM warehouse WHERE area = 0 AND ref = ref(2, :warehouse) FOR UPDATE;
INSERT INTO document SELECT 0, ref(7, :id), timestamp '2021-01-01' + :day * interval '1 day' + interval '9 hours', right(:id::text, 11), true, c.organization, ref(2, :warehouse), c.partner, c.ref, 0 FROM contract c WHERE c.area = 0 AND c.ref = ref(5, :contract);
CREATE TEMP TABLE tt1 (area numeric(7,0), line_no numeric(5,0), item bytea, quantity numeric(15,3), amount numeric(15,2)) ON COMMIT DROP;
INSERT INTO tt1 SELECT 0, n, ref(6, pick(:id::bigint + n, 13, :scale::bigint * 1000) + 1), pick(:id::bigint + n, 14, 100) + 1, pick(:id::bigint + n, 15, 1000000) / 100.0 FROM generate_series(1, 5) n;
ANALYZE tt1;
INSERT INTO document_line SELECT area, ref(7, :id), line_no, item, quantity, amount FROM tt1;
INSERT INTO movement SELECT d.area, d.at, E'\\x00000007'::bytea, d.ref, t.line_no, true, 1, t.item, d.warehouse, d.partner, d.contract, t.quantity, t.amount FROM tt1 t JOIN document d ON d.area = t.area AND d.ref = ref(7, :id);
UPDATE document SET total = (SELECT sum(amount) FROM tt1) WHERE area = 0 AND ref = ref(7, :id);
INSERT INTO total SELECT t.area, date_trunc('month', d.at), t.item, d.warehouse, sum(t.quantity), sum(t.amount) FROM tt1 t JOIN document d ON d.area = t.area AND d.ref = ref(7, :id) GROUP BY 1, 2, 3, 4 ON CONFLICT (area, period, item, warehouse) DO UPDATE SET quantity = total.quantity + excluded.quantity, amount = total.amount + excluded.amount;
END;
