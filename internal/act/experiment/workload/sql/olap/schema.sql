-- A shop's sales: one table of facts, five of what they are about. Days run over
-- six years; some goods sell much more than others, as they do.
CREATE FUNCTION pick(g bigint, salt bigint, n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (hashint8extended(g, salt) & 9223372036854775807) % n $$;
CREATE FUNCTION skewed(g bigint, salt bigint, n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (n * power((hashint8extended(g, salt) & 1048575) / 1048576.0::float8, 3))::bigint % n $$;
CREATE TABLE region (id int NOT NULL, name text NOT NULL);
CREATE TABLE store (id int NOT NULL, region_id int NOT NULL, name text NOT NULL, opened date NOT NULL);
CREATE TABLE goods (id int NOT NULL, brand_id int NOT NULL, class_id int NOT NULL, name text NOT NULL, price numeric(10,2) NOT NULL);
CREATE TABLE customer (id bigint NOT NULL, region_id int NOT NULL, segment text NOT NULL, name text NOT NULL, born date NOT NULL);
CREATE TABLE receipt (id bigint NOT NULL, store_id int NOT NULL, customer_id bigint NOT NULL, sold date NOT NULL, channel text NOT NULL);
CREATE TABLE line (receipt_id bigint NOT NULL, n int NOT NULL, goods_id int NOT NULL, quantity int NOT NULL, price numeric(10,2) NOT NULL, discount numeric(4,2) NOT NULL, returned boolean NOT NULL);
INSERT INTO region SELECT g, 'region ' || g FROM generate_series(1, 20) g;
INSERT INTO store SELECT g, pick(g, 1, 20) + 1, 'store ' || g, date '2000-01-01' + pick(g, 2, 6000)::int FROM generate_series(1, 400) g;
INSERT INTO goods SELECT g, pick(g, 3, 200) + 1, pick(g, 4, 40) + 1, 'goods ' || g || ' of class ' || pick(g, 4, 40) + 1, 1 + pick(g, 5, 50000) / 100.0 FROM generate_series(1, 20000) g;
