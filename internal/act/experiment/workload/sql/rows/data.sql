INSERT INTO rows_1 SELECT g, pick(g, 1, {scale}::bigint * 25000) + 1, filler(g, 11, 120), filler(g, 21, 60) FROM generate_series(({from}::bigint - 1) * 25000 + 1, {to}::bigint * 25000) g;
INSERT INTO rows_2 SELECT g, pick(g, 2, {scale}::bigint * 25000) + 1, filler(g, 12, 120), filler(g, 22, 60) FROM generate_series(({from}::bigint - 1) * 25000 + 1, {to}::bigint * 25000) g;
INSERT INTO rows_3 SELECT g, pick(g, 3, {scale}::bigint * 25000) + 1, filler(g, 13, 120), filler(g, 23, 60) FROM generate_series(({from}::bigint - 1) * 25000 + 1, {to}::bigint * 25000) g;
INSERT INTO rows_4 SELECT g, pick(g, 4, {scale}::bigint * 25000) + 1, filler(g, 14, 120), filler(g, 24, 60) FROM generate_series(({from}::bigint - 1) * 25000 + 1, {to}::bigint * 25000) g;
