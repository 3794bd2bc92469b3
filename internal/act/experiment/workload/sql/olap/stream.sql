SELECT /* q1: a scan of all lines, aggregated in few groups */ returned, discount, count(*), sum(quantity), sum(quantity * price), sum(quantity * price * (1 - discount)), avg(price)
FROM line GROUP BY returned, discount ORDER BY returned, discount;
SELECT /* q2: a star of four tables, a year of it */ r.name, g.class_id, sum(l.quantity * l.price * (1 - l.discount)) AS sales
FROM line l JOIN receipt c ON c.id = l.receipt_id JOIN goods g ON g.id = l.goods_id JOIN store s ON s.id = c.store_id JOIN region r ON r.id = s.region_id
WHERE c.sold >= date '2021-01-01' AND c.sold < date '2022-01-01' GROUP BY r.name, g.class_id ORDER BY sales DESC;
SELECT /* q3: the best customers: many groups, few rows wanted */ u.id, u.name, count(DISTINCT c.id), sum(l.quantity * l.price) AS sales
FROM customer u JOIN receipt c ON c.customer_id = u.id JOIN line l ON l.receipt_id = c.id
WHERE u.segment = 'trade' GROUP BY u.id, u.name ORDER BY sales DESC LIMIT 20;
SELECT /* q4: a sort of all receipts by a window */ count(*), max(gap) FROM (
  SELECT sold - lag(sold) OVER (PARTITION BY customer_id ORDER BY sold, id) AS gap FROM receipt) w WHERE gap > 30;
SELECT /* q5: distinct pairs, hashed or sorted */ count(*) FROM (SELECT DISTINCT c.customer_id, l.goods_id FROM line l JOIN receipt c ON c.id = l.receipt_id) d;
SELECT /* q6: customers who bought nothing in a year: an anti-join */ u.segment, count(*)
FROM customer u WHERE NOT EXISTS (SELECT FROM receipt c WHERE c.customer_id = u.id AND c.sold >= date '2023-06-01') GROUP BY u.segment ORDER BY u.segment;
SELECT /* q7: goods sold above their class's mean: an aggregate joined to its rows */ g.class_id, count(*)
FROM line l JOIN goods g ON g.id = l.goods_id JOIN (SELECT class_id, avg(price) AS mean FROM goods GROUP BY class_id) m ON m.class_id = g.class_id
WHERE l.price > m.mean GROUP BY g.class_id ORDER BY g.class_id;
SELECT /* q8: subtotals of months, channels and regions */ date_trunc('month', c.sold) AS month, c.channel, s.region_id, count(*), sum(l.quantity)
FROM receipt c JOIN line l ON l.receipt_id = c.id JOIN store s ON s.id = c.store_id
GROUP BY GROUPING SETS ((date_trunc('month', c.sold), c.channel), (s.region_id, c.channel), ()) ORDER BY 1, 2, 3;
SELECT /* q9: the share of each brand within its class, ranked */ * FROM (
  SELECT g.class_id, g.brand_id, sum(l.quantity) AS sold, rank() OVER (PARTITION BY g.class_id ORDER BY sum(l.quantity) DESC) AS place
  FROM line l JOIN goods g ON g.id = l.goods_id GROUP BY g.class_id, g.brand_id) x WHERE place <= 3 ORDER BY class_id, place;
SELECT /* q10: a narrow range by an index, for what random reads cost */ count(*), sum(l.quantity * l.price)
FROM receipt c JOIN line l ON l.receipt_id = c.id WHERE c.sold BETWEEN date '2022-03-01' AND date '2022-03-07';
