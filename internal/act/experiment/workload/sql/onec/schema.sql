-- The shape of a 1C database: keys are 16 bytes, every key begins with the data
-- area, a register's key has five columns, and its totals are kept by the month.
CREATE FUNCTION pick(g bigint, salt bigint, n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (hashint8extended(g, salt) & 9223372036854775807) % n $$;
CREATE FUNCTION ref(kind int, g bigint) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT int8send(hashint8extended(g, kind)) || int8send(g) $$;
CREATE SEQUENCE document_id START 1000000000000;
CREATE TABLE organization (area numeric(7,0) NOT NULL, ref bytea NOT NULL, code varchar(9) NOT NULL, name varchar(100) NOT NULL);
CREATE TABLE warehouse (area numeric(7,0) NOT NULL, ref bytea NOT NULL, code varchar(9) NOT NULL, name varchar(100) NOT NULL, organization bytea NOT NULL);
CREATE TABLE measure (area numeric(7,0) NOT NULL, ref bytea NOT NULL, name varchar(25) NOT NULL);
CREATE TABLE partner (area numeric(7,0) NOT NULL, ref bytea NOT NULL, code varchar(9) NOT NULL, name varchar(100) NOT NULL, marked boolean NOT NULL);
CREATE TABLE contract (area numeric(7,0) NOT NULL, ref bytea NOT NULL, partner bytea NOT NULL, organization bytea NOT NULL, name varchar(100) NOT NULL, until timestamp NOT NULL);
CREATE TABLE item (area numeric(7,0) NOT NULL, ref bytea NOT NULL, parent bytea NOT NULL, measure bytea NOT NULL, code varchar(11) NOT NULL, name varchar(100) NOT NULL, article varchar(25) NOT NULL, marked boolean NOT NULL);
CREATE TABLE document (area numeric(7,0) NOT NULL, ref bytea NOT NULL, at timestamp NOT NULL, number varchar(11) NOT NULL, posted boolean NOT NULL, organization bytea NOT NULL, warehouse bytea NOT NULL, partner bytea NOT NULL, contract bytea NOT NULL, total numeric(15,2) NOT NULL);
CREATE TABLE document_line (area numeric(7,0) NOT NULL, document bytea NOT NULL, line_no numeric(5,0) NOT NULL, item bytea NOT NULL, quantity numeric(15,3) NOT NULL, amount numeric(15,2) NOT NULL);
CREATE TABLE movement (area numeric(7,0) NOT NULL, period timestamp NOT NULL, recorder_type bytea NOT NULL, recorder bytea NOT NULL, line_no numeric(9,0) NOT NULL, active boolean NOT NULL, kind numeric(1,0) NOT NULL, item bytea NOT NULL, warehouse bytea NOT NULL, partner bytea NOT NULL, contract bytea NOT NULL, quantity numeric(15,3) NOT NULL, amount numeric(15,2) NOT NULL);
CREATE TABLE total (area numeric(7,0) NOT NULL, period timestamp NOT NULL, item bytea NOT NULL, warehouse bytea NOT NULL, quantity numeric(21,3) NOT NULL, amount numeric(21,2) NOT NULL);
INSERT INTO organization SELECT 0, ref(1, g), lpad(g::text, 9, '0'), 'organization ' || g FROM generate_series(1, 20) g;
INSERT INTO warehouse SELECT 0, ref(2, g), lpad(g::text, 9, '0'), 'warehouse ' || g, ref(1, pick(g, 1, 20) + 1) FROM generate_series(1, 100) g;
INSERT INTO measure SELECT 0, ref(3, g), 'measure ' || g FROM generate_series(1, 30) g;
