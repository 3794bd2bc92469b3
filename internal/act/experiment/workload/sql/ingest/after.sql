SELECT setval(pg_get_serial_sequence('event', 'id'), {scale}::bigint * 100000);
ALTER TABLE event ADD PRIMARY KEY (id);
CREATE INDEX event_device ON event (device, at);
CREATE INDEX event_kind ON event (kind, value);
VACUUM ANALYZE event;
