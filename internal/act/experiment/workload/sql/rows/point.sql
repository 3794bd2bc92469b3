\set id random(1, 25000 * :scale)
SELECT c FROM {table} WHERE id = :id;
