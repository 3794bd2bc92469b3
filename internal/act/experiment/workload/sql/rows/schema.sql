-- Four equal tables, as several relations share the buffers of an application.
-- A row is 230 bytes wide: a number with an index of its own, two texts.
CREATE FUNCTION pick(g bigint, salt bigint, n bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT (hashint8extended(g, salt) & 9223372036854775807) % n $$;
CREATE FUNCTION filler(g bigint, salt bigint, n int) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$ SELECT left(repeat(to_hex(hashint8extended(g, salt)) || '-', n / 8 + 1), n) $$;
CREATE TABLE rows_1 (id bigint NOT NULL, k bigint NOT NULL, c text NOT NULL, pad text NOT NULL);
CREATE TABLE rows_2 (LIKE rows_1);
CREATE TABLE rows_3 (LIKE rows_1);
CREATE TABLE rows_4 (LIKE rows_1);
